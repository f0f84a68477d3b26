// What a store's staff sells with links and at the till, through the adapter: done once, audited, and in their own store and
// environment only.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { openAccounts, browserRequest, cookieOf, type Accounts } from '@/testing/accounts';
import { makeAddresses, makeChain, makeStore } from '@/testing/fixtures';
import { makePaidSession } from '@/testing/payments/paid-session';
import type { ApiResponse } from '@/lib/platform/http';
import type { MemberRole } from '@/prisma/generated/enums';
import { answerDashboard } from '@/lib/dashboard/adapter';
import { FIRST_PAGE } from '@/lib/dashboard/lists/keyset';
import { listPaymentLinks } from '@/lib/dashboard/lists/links';
import { ROUTES } from '@/lib/dashboard/routes';
import { latestSales, readSale } from '@/lib/dashboard/payment/till';

let accounts: Accounts;
let storeId = '';
let otherId = '';
const cookies = new Map<MemberRole, string>();
const users = new Map<MemberRole, string>();

beforeAll(async () => {
  accounts = await openAccounts();
  const { database, config, context, clock } = accounts;
  storeId = (await makeStore(database, config)).storeId;
  otherId = (await makeStore(database, config)).storeId;
  await makeAddresses(database, 100);
  await makeChain(database, 'ethereum', clock.now().getTime() / 1000);
  for (const role of ['developer', 'support'] as const) {
    const user = await accounts.user({ hasTotp: true });
    users.set(role, user.id);
    await accounts.member(storeId, user.id, role);
    cookies.set(role, await cookieOf(context, await accounts.login(user.id, { hasFactor: true })));
  }
});
afterAll(() => accounts.close());

async function call(path: string, body: unknown, role: MemberRole = 'developer') {
  const request = browserRequest(accounts.context, {
    method: 'POST',
    path: `/api/dashboard/stores/${path}`,
    cookie: cookies.get(role) ?? null,
    body,
  });
  const { body: text } = (await answerDashboard(accounts.context, request, ROUTES)) as ApiResponse;
  return JSON.parse(text);
}
const codeOf = async (path: string, body: unknown, role?: MemberRole): Promise<string | undefined> =>
  (await call(path, body, role)).error?.code;

const audited = async (target: string) =>
  (
    await accounts.database.pool.query(
      'SELECT actor, action, details FROM audit_entries WHERE target = $1 ORDER BY number',
      [target],
    )
  ).rows;
const of = (id = storeId, environment: 'live' | 'test' = 'test') => ({ storeId: id, environment });
let made = 0;
const charge = (over: Record<string, unknown> = {}) => ({
  name: (++made).toString(16).padStart(32, '0'),
  amount: 450,
  currency: 'USD',
  ...over,
});
const link = { title: 'Guided walk', currency: 'EUR', amount: 1250 };

test('a link is created, listed, switched off and on, and each change is in the audit log', async () => {
  const { id, url } = await call(`${storeId}/test/links`, link);
  expect(url).toBe(`${accounts.config.PUBLIC_URL}/link/${id}`);
  const flip = (is_active: boolean) => call(`${storeId}/test/links/${id}/switch`, { is_active });
  expect(await flip(false)).toEqual({ is_active: false });
  expect(await flip(false)).toEqual({ is_active: false });
  expect((await listPaymentLinks(accounts.context, of(), FIRST_PAGE)).rows[0]).toMatchObject({
    id,
    url,
    title: 'Guided walk',
    amount: '12.50',
    currency: 'EUR',
    isActive: false,
    paid: 0,
  });
  await flip(true);
  const actor = `user:${users.get('developer')}`;
  const details = { environment: 'test', title: 'Guided walk' };
  expect(await audited(id)).toEqual([
    { actor, action: 'link.make', details: { ...details, price: '12.50', currency: 'EUR' } },
    { actor, action: 'link.off', details },
    { actor, action: 'link.on', details },
  ]);
});

test.each([
  ['no title', { title: '  ' }, 'INVALID_PARAMETER'],
  ['a title of two lines', { title: 'a\nb' }, 'INVALID_PARAMETER'],
  ['a currency that there is not', { currency: 'XXX' }, 'INVALID_CURRENCY'],
  ['a currency in other letters', { currency: 'uſd' }, 'INVALID_CURRENCY'],
  ['no money', { amount: 0 }, 'INVALID_PARAMETER'],
  ['more than a session may ask for', { amount: 10 ** 15 + 1 }, 'INVALID_PARAMETER'],
  ['a price and limits for one', { least_amount: 5 }, 'INVALID_PARAMETER'],
  ['limits that leave nothing', { amount: null, least_amount: 6, most_amount: 5 }, 'INVALID_PARAMETER'],
  ['no payments at all', { most_paid: 0 }, 'INVALID_PARAMETER'],
])('a link with %s is refused', async (_, over, code) => {
  expect(await codeOf(`${storeId}/test/links`, { ...link, ...over })).toBe(code);
});

