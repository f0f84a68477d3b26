// Payouts on the API through both HTTP adapters: requested, read, listed and canceled by a store's key.

import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Scope } from '@/lib/merchants/api-keys/verify-key';
import { LEAST_PAYOUT_CENTS } from '@/lib/payouts/payout';
import { newPayoutAddressId } from '@/lib/platform/ids';
import { ADAPTERS, openContract, type Client, type Contract } from '@/testing/contract-client';
import { makeStore, type TestStore } from '@/testing/fixtures';
import { makePaidSession } from '@/testing/payments/paid-session';

const PAYOUTS = '/api/v1/payouts';
const EVERY: readonly Scope[] = ['payouts:read', 'payouts:write'];
const HAS = 100_000;

let contract: Contract;
beforeAll(async () => void (contract = await openContract()));
afterAll(() => contract.close());

describe.each(ADAPTERS)('through %s', (adapter) => {
  let store: TestStore;
  let merchant: Client;
  const query = (text: string, values: unknown[] = []) => contract.db.pool.query(text, values);
  const open = async (scopes = EVERY) => {
    const made = await makeStore(contract.db, contract.config);
    await query('UPDATE api_keys SET scopes = $2 WHERE id = $1', [made.keyId, scopes]);
    return made;
  };
  const addAddress = () =>
    query(
      `INSERT INTO payout_addresses (id, store_id, environment, network, address, created_at, created_by, mailed_at, pay_after, notice_mac,
         stop_hash)
       VALUES ($1, $2, 'test', 'ethereum', '0x9858effd232b4033e47d90003d41ec34ecaeda94', now(), gen_random_uuid(), now(), now(), '\\x00', $3)`,
      [newPayoutAddressId(), store.storeId, Buffer.from(randomUUID())],
    );
  const request = (over: object = {}) => ({
    payout_id: randomUUID(),
    ...{ amount: 500, currency: 'USDT', network: 'ethereum' },
    ...over,
  });
  const create = (body: object, client = merchant) => client.post(`${PAYOUTS}/create`, body);
  const read = (id: string, client = merchant) => client.get(`${PAYOUTS}/${encodeURIComponent(id)}`);
  const cancel = (id: string, client = merchant) => client.post(`${PAYOUTS}/${encodeURIComponent(id)}/cancel`, '');
  const codeOf = ({ status, json }: Awaited<ReturnType<typeof create>>) => [status, json.error.code, json.error.param];
  const balance = async () => {
    const { rows } = await query('SELECT -amount AS has FROM ledger_balances WHERE account = $1', [
      `store:${store.storeId}`,
    ]);
    return Number(rows[0].has) / 10_000;
  };

  beforeEach(async () => {
    store = await open();
    merchant = contract.client(adapter, store);
    await makePaidSession(contract.db, { storeId: store.storeId, closedAt: contract.clock.now(), cents: HAS });
    await addAddress();
  });

  test('a request reserves the amount and returns the payout; the same request again returns the same', async () => {
    const body = request({ currency: 'usdt', network: 'Ethereum', description: 'November' });
    const made = await create(body);
    const expected = {
      ...body,
      ...{ currency: 'USDT', network: 'ethereum', status: 'pending', created_at: expect.any(Number) },
      ...{ fee: 0, network_cost: 0 },
    };
    expect([made.status, made.json]).toEqual([201, expected]);
    expect(await create(body)).toMatchObject({ status: 201, json: made.json });
    expect((await read(body.payout_id)).json).toEqual(made.json);
    expect(await balance()).toBe(HAS - 500);
    const { rows } = await query(`SELECT actor, action, target FROM audit_entries WHERE store_id = $1`, [
      store.storeId,
    ]);
    expect(rows).toEqual([{ actor: `key:${store.keyId}`, action: 'payout.request', target: body.payout_id }]);
  });

  test('copies of one request at the same moment make one payout', async () => {
    const body = request();
    const made = await Promise.all(Array.from({ length: 8 }, () => create(body)));
    expect(new Set(made.map(({ status }) => status))).toEqual(new Set([201]));
    expect(await balance()).toBe(HAS - 500);
  });

  test.each([
    ['no payout_id', { payout_id: undefined }, 'INVALID_PARAMETER', 'payout_id'],
    ['a payout_id that is a route', { payout_id: 'create' }, 'INVALID_PARAMETER', 'payout_id'],
    ['a payout_id with a space at its end', { payout_id: 'a ' }, 'INVALID_PARAMETER', 'payout_id'],
    ['an amount with a fraction', { amount: 500.5 }, 'INVALID_AMOUNT', 'amount'],
    ['an amount as text', { amount: '500' }, 'INVALID_AMOUNT', 'amount'],
    ['less than the least amount', { amount: Number(LEAST_PAYOUT_CENTS) - 1 }, 'INVALID_AMOUNT', 'amount'],
    ['a cent more than there is', { amount: HAS + 1 }, 'INSUFFICIENT_BALANCE', 'amount'],
    ['the token that the store has not', { currency: 'USDC' }, 'INSUFFICIENT_BALANCE', 'amount'],
    ['a currency that is no token', { currency: 'USD' }, 'INVALID_CURRENCY', 'currency'],
    ['an unknown network', { network: 'dogecoin' }, 'INVALID_PARAMETER', 'network'],
    ['a network without an address', { network: 'tron' }, 'NO_PAYOUT_ADDRESS', 'network'],
    ['a name of recovered payouts', { payout_id: 'recovered_1' }, 'INVALID_PARAMETER', 'payout_id'],
    ['a name of scheduled payouts', { payout_id: 'scheduled_1' }, 'INVALID_PARAMETER', 'payout_id'],
  ])('a request with %s is refused and reserves nothing', async (_, over, code, param) => {
    expect(codeOf(await create(request(over)))).toEqual([400, code, param]);
    expect(await balance()).toBe(HAS);
  });

  test('a name that is taken by another request is refused; another store may use it', async () => {
    const body = request();
    await create(body);
    expect(codeOf(await create({ ...body, amount: 501 }))).toEqual([400, 'PAYOUT_ID_CONFLICT', 'payout_id']);
    store = await open();
    const other = contract.client(adapter, store);
    expect(codeOf(await create(body, other))).toEqual([400, 'NO_PAYOUT_ADDRESS', 'network']);
    expect(codeOf(await read(body.payout_id, other))).toEqual([404, 'PAYOUT_NOT_FOUND', 'payout_id']);
    expect(codeOf(await cancel(body.payout_id, other))).toEqual([404, 'PAYOUT_NOT_FOUND', 'payout_id']);
    expect((await other.get(PAYOUTS)).json).toEqual({ data: [], next_cursor: null });
  });

  test('the fifty-first request of a day is refused until the first is a day old, and the header says when that is', async () => {
    // Recovered payouts are not counted when they come, so there can be more than fifty.
    const age = contract.clock.now().getTime() - 3_600_000;
    await query(
      `INSERT INTO payouts (id, store_id, environment, payout_id, amount, currency, network, request_hash, created_at)
       SELECT 'po_' || md5($1 || n::text) || lpad(n::text, 8, '0'), $1, 'test', n::text, 100, 'USDT', 'ethereum', '', $2::timestamptz - CASE WHEN n > 50 THEN interval '2 hours' ELSE interval '0' END
       FROM generate_series(1, 55) n`,
      [store.storeId, new Date(age)],
    );
    const refused = await create(request());
    expect(codeOf(refused)).toEqual([429, 'TOO_MANY_PAYOUTS', 'payout_id']);
    expect(refused.headers['retry-after']).toBe(String(23 * 3600));
  });

  test('a payout is canceled once, and its amount is available again; afterwards it cannot be', async () => {
    const body = request();
    await create(body);
    const canceled = await cancel(body.payout_id);
    const answer = { payout_id: body.payout_id, status: 'canceled', canceled_at: expect.any(Number) };
    expect([canceled.status, canceled.json]).toEqual([200, answer]);
    expect(await balance()).toBe(HAS);
    expect(codeOf(await cancel(body.payout_id))).toEqual([400, 'CANNOT_CANCEL_PAYOUT', 'payout_id']);
    expect((await read(body.payout_id)).json).toMatchObject({ status: 'canceled' });
    expect((await read(body.payout_id)).json.processed_at).toBeUndefined();
    expect(codeOf(await cancel('nothing'))).toEqual([404, 'PAYOUT_NOT_FOUND', 'payout_id']);
  });

  test('a payout that waits for the delay of its address says until when', async () => {
    const body = request();
    await create(body);
    await query(
      `UPDATE payouts SET status = 'processing', sign_after = now(), hold = 'address_delay', hold_message = 'why', held_at = now(),
         next_at = to_timestamp(1900000000) WHERE payout_id = $1`,
      [body.payout_id],
    );
    const hold = { reason: 'address_delay', message: 'why', until: 1_900_000_000 };
    expect((await read(body.payout_id)).json).toMatchObject({ status: 'processing', hold });
  });

  test('the listing shows each once, newest first, page after page, and filters by status and time', async () => {
    const made: string[] = [];
    for (let n = 0; n < 5; n++) {
      const body = request();
      await create(body);
      made.unshift(body.payout_id);
      if (n % 2 === 0) contract.clock.advance(1);
    }
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const page = await merchant.get(`${PAYOUTS}?limit=2${cursor === null ? '' : `&cursor=${cursor}`}`);
      seen.push(...page.json.data.map((one: { payout_id: string }) => one.payout_id));
      cursor = page.json.next_cursor;
    } while (cursor !== null);
    expect(seen.toSorted()).toEqual(made.toSorted());
    expect(made.slice(0, 2)).toContain(seen[0]);
    await cancel(made[2] ?? '');
    const idsOf = async (filter: string) =>
      (await merchant.get(`${PAYOUTS}?${filter}`)).json.data.map((one: { payout_id: string }) => one.payout_id);
    expect(await idsOf('status=canceled')).toEqual([made[2]]);
    expect(await idsOf('status=COMPLETED')).toEqual([]);
    expect(await idsOf(`created_from=${Math.floor(contract.clock.now().getTime() / 1000) + 1}`)).toEqual([]);
    expect(codeOf(await merchant.get(`${PAYOUTS}?cursor=cjEgMSByZV8x`))).toEqual([400, 'INVALID_PARAMETER', 'cursor']);
  });

  test('needs its own scopes, which the scopes of a shop do not include', async () => {
    const client = async (...scopes: Scope[]) => {
      const made = await open(scopes);
      await query('UPDATE api_keys SET store_id = $2 WHERE id = $1', [made.keyId, store.storeId]);
      return contract.client(adapter, made);
    };
    const shop = await client('sessions:read', 'sessions:write', 'refunds:read', 'refunds:write');
    const reader = await client('payouts:read');
    const body = request();
    for (const refused of [
      ...[await create(body, shop), await read('x', shop), await cancel('x', shop), await shop.get(PAYOUTS)],
      ...[await create(body, reader), await cancel('x', reader)],
    ])
      expect(codeOf(refused)).toEqual([403, 'insufficient_scope', 'Authorization']);
    expect((await reader.get(PAYOUTS)).status).toBe(200);
  });

  test('a nonce is spent once, also by a refused request', async () => {
    const nonce = randomUUID();
    const tried = [];
    for (const amount of [HAS + 1, 500]) {
      const answer = await merchant.post(`${PAYOUTS}/create`, request({ amount }), { nonce });
      tried.push([answer.status, answer.json.error.code]);
    }
    expect(tried).toEqual([
      [400, 'INSUFFICIENT_BALANCE'],
      [401, 'nonce_reused'],
    ]);
    expect(await balance()).toBe(HAS);
  });
});
