// Which refusals become security events, what is stored of them, what operators see, and when they are mailed.

import pino from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { runAlarms } from '@/lib/installation/alarms/step';
import { confirmTotp } from '@/lib/merchants/accounts/second-factor/two-factor';
import { completeSignIn, signInByPassword } from '@/lib/merchants/accounts/sign-in/sign-in';
import { findLogin } from '@/lib/merchants/accounts/sign-in/logins';
import { stepUp } from '@/lib/merchants/accounts/second-factor/step-up';
import { clientHeader } from '@/lib/api/client-address';
import { answer } from '@/lib/api/answer';
import { openServices, type Services } from '@/lib/api/services';
import type { Context } from '@/lib/platform/context';
import { ServiceError } from '@/lib/platform/errors/errors';
import { flushSecurityEvents, noteSecurity } from '@/lib/platform/security/events';
import { setWebhookEndpoint } from '@/lib/merchants/stores/webhook-endpoint';
import { readMetrics } from '@/lib/installation/metrics/metrics';
import { browserRequest, cookieOf, FROM, openAccounts, PASSWORD, type Accounts } from '@/testing/accounts';
import { makeStore, signedRequest, testContext, type TestStore } from '@/testing/fixtures';
import { maintainSecurityCounts } from '@/lib/worker/security';
import { answerDashboard } from './adapter';
import { listAccounts, listAddresses, listKeys, listKinds, listPolicies, listStores } from './operator/security';
import { ROUTES } from './routes';
import { answerAuthWeb } from './next-adapter';

let accounts: Accounts;
let context: Context;
let services: Services;
let store: TestStore;
const lines: string[] = [];

beforeAll(async () => {
  accounts = await openAccounts({ LIMIT_LOOPBACK: 'on', FAILURE_RATE: '1', FAILURE_BURST: '20' });
  const log = pino({ level: 'warn' }, { write: (line: string) => lines.push(line) });
  context = { ...testContext(accounts.database, accounts.clock, accounts.config), log };
  services = openServices(context, () => []);
  store = await makeStore(accounts.database, accounts.config);
});
afterAll(() => accounts.close());
beforeEach(async () => {
  await flushSecurityEvents(context);
  await accounts.database.pool.query('TRUNCATE security_counts, throttles');
  lines.length = 0;
});

/** `kind sort subject` of everything that is stored. */
async function stored(): Promise<Record<string, number>> {
  await flushSecurityEvents(context);
  const { rows } = await accounts.database.pool.query(
    'SELECT kind, sort, subject, count::int AS count FROM security_counts',
  );
  return Object.fromEntries(rows.map((row) => [`${row.kind} ${row.sort} ${row.subject}`.trim(), row.count]));
}
const address = FROM.address;
const signIn = (email: string, password: string) => signInByPassword(context, { email, password, from: FROM });
const refused = (work: Promise<unknown>) => expect(work).rejects.toBeInstanceOf(ServiceError);

describe('a refusal at the sign-in', () => {
  test('is counted with its account and address; the name of an unknown account is not stored', async () => {
    const user = await accounts.user();
    await refused(signIn(user.email, 'a wrong password'));
    await refused(signIn('typed-by-mistake@example.test', 'a wrong password'));
    expect(await stored()).toEqual({
      'sign_in_failed all': 2,
      [`sign_in_failed address ${address}`]: 2,
      [`sign_in_failed account ${user.id}`]: 1,
    });
    expect(lines).toHaveLength(2);
    const { rows } = await accounts.database.pool.query('SELECT * FROM security_counts');
    for (const secret of ['typed-by-mistake', 'a wrong password', user.email])
      expect(lines.join('') + JSON.stringify(rows)).not.toContain(secret);
  });

  test('of a second factor or a step-up has its own kind of event', async () => {
    const user = await accounts.user({ hasTotp: true });
    const { token } = await signIn(user.email, PASSWORD);
    await refused(completeSignIn(context, { token, proof: { code: '000000' }, from: FROM }));
    const complete = await accounts.login(user.id, { hasFactor: true });
    const who = (await findLogin(context, complete))!;
    await refused(stepUp(context, who, { shown: { password: 'a wrong password', code: '000000' }, from: FROM }));
    await refused(stepUp(context, who, { shown: { password: PASSWORD, code: '000000' }, from: FROM }));
    expect(await stored()).toMatchObject({
      [`factor_failed account ${user.id}`]: 1,
      [`step_up_failed account ${user.id}`]: 2,
      [`step_up_failed address ${address}`]: 2,
    });
  });

  test('during a wait is a lockout', async () => {
    const user = await accounts.user();
    for (let n = 0; n < 8; n++) await refused(signIn(user.email, 'a wrong password'));
    expect(await stored()).toMatchObject({
      [`sign_in_failed account ${user.id}`]: 5,
      [`locked_out account ${user.id}`]: 3,
    });
  });

  test('a right password and setting up a second factor cause no events', async () => {
    const user = await accounts.user();
    const { token } = await signIn(user.email, PASSWORD);
    const who = (await findLogin(context, token))!;
    await refused(confirmTotp(context, who, { code: '000000', from: FROM }));
    expect(await stored()).toEqual({});
  });
});

