// What merchants do about their payments, through the adapter: it is done, it is audited, and only for their own store
// and environment.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { browserRequest, cookieOf, openAccounts, type Accounts } from '@/testing/accounts';
import { makeChain, makeStore } from '@/testing/fixtures';
import { makePaidSession } from '@/testing/payments/paid-session';
import type { ApiResponse } from '@/lib/platform/http';
import { answerDashboard } from '@/lib/dashboard/adapter';
import { ROUTES } from '@/lib/dashboard/routes';

let accounts: Accounts;
let storeId = '';
let otherId = '';
let cookie = '';
let userId = '';

beforeAll(async () => {
  accounts = await openAccounts();
  const { database, config, context } = accounts;
  storeId = (await makeStore(database, config)).storeId;
  otherId = (await makeStore(database, config)).storeId;
  const user = await accounts.user({ hasTotp: true });
  userId = user.id;
  await accounts.member(storeId, user.id, 'support');
  cookie = await cookieOf(context, await accounts.login(user.id, { hasFactor: true }));
});
afterAll(() => accounts.close());

async function call(method: string, path: string, body?: unknown) {
  const request = browserRequest(accounts.context, { method, path: `/api/dashboard/stores/${path}`, cookie, body });
  const answered = await answerDashboard(accounts.context, request, ROUTES);
  if (answered instanceof Response) return { status: answered.status, text: await answered.text(), json: null };
  const { status, body: text } = answered satisfies ApiResponse;
  return { status, text, json: JSON.parse(text) };
}
const paid = (over: Partial<Parameters<typeof makePaidSession>[1]> = {}) =>
  makePaidSession(accounts.database, { storeId, closedAt: accounts.clock.now(), cents: 1250, ...over });
const audited = async () =>
  (
    await accounts.database.pool.query(
      'SELECT actor, action, target FROM audit_entries WHERE store_id = $1 ORDER BY number',
      [storeId],
    )
  ).rows;

test('a refund is made under the page’s id and canceled once, and both are in the audit log', async () => {
  const session_id = await paid();
  const body = { session_id, amount: 500, currency: 'USDT', refund_id: 'dash_1' };
  const made = await call('POST', `${storeId}/test/refunds`, body);
  expect(made.json).toMatchObject({ status: 'pending', refund_id: 'dash_1' });
  const cancel = () => call('POST', `${storeId}/test/refunds/${made.json.id}/cancel`);
  expect((await cancel()).json).toMatchObject({ status: 'canceled' });
  expect((await cancel()).json.error.code).toBe('CANNOT_CANCEL_REFUND');
  expect((await audited()).slice(-2)).toEqual([
    { actor: `user:${userId}`, action: 'refund.make', target: made.json.refund_id },
    { actor: `user:${userId}`, action: 'refund.cancel', target: made.json.refund_id },
  ]);
});

test('the same request under one id makes one refund and one entry of the audit log', async () => {
  const body = { session_id: await paid(), amount: 500, currency: 'USDT', refund_id: 'mine' };
  const before = (await audited()).length;
  const [one, two] = await Promise.all([
    call('POST', `${storeId}/test/refunds`, body),
    call('POST', `${storeId}/test/refunds`, body),
  ]);
  expect(one.json.id).toBe(two.json.id);
  expect((await audited()).length).toBe(before + 1);
  const { rows } = await accounts.database.pool.query('SELECT amount_refunded FROM sessions WHERE id = $1', [
    body.session_id,
  ]);
  expect(rows[0].amount_refunded).toBe('500');
});

