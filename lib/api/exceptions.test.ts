// Payment exceptions on the API: listed, read and decided by key, with the rules of the dashboard, through both HTTP adapters.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { SCOPES, type Scope } from '@/lib/merchants/api-keys/verify-key';
import type { Environment } from '@/lib/platform/ids';
import { scopesGivenBy } from '@/lib/merchants/members/roles';
import { ADAPTERS, openContract, REFUNDS, SESSIONS, type Client, type Contract } from '@/testing/contract-client';
import { makeStore } from '@/testing/fixtures';
import { EXPIRES, openSettledSessions, PRICE } from '@/testing/payments/settled-session';

const EXCEPTIONS = '/api/v1/payment_exceptions';
const PAYER = '0x52908400098527886E0F7030069857D2E4169EE7';

let contract: Contract;
let world: ReturnType<typeof openSettledSessions>;

beforeAll(async () => {
  contract = await openContract();
  world = openSettledSessions(contract.db, contract.clock, contract.chains);
});
afterAll(() => contract.close());

describe.each(ADAPTERS)('through %s', (adapter) => {
  let merchant: Client;
  let stranger: Client;
  beforeAll(() => {
    merchant = contract.client(adapter);
    stranger = contract.client(adapter, contract.other);
  });
  /** An expired session with a late payment. */
  async function late(storeId = contract.store.storeId, cents = PRICE) {
    const id = await world.make(storeId, 'expired');
    await world.transfer(id, { cents, payer: PAYER.toLowerCase() });
    await world.settle(id);
    return { id, exception: String((await world.casesOf(id))[0]?.id) };
  }
  const read = (exception: string, client = merchant) => client.get(`${EXCEPTIONS}/${exception}`);
  const decide = (exception: string, body: object, client = merchant) =>
    client.post(`${EXCEPTIONS}/${exception}/decide`, body);
  const refundsOf = async (session: string) =>
    (await merchant.get(`${REFUNDS}?session_id=${session}`)).json.data as { refund_id: string; amount: number }[];
  /** A client with another key of the store. */
  async function clientWith(scopes: readonly Scope[], environment: Environment = 'test'): Promise<Client> {
    const made = await makeStore(contract.db, contract.config, environment);
    const { storeId } = contract.store;
    await contract.db.prisma.apiKey.update({ where: { id: made.keyId }, data: { storeId, scopes: [...scopes] } });
    return contract.client(adapter, made);
  }

  test('a late payment is returned with the decisions that are possible', async () => {
    const { id, exception } = await late();
    const { status, json } = await read(exception);
    expect(status).toBe(200);
    expect(json).toEqual({
      ...{ id: exception, session_id: id, order_id: id, kind: 'late', state: 'open' },
      actions: ['accept', 'refund', 'leave'],
      ...{ network: 'ethereum', currency: 'USDT', amount: PRICE, payment_amount: PRICE, sender: PAYER },
      transaction_hash: expect.stringMatching(/^0x/),
      block_time: EXPIRES - 300,
      created_at: expect.any(Number),
    });
  });

  test('accepting completes the session; a repeat is a no-op, and another decision is refused', async () => {
    const { id, exception } = await late();
    const accepted = await decide(exception, { action: 'accept', note: ' The customer called. ' });
    expect([accepted.status, accepted.json]).toMatchObject([
      200,
      { state: 'accepted', actions: [], amount: 0, decided_by: 'key', note: 'The customer called.' },
    ]);
    expect((await merchant.get(`${SESSIONS}/${id}`)).json).toMatchObject({
      status: 'COMPLETED',
      amount_received: PRICE,
    });
    expect(await decide(exception, { action: 'accept' })).toMatchObject({ status: 200, json: accepted.json });
    expect(await world.eventsOf(id)).toEqual(['payment.completed']);
    const refused = await decide(exception, { action: 'refund' });
    expect([refused.status, refused.json.error]).toMatchObject([
      400,
      { code: 'CASE_ALREADY_DECIDED', param: 'exception_id' },
    ]);
  });

  test('a payment is returned once, however often the request is sent', async () => {
    const { id, exception } = await late();
    const answers = [await decide(exception, { action: 'refund' }), await decide(exception, { action: 'refund' })];
    expect(answers.map(({ status, json }) => [status, json.state])).toEqual([
      [200, 'refund'],
      [200, 'refund'],
    ]);
    expect(await refundsOf(id)).toMatchObject([{ amount: PRICE, status: 'pending' }]);
  });

  test('a surplus is kept', async () => {
    const id = await world.make(contract.store.storeId);
    await world.transfer(id, { cents: PRICE + 300 });
    await world.settle(id);
    const exception = String((await world.casesOf(id))[0]?.id);
    expect((await read(exception)).json).toMatchObject({ kind: 'over', amount: 300, payment_amount: PRICE + 300 });
    expect((await decide(exception, { action: 'keep' })).json).toMatchObject({ state: 'kept', actions: [] });
    expect(await world.ledgerOf(id)).toEqual({ received: PRICE + 300, store: -PRICE - 300 });
  });

  test('the audit log names the key, and the payment exception the kind of its actor', async () => {
    const { id, exception } = await late();
    await decide(exception, { action: 'leave', note: 'Wait.' });
    const actor = `key:${contract.store.keyId}`;
    expect(await contract.db.prisma.auditEntry.findMany({ where: { target: exception, actor } })).toMatchObject([
      { action: 'case.leave', storeId: contract.store.storeId, details: { session: id, note: 'Wait.' } },
    ]);
    expect(await world.casesOf(id)).toMatchObject([{ state: 'left', decidedBy: actor }]);
  });

  test('every decision needs refunds:write, which a developer cannot grant to a live key', async () => {
    const { id, exception } = await late();
    const refusal = { status: 403, json: { error: { code: 'insufficient_scope' } } };
    expect(scopesGivenBy('developer', 'live')).not.toContain('refunds:write');
    const writesSessions = await clientWith(['sessions:read', 'sessions:write', 'refunds:read']);
    const writesRefunds = await clientWith(['sessions:read', 'refunds:read', 'refunds:write']);
    const readsOnly = await clientWith(['sessions:read', 'refunds:read']);
    const readsRefunds = await clientWith(['refunds:read']);
    for (const client of [writesSessions, readsOnly])
      for (const action of ['refund', 'accept', 'leave'])
        expect(await decide(exception, { action }, client)).toMatchObject(refusal);
    for (const path of [EXCEPTIONS, `${EXCEPTIONS}/${exception}`])
      expect(await readsRefunds.get(path)).toMatchObject(refusal);
    expect((await read(exception, readsOnly)).json.state).toBe('open');
    expect((await decide(exception, { action: 'leave' }, writesRefunds)).status).toBe(200);
    expect(await refundsOf(id)).toEqual([]);
    expect((await decide(exception, { action: 'refund' }, writesRefunds)).status).toBe(200);
    expect(await refundsOf(id)).toHaveLength(1);
  });

  test('another store, and the other environment, can neither see nor decide it', async () => {
    const { exception } = await late();
    const own = await clientWith(SCOPES, 'live');
    for (const client of [stranger, own]) {
      for (const answer of [await read(exception, client), await decide(exception, { action: 'leave' }, client)])
        expect([answer.status, answer.json.error]).toMatchObject([
          404,
          { code: 'CASE_NOT_FOUND', param: 'exception_id' },
        ]);
      const listed = (await client.get(EXCEPTIONS)).json.data as { id: string }[];
      expect(listed.map(({ id }) => id)).not.toContain(exception);
    }
    for (const id of ['0', 'x', '9999999999999999999']) expect((await read(id)).status).toBe(404);
    expect((await read(exception)).json.state).toBe('open');
  });

  test('the list goes page by page, newest first, by state and session', async () => {
    const { id: session, exception: first } = await late();
    const { exception: second } = await late();
    await decide(first, { action: 'leave' });
    const ids = (query: string) =>
      merchant.get(`${EXCEPTIONS}?${query}`).then(({ json }) => json.data.map(({ id }: { id: string }) => id));
    expect(await ids(`session_id=${session}`)).toEqual([first]);
    expect(await ids(`session_id=${session}&state=open`)).toEqual([]);
    expect(await ids(`session_id=${session}&state=left`)).toEqual([first]);
    const page = (await merchant.get(`${EXCEPTIONS}?limit=1`)).json;
    expect(page.data).toEqual([(await read(second)).json]);
    const next = (await merchant.get(`${EXCEPTIONS}?limit=1&cursor=${page.next_cursor}`)).json;
    expect(next.data).toEqual([(await read(first)).json]);
    const all = (await merchant.get(`${EXCEPTIONS}?limit=100`)).json;
    expect(all.next_cursor).toBeNull();
    for (const query of ['cursor=x', `cursor=${Buffer.from('s1 1').toString('base64url')}`, 'state=none', 'limit=101'])
      expect((await merchant.get(`${EXCEPTIONS}?${query}`)).json.error.code).toBe('INVALID_PARAMETER');
  });

  test('a full page of a hundred reports that there is another', async () => {
    const { storeId } = contract.other;
    const { id } = await late(storeId);
    await contract.db.pool.query(
      `WITH more AS (
         INSERT INTO transfers (chain_id, network, session_id, transaction_hash, ordinal, block_number, block_hash, block_time,
           currency, contract, payer, recipient, amount, decimals)
         SELECT chain_id, network, session_id, transaction_hash || n, ordinal, block_number, block_hash, block_time, currency,
           contract, payer, recipient, amount, decimals FROM transfers, generate_series(1, 100) AS n WHERE session_id = $1
         RETURNING id)
       INSERT INTO payment_exceptions (store_id, environment, session_id, transfer_id, kind, amount)
       SELECT $2, 'test', $1, id, 'late', 12500000 FROM more`,
      [id, storeId],
    );
    const first = (await stranger.get(`${EXCEPTIONS}?limit=100&session_id=${id}`)).json;
    expect([first.data.length, typeof first.next_cursor]).toEqual([100, 'string']);
    const rest = (await stranger.get(`${EXCEPTIONS}?limit=100&session_id=${id}&cursor=${first.next_cursor}`)).json;
    expect([rest.data.length, rest.next_cursor]).toEqual([1, null]);
  });

  test.each([{}, { action: 'delete' }, { action: 'leave', note: 'x'.repeat(501) }, { action: 'leave', note: 7 }])(
    'a decision %j is refused and decides nothing',
    async (body) => {
      const { exception } = await late();
      const { status, json } = await decide(exception, body);
      expect([status, json.error.code]).toEqual([400, 'INVALID_PARAMETER']);
      expect((await read(exception)).json.state).toBe('open');
    },
  );

  test('a decision spends its nonce, also when it is refused', async () => {
    const { exception } = await late();
    for (const [nonce, action] of [
      ['leave', 'leave'],
      ['keep', 'keep'],
    ] as const) {
      const change = { nonce: `${adapter.replaceAll(' ', '-')}-${nonce}` };
      await merchant.post(`${EXCEPTIONS}/${exception}/decide`, { action }, change);
      const again = await merchant.post(`${EXCEPTIONS}/${exception}/decide`, { action }, change);
      expect([again.status, again.json.error.code]).toEqual([401, 'nonce_reused']);
    }
  });
});