describe('a refusal of the signed API', () => {
  const PATH = '/api/v1/checkout/sessions/cs_test_none';
  const get = (over: Partial<Parameters<typeof signedRequest>[1]> = {}, by = store) =>
    answer(services, signedRequest(by, { method: 'GET', path: PATH, now: accounts.clock.now(), ...over }));

  test('is counted with the key and the store, if known', async () => {
    await get({}, { ...store, apiKey: `ak_test_${'x'.repeat(32)}` });
    await get({}, { ...store, apiSecret: 'as_test_guess' });
    await get({ nonce: 'once' });
    await get({ nonce: 'once' });
    expect(await stored()).toEqual({
      'api_key_refused all': 1,
      [`api_key_refused address ${address}`]: 1,
      ...{ 'signature_refused all': 1, [`signature_refused address ${address}`]: 1 },
      ...{ [`signature_refused key ${store.keyId}`]: 1, [`signature_refused store ${store.storeId}`]: 1 },
      ...{ 'nonce_replayed all': 1, [`nonce_replayed address ${address}`]: 1 },
      ...{ [`nonce_replayed key ${store.keyId}`]: 1, [`nonce_replayed store ${store.storeId}`]: 1 },
    });
    expect(lines.join('')).not.toMatch(/ak_test|as_test/);
  });

  test('of signature version 1 for a key that requires version 2 has its own kind of event', async () => {
    const set = (requiresSignatureV2: boolean) =>
      accounts.database.prisma.apiKey.update({ where: { id: store.keyId }, data: { requiresSignatureV2 } });
    await set(true);
    try {
      const strict = openServices(context, () => []);
      await answer(strict, signedRequest(store, { method: 'GET', path: PATH, now: accounts.clock.now() }));
    } finally {
      await set(false);
    }
    expect(await stored()).toEqual({
      'signature_version_refused all': 1,
      [`signature_version_refused address ${address}`]: 1,
      [`signature_version_refused key ${store.keyId}`]: 1,
      [`signature_version_refused store ${store.storeId}`]: 1,
    });
  });

  test('of an address that failed too often is a lockout', async () => {
    for (let n = 0; n < 30; n++) await get({}, { ...store, apiKey: `ak_test_${'x'.repeat(32)}` });
    const counts = await stored();
    expect(counts['locked_out all']).toBeGreaterThanOrEqual(9);
    expect(counts).not.toHaveProperty(`locked_out key ${store.keyId}`);
  });
});