test('when several paid, one request makes a refund for each payer, all of them in the audit log', async () => {
  const session_id = await paid();
  const chainId = await makeChain(accounts.database, 'ethereum', 1_800_000_000);
  for (const [payer, units] of [
    ['0xalice', 10_000_000],
    ['0xbob', 2_500_000],
  ] as const) {
    await accounts.database.pool.query(
      `INSERT INTO transfers (chain_id, network, session_id, transaction_hash, ordinal, block_number, block_hash, block_time,
         currency, contract, payer, recipient, amount, decimals)
       SELECT $1, 'ethereum', id, $2 || id, 0, 1, '0xb', created_at - interval '1 minute', 'USDT', '0xc', $2, '0xr', $3, 6
       FROM sessions WHERE id = $4`,
      [chainId, payer, units, session_id],
    );
  }
  const body = { session_id, amount: 1250, currency: 'USDT', refund_id: 'each', to: 'payers' };
  const made = await call('POST', `${storeId}/test/refunds`, body);
  expect(made.json.refunds).toMatchObject([{ refund_id: 'each-1' }, { refund_id: 'each-2' }]);
  expect((await call('POST', `${storeId}/test/refunds`, body)).json).toEqual(made.json);
  const { rows } = await accounts.database.pool.query(
    'SELECT payer, amount::int AS cents FROM refunds WHERE session_id = $1 ORDER BY refund_id',
    [session_id],
  );
  expect(rows).toEqual([
    { payer: '0xalice', cents: 1000 },
    { payer: '0xbob', cents: 250 },
  ]);
  expect((await audited()).slice(-2).map(({ target }) => target)).toEqual(['each-1', 'each-2']);
  // A payment without a recorded payer cannot be split.
  const other = await call('POST', `${storeId}/test/refunds`, { ...body, session_id: await paid(), refund_id: 'none' });
  expect(other.json.error).toMatchObject({ code: 'INVALID_PARAMETER', param: 'to' });
});

test('an address that did not pay is confirmed once, by the store whose refund waits for it, and is audited', async () => {
  const session_id = await paid();
  const made = await call('POST', `${storeId}/test/refunds`, {
    session_id,
    amount: 7,
    currency: 'USDT',
    refund_id: 'confirm',
  });
  const path = `${storeId}/test/refunds/${made.json.id}/confirm-address`;
  expect((await call('POST', path)).json.error.code).toBe('INVALID_PARAMETER');
  const { pool } = accounts.database;
  await pool.query(
    `UPDATE refunds SET status = 'processing', sign_after = now(), hold = 'address_unconfirmed', hold_message = 'x', held_at = now() WHERE id = $1`,
    [made.json.id],
  );
  expect((await call('POST', path)).json.error.code).toBe('INVALID_PARAMETER');
  await pool.query(
    `INSERT INTO refund_addresses (session_id, network, address, given_at) VALUES ($1, 'ethereum', $2, now())`,
    [session_id, `0x${'ab'.repeat(20)}`],
  );
  expect((await call('POST', path)).json).toEqual({ confirmed: true });
  expect((await call('POST', path)).json.error.code).toBe('INVALID_PARAMETER');
  expect((await audited()).at(-1)).toMatchObject({ action: 'refund.confirm_address', target: 'confirm' });
});

test.each([
  ['more than was paid', { amount: 1251 }, 'REFUND_AMOUNT_EXCEEDED'],
  ['nothing', { amount: 0 }, 'INVALID_AMOUNT'],
  ['a fraction of a cent', { amount: 0.5 }, 'INVALID_AMOUNT'],
  ['another token than there is', { currency: 'EUR' }, 'INVALID_CURRENCY'],
  ['no name, which would be another refund each time it is sent', { refund_id: undefined }, 'MISSING_REFUND_ID'],
])('a refund of %s is refused, and nothing is stored', async (_, over, code) => {
  const before = (await audited()).length;
  const answer = await call('POST', `${storeId}/test/refunds`, {
    session_id: await paid(),
    amount: 1,
    currency: 'USDT',
    refund_id: 'r1',
    ...over,
  });
  expect(answer.json.error.code).toBe(code);
  expect((await audited()).length).toBe(before);
});

test('D-23: another store’s payment, and the other environment’s, do not exist', async () => {
  const foreign = await paid({ storeId: otherId });
  const own = await paid();
  const body = { amount: 1, currency: 'USDT', refund_id: 'r2' };
  expect((await call('POST', `${storeId}/test/refunds`, { ...body, session_id: foreign })).json.error.code).toBe(
    'SESSION_NOT_FOUND',
  );
  expect((await call('POST', `${storeId}/live/refunds`, { ...body, session_id: own })).json.error.code).toBe(
    'SESSION_NOT_FOUND',
  );
  expect((await call('POST', `${storeId}/dev/refunds`, { ...body, session_id: own })).status).toBe(404);
  expect((await call('POST', `${otherId}/test/refunds`, { ...body, session_id: foreign })).json.error.code).toBe(
    'STORE_NOT_FOUND',
  );
});