test('links of another store or environment are not found', async () => {
  const { id } = await call(`${storeId}/test/links`, link);
  const off = { is_active: false };
  expect(await codeOf(`${storeId}/live/links/${id}/switch`, off)).toBe('NOT_FOUND');
  expect(await codeOf(`${otherId}/test/links/${id}/switch`, off)).toBe('STORE_NOT_FOUND');
  expect(await codeOf(`${storeId}/test/links/pl_test_0/switch`, off)).toBe('NOT_FOUND');
  expect((await listPaymentLinks(accounts.context, of(otherId), FIRST_PAGE)).rows).toEqual([]);
  expect((await listPaymentLinks(accounts.context, of(storeId, 'live'), FIRST_PAGE)).rows).toEqual([]);
});

test('staff at the counter may charge, but may not create links', async () => {
  expect(await codeOf(`${storeId}/test/links`, link, 'support')).toBe('permission_denied');
  expect(await codeOf(`${storeId}/test/till/sales`, charge(), 'support')).toBeUndefined();
});

test('a charge pressed twice, at once or later, is one sale and one entry of the audit log', async () => {
  const body = charge({ note: ' Table 4 ' });
  const answers = await Promise.all([1, 2, 3].map(() => call(`${storeId}/test/till/sales`, body)));
  answers.push(await call(`${storeId}/test/till/sales`, body));
  const [id, ...others] = [...new Set(answers.map((answer) => answer.id))];
  expect(others).toEqual([]);
  expect(await audited(id)).toEqual([
    {
      actor: `user:${users.get('developer')}`,
      action: 'till.charge',
      details: { environment: 'test', amount: '4.50', currency: 'USD' },
    },
  ]);
  expect(await readSale(accounts.context, of(), id)).toMatchObject({
    amount: '4.50',
    currency: 'USD',
    note: 'Table 4',
  });
  const session = await accounts.database.prisma.session.findUniqueOrThrow({ where: { id } });
  expect(session).toMatchObject({ description: 'Table 4', metadata: { made_at: 'till', note: 'Table 4' } });
  expect(await codeOf(`${storeId}/test/till/sales`, { ...body, amount: 451 })).toBe('DUPLICATE_ORDER_ID');
});

test('a sale is canceled once; the till cannot cancel a session that a program created', async () => {
  const { id } = await call(`${storeId}/test/till/sales`, charge());
  expect(await call(`${storeId}/test/till/sales/${id}/cancel`, {})).toEqual({ status: 'canceled' });
  expect(await codeOf(`${storeId}/test/till/sales/${id}/cancel`, {})).toBe('SESSION_EXPIRED');
  expect((await audited(id)).map(({ action }) => action)).toEqual(['till.charge', 'till.cancel']);
  const closedAt = accounts.clock.now();
  const foreign = await makePaidSession(accounts.database, { storeId, closedAt, cents: 1, status: 'pending' });
  expect(await codeOf(`${storeId}/test/till/sales/${foreign}/cancel`, {})).toBe('SESSION_NOT_FOUND');
  expect(await readSale(accounts.context, of(otherId), id)).toBeNull();
  expect(await readSale(accounts.context, of(storeId, 'live'), id)).toBeNull();
});

test('the test payer pays only sales of this till, and none outside a sandbox', async () => {
  const { id } = await call(`${storeId}/test/till/sales`, charge());
  const pay = (sale: string, store = storeId) =>
    codeOf(`${store}/test/till/sales/${sale}/test-money`, { method: 'ethereum-USDT' });
  const closedAt = accounts.clock.now();
  const foreign = await makePaidSession(accounts.database, { storeId, closedAt, cents: 1, status: 'pending' });
  expect(await pay(foreign)).toBe('SESSION_NOT_FOUND');
  expect(await pay(id)).toBe('NOT_FOUND');
});

test('a suspended store cannot charge', async () => {
  const setStatus = (status: string) =>
    accounts.database.pool.query('UPDATE stores SET status = $2::"StoreStatus" WHERE id = $1', [storeId, status]);
  await setStatus('suspended');
  expect(await codeOf(`${storeId}/test/till/sales`, charge(), 'support')).toBe('store_not_active');
  await setStatus('approved');
});

test('the latest sales are the till’s own of the last day, newest first', async () => {
  accounts.clock.advance(60);
  const first = await call(`${storeId}/test/till/sales`, charge());
  accounts.clock.advance(60);
  await makePaidSession(accounts.database, { storeId, closedAt: accounts.clock.now(), cents: 9 });
  const second = await call(`${storeId}/test/till/sales`, charge({ amount: 999 }));
  const sales = await latestSales(accounts.context, of());
  expect(sales.slice(0, 2)).toMatchObject([
    { id: second.id, amount: '9.99', status: 'pending' },
    { id: first.id, amount: '4.50' },
  ]);
  accounts.clock.advance(86_400);
  expect(await latestSales(accounts.context, of())).toEqual([]);
});
