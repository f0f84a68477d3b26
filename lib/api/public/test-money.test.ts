// "Pay with test money" on the hosted page: a click on our form pays exactly the missing amount on the local chain, once, and
// only in the test environment of an installation with local chains.

import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createPaymentLink } from '@/lib/payments/links/change';
import { newFormSeal } from '@/lib/payments/links/page';
import { createSessionByStore } from '@/lib/payments/sessions/by-store';
import { SYSTEM } from '@/lib/merchants/stores/actor';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import {
  makeAddresses,
  makeChain,
  makeStore,
  TestClock,
  testConfig,
  testContext,
  type TestStore,
} from '@/testing/fixtures';
import { formRequest } from '@/testing/page-form';
import { openSandboxStandIn, type SandboxStandIn } from '@/testing/sandbox-stand-in';
import { answerOpenLink } from './open-link';
import { openServices, type Services } from '@/lib/api/services';
import { answerTestMoney } from './test-money';

let refuses = false;
let sandbox: SandboxStandIn;
let asked: SandboxStandIn['asked'];
let database: TestDatabase;
let services: Services;
let store: TestStore;
const clock = new TestClock();

beforeAll(async () => {
  database = await openTestDatabase();
  sandbox = await openSandboxStandIn(({ body }) => [
    refuses ? 500 : 200,
    { transaction_hash: '0xab', network: body.network },
  ]);
  ({ asked } = sandbox);
  services = servicesWith({ SANDBOX_ORIGIN: sandbox.url });
  store = await makeStore(database, services.config);
  await makeAddresses(database, 40);
  for (const network of ['ethereum', 'bsc']) await makeChain(database, network, clock.now().getTime() / 1000);
});
afterAll(async () => {
  await sandbox.close();
  await database.close();
});
beforeEach(() => {
  asked.length = 0;
  refuses = false;
});

const servicesWith = (settings: Record<string, string>): Services =>
  openServices(testContext(database, clock, testConfig(settings)), () => []);

const newSession = (): Promise<string> =>
  createSessionByStore(
    services,
    { storeId: store.storeId, environment: 'test', record: async () => {} },
    { amount: 1250, currency: 'USD', order_id: randomUUID(), expires_in: 1800 },
  );

/** Sends the form; returns the redirect's target, or the refusal. */
async function press(id: string, fields: Record<string, string> = {}, headers = {}, by = services) {
  const request = formRequest(`/pay/${id}/test-money`, fields, headers);
  const { status, headers: sent, body } = await answerTestMoney(by, id, request);
  if (status === 303) return sent.Location ?? '';
  return `${status} ${(JSON.parse(body) as { error: { code: string } }).error.code}`;
}

test('a click pays exactly the missing amount, with the selected network and token, to the address of the session', async () => {
  const id = await newSession();
  const { evmAddress } = await database.prisma.session.findUniqueOrThrow({ where: { id } });
  expect(await press(id, { method: 'bsc-USDC' })).toBe(`/pay/${id}?method=bsc-USDC&test_money=sent`);
  expect(asked).toHaveLength(1);
  const { recipient, ...body } = asked[0]?.body ?? {};
  expect(asked[0]?.path).toBe('/control/pay');
  expect(body).toEqual({ network: 'bsc', currency: 'USDC', cents: 1250, scenario: 'exact' });
  expect(String(recipient).toLowerCase()).toBe(evmAddress);
});

test('two clicks before the payment is observed pay once, and a later one may pay again', async () => {
  const id = await newSession();
  const paths = await Promise.all([press(id, { method: 'bsc-USDT' }), press(id, { method: 'bsc-USDT' })]);
  expect(paths.toSorted()).toEqual([`/pay/${id}?method=bsc-USDT`, `/pay/${id}?method=bsc-USDT&test_money=sent`]);
  expect(asked).toHaveLength(1);
  clock.advance(16);
  await press(id, { method: 'bsc-USDT' });
  expect(asked).toHaveLength(2);
});

test('a method that the session does not offer, and a sandbox that does not respond, are reported on the page', async () => {
  const id = await newSession();
  expect(await press(id, { method: 'solana-USDT' })).toBe(`/pay/${id}?method=solana-USDT&test_money=failed`);
  expect(await press(id, { method: '//evil.example' })).toBe(`/pay/${id}?test_money=failed`);
  expect(asked).toEqual([]);
  refuses = true;
  expect(await press(id, { method: 'bsc-USDT' })).toBe(`/pay/${id}?method=bsc-USDT&test_money=failed`);
});

test('a canceled session is paid nothing', async () => {
  const id = await newSession();
  await database.pool.query(`UPDATE sessions SET status = 'canceled', closed_at = $2 WHERE id = $1`, [id, clock.now()]);
  expect(await press(id, { method: 'bsc-USDT' })).toContain('test_money=failed');
  expect(asked).toEqual([]);
});

test('a live session, a sandbox without local chains and an installation without a sandbox refuse it', async () => {
  const id = await newSession();
  const form = { method: 'bsc-USDT' };
  expect(await press(id, form, {}, servicesWith({}))).toBe('404 NOT_FOUND');
  expect(await press(id, form, {}, servicesWith({ SANDBOX_ORIGIN: sandbox.url, TEST_CHAINS: 'public' }))).toBe(
    '404 NOT_FOUND',
  );
  await database.pool.query(`UPDATE sessions SET environment = 'live' WHERE id = $1`, [id]);
  expect(await press(id, form)).toBe('404 NOT_FOUND');
  expect(await press('cs_test_0000000000000000000000', form)).toBe('404 SESSION_NOT_FOUND');
  expect(asked).toEqual([]);
});

test('a form that none of our pages sent pays nothing', async () => {
  const id = await newSession();
  const form = { method: 'bsc-USDT' };
  expect(await press(id, form, { 'sec-fetch-site': 'cross-site' })).toBe('403 FORBIDDEN');
  expect(await press(id, form, { 'content-type': 'application/json' })).toBe('400 unsupported_media_type');
  expect(asked).toEqual([]);
});

test('the test button of a payment link makes the session and pays it at once', async () => {
  const of = { storeId: store.storeId, environment: 'test' as const };
  const wish = { title: 'Walk', description: null, currency: 'USD', amount: 900 };
  const limits = { least_amount: null, most_amount: null, most_paid: null };
  const link = await createPaymentLink(services, of, { ...wish, ...limits }, SYSTEM);
  const open = async (by: Services) => {
    const fields = { name: newFormSeal(by.config, link.id), test_money: 'yes' };
    const request = formRequest(`/link/${link.id}/open`, fields);
    return (await answerOpenLink(by, link.id, request)).headers.Location ?? '';
  };
  expect(await open(services)).toMatch(/^\/pay\/cs_test_\w+\?test_money=sent$/);
  expect(asked.map(({ body }) => body.cents)).toEqual([900]);
  // Without a sandbox the form only redirects to the payment's page.
  expect(await open(servicesWith({}))).toMatch(/^\/pay\/cs_test_\w+$/);
  expect(asked).toHaveLength(1);
});