test('a suspended store makes no refunds', async () => {
  const session_id = await paid();
  const setStatus = (status: string) =>
    accounts.database.pool.query('UPDATE stores SET status = $2::"StoreStatus" WHERE id = $1', [storeId, status]);
  await setStatus('suspended');
  const answer = await call('POST', `${storeId}/test/refunds`, {
    session_id,
    amount: 1,
    currency: 'USDT',
    refund_id: 'r3',
  });
  await setStatus('approved');
  expect(answer.json.error.code).toBe('store_not_active');
});

test('a claim link can be renewed and shown only while its refund waits for an address', async () => {
  const session_id = await paid();
  const made = await call('POST', `${storeId}/test/refunds`, {
    session_id,
    amount: 7,
    currency: 'USDT',
    refund_id: 'r4',
  });
  const path = `${storeId}/test/refunds/${made.json.id}/claim`;
  expect((await call('POST', path)).json.error.code).toBe('INVALID_PARAMETER');
  await accounts.database.pool.query(
    `UPDATE refunds SET status = 'processing', sign_after = now(), hold = 'destination_needed', hold_message = 'x', held_at = now() WHERE id = $1`,
    [made.json.id],
  );
  const first = await call('POST', path);
  const second = await call('POST', path);
  expect(second.json.url).not.toBe(first.json.url);
  expect((await call('POST', `${path}/show`)).json.url).toBe(second.json.url);
  const entries = (await audited()).slice(-3).map(({ action }) => action);
  expect(entries).toEqual(['refund.claim', 'refund.claim', 'refund.claim_show']);
  expect(JSON.stringify(await audited())).not.toContain(second.json.url.split('/').at(-1));
});

test('D-23, O-01: an export holds the store’s own payments of one environment, as text', async () => {
  const id = await paid();
  await accounts.database.pool.query(`UPDATE sessions SET order_id = $2 WHERE id = $1`, [
    id,
    '=HYPERLINK("https://evil.example")',
  ]);
  const foreign = await paid({ storeId: otherId });
  const { status, text } = await call('GET', `${storeId}/test/exports/payments`);
  expect(status).toBe(200);
  expect(text).toContain(`"${id}","'=HYPERLINK(""https://evil.example"")","completed"`);
  expect(text).not.toContain(foreign);
  expect((await call('GET', `${otherId}/test/exports/payments`)).json?.error.code).toBe('STORE_NOT_FOUND');
  expect((await call('GET', `${storeId}/live/exports/payments`)).text.trim().split('\r\n')).toHaveLength(1);
  expect((await audited()).at(-1)).toMatchObject({ action: 'export', target: 'payments' });
  expect((await call('GET', `${storeId}/test/exports/statement`)).text).toContain(
    `"transfer","available","ethereum","USDT","12.50","","${id}"`,
  );
  expect((await call('GET', `${storeId}/test/exports/refunds`)).text).toContain('dash_');
});

test.each([
  'status=paid',
  'status=pending&status=failed',
  'from=yesterday',
  'network=%27%3B--',
  'refund=any',
  'exception[ne]=none&exception=x',
  'status[$ne]=pending',
  'sort=password_hash',
  'order=created_at%20desc',
  'column=stores.version',
  '__proto__=x',
  'q=a%00b',
  `q=${'x'.repeat(10_000)}`,
  `q=${encodeURIComponent('(a+)+$'.repeat(50))}`,
  `from=${'2'.repeat(10_000)}`,
])('D-24: unknown filters are refused: %s', async (query) => {
  expect((await call('GET', `${storeId}/test/exports/payments?${query}`)).json?.error.code).toBe('INVALID_PARAMETER');
});
test('D-24: a search that looks like a pattern or a statement is searched literally', async () => {
  for (const q of ['%', '_', '.*', '(a+)+$', "' OR 1=1 --", '{"$ne":null}', '\\'])
    expect(
      (await call('GET', `${storeId}/test/exports/payments?q=${encodeURIComponent(q)}`)).text.split('\r\n'),
    ).toEqual([expect.stringContaining('"session_id","order_id"'), '']);
});

test('D-23: there is no export of another name', async () => {
  expect((await call('GET', `${storeId}/test/exports/users`)).status).toBe(404);
});