describe('a refusal elsewhere', () => {
  test('another site’s request to the dashboard or the sign-in is counted', async () => {
    const cookie = await cookieOf(context, await accounts.login((await accounts.user()).id));
    const headers = { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' };
    const request = browserRequest(context, { method: 'POST', path: '/api/dashboard/stores', cookie, headers });
    await answerDashboard(context, request, ROUTES);
    const form = new Request(`${context.config.PUBLIC_URL}/api/auth/callback/credentials`, {
      method: 'POST',
      headers: { ...headers, ...clientHeader(address), 'content-type': 'application/json' },
      body: '{}',
    });
    await answerAuthWeb(context, form);
    expect(await stored()).toEqual({ 'csrf_refused all': 2, [`csrf_refused address ${address}`]: 2 });
  });

  test('a missing permission is counted with the signed-in account; an allowed request is not', async () => {
    const [viewer, owner] = [await accounts.user(), await accounts.user()];
    await accounts.member(store.storeId, viewer.id, 'viewer');
    await accounts.member(store.storeId, owner.id, 'owner');
    const call = async (user: { id: string }, path: string) => {
      const cookie = await cookieOf(context, await accounts.login(user.id));
      const body = { name: 'Till' };
      await answerDashboard(context, browserRequest(context, { method: 'POST', path, cookie, body }), ROUTES);
    };
    const keys = (id: string, environment: string) => `/api/dashboard/stores/${id}/${environment}/keys`;
    await call(owner, keys(store.storeId, 'test'));
    expect(await stored()).toEqual({});
    await call(viewer, keys(store.storeId, 'test'));
    await call(owner, keys(store.storeId, 'live'));
    await call(owner, keys('st_guessed', 'test'));
    expect(await stored()).toEqual({
      'permission_refused all': 3,
      [`permission_refused address ${address}`]: 3,
      [`permission_refused account ${viewer.id}`]: 1,
      [`permission_refused account ${owner.id}`]: 2,
    });
    expect(lines.join('')).not.toContain('st_guessed');
  });

  test('a webhook address in a private network is counted with its store and member; a typing mistake is not', async () => {
    const user = await accounts.user();
    const actor = { by: `user:${user.id}`, address };
    const set = (url: string) =>
      setWebhookEndpoint(context, { storeId: store.storeId, environment: 'test', url }, actor);
    await refused(set('https://10.0.0.1/hook'));
    await refused(set('https://metadata.google.internal/'));
    await refused(set('no address'));
    expect(await stored()).toMatchObject({
      'address_refused all': 2,
      [`address_refused account ${user.id}`]: 2,
      [`address_refused store ${store.storeId}`]: 2,
    });
  });
});

describe('an operator', () => {
  const failTimes = (count: number, account?: string) => {
    for (let n = 0; n < count; n++) noteSecurity(context, { kind: 'sign_in_failed', account, address });
  };

  test('sees the number of each kind and their subjects', async () => {
    const user = await accounts.user();
    failTimes(3, user.id);
    noteSecurity(context, { kind: 'signature_refused', key: store.keyId, store: store.storeId });
    noteSecurity(context, { kind: 'policy_violated', policy: 'checkout script-src' });
    await flushSecurityEvents(context);
    accounts.clock.advance(2 * 86_400);
    failTimes(2, user.id);
    await flushSecurityEvents(context);
    expect((await listKinds(context)).slice(0, 2)).toMatchObject([
      { kind: 'sign_in_failed', day: 2, week: 5 },
      { kind: 'signature_refused', day: 0, week: 1 },
    ]);
    const week = { period: 'week', kind: null } as const;
    expect(await listAddresses(context, week)).toMatchObject([{ subject: address, count: 5 }]);
    expect(await listAccounts(context, { period: 'day', kind: null })).toMatchObject([{ email: user.email, count: 2 }]);
    expect(await listKeys(context, week)).toMatchObject([{ name: 'test', storeName: 'Test store', count: 1 }]);
    expect(await listStores(context, week)).toMatchObject([{ subject: store.storeId, kinds: ['signature_refused'] }]);
    expect(await listPolicies(context, week)).toMatchObject([{ subject: 'checkout script-src', count: 1 }]);
    expect(await listStores(context, { ...week, kind: 'nonce_replayed' })).toEqual([]);
  });

  test('is mailed when a kind reaches its hourly limit, and not again before six quiet hours', async () => {
    const operator = await accounts.user({ role: 'operator', hasTotp: true });
    const mails = async () =>
      (
        await accounts.database.pool.query(`SELECT 1 FROM mails WHERE recipient = $1 AND subject LIKE '%Security%'`, [
          operator.email,
        ])
      ).rowCount;
    const tend = async () => {
      await maintainSecurityCounts(context);
      await runAlarms(context);
    };
    failTimes(99);
    await tend();
    expect(await mails()).toBe(0);
    failTimes(1);
    await tend();
    await tend();
    expect((await accounts.lastMail(operator.email))?.subject).toBe('[Warning] Security alarms · Sign-in failed (100)');
    expect((await accounts.lastMail(operator.email))?.text).toContain('/operator/security');
    accounts.clock.advance(3600);
    failTimes(500);
    await tend();
    expect(await mails()).toBe(1);
    accounts.clock.advance(7 * 3600);
    await tend();
    failTimes(500);
    await tend();
    expect(await mails()).toBe(2);
    expect((await listKinds(context))[0]).toMatchObject({ kind: 'sign_in_failed', alarmedAt: accounts.clock.now() });
  });

  test('reads the numbers of this hour from the metrics', async () => {
    failTimes(4);
    await flushSecurityEvents(context);
    const text = await readMetrics(context);
    expect(text).toContain('stabletill_security_events_this_hour{kind="sign_in_failed"} 4');
    expect(text).toContain('stabletill_security_events_this_hour{kind="csrf_refused"} 0');
  });

  test('keeps counts for two weeks', async () => {
    failTimes(1);
    await flushSecurityEvents(context);
    accounts.clock.advance(15 * 86_400);
    failTimes(2);
    await maintainSecurityCounts(context);
    expect((await stored())['sign_in_failed all']).toBe(2);
  });
});
