// Attacks of one person on the accounts and stores of others, or on their own account's guards, through the same adapters that
// browsers use (rows D-05, D-10, D-11, D-17 to D-20, D-23, D-25, O-06).

import fs from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { MINIMUM_MILLISECONDS } from '@/lib/merchants/accounts/minimum-duration';
import { clientHeader } from '@/lib/api/client-address';
import { answer } from '@/lib/api/answer';
import { ROUTES as API_ROUTES } from '@/lib/api/routes';
import { openServices } from '@/lib/api/services';
import { allAudit, listAudit } from '@/lib/merchants/audit/read';
import type { ApiResponse } from '@/lib/platform/http';
import { browserRequest, cookieOf, openAccounts, PASSWORD, type Accounts, type TestUser } from '@/testing/accounts';
import { makeStore, signedRequest } from '@/testing/fixtures';
import { makePaidSession } from '@/testing/payments/paid-session';
import { makeEndpoint, recordEvent } from '@/testing/receivers/webhooks';
import { listDeliveries } from '@/lib/webhooks/console/list-deliveries';
import { readDelivery } from '@/lib/webhooks/console/read-delivery';
import { exportAudit } from './operator/audit';
import { answerDashboard } from './adapter';
import { ROUTES } from './routes';
import { answerAuthWeb, answerDashboardWeb } from './next-adapter';

let accounts: Accounts;
let storeId = '';
let keyId = 0;
let owner: TestUser;
beforeAll(async () => {
  accounts = await openAccounts();
});
afterAll(() => accounts.close());
beforeEach(async () => {
  ({ storeId, keyId } = await makeStore(accounts.database, accounts.config));
  owner = await accounts.user({ hasTotp: true });
  await accounts.member(storeId, owner.id, 'owner');
});

type Answered = { status: number; code: string | undefined; body: Record<string, unknown>; headers: Headers };

const cookieFor = async (user: TestUser): Promise<string> =>
  cookieOf(accounts.context, await accounts.login(user.id, { hasFactor: user.totp !== null }));

async function call(cookie: string | null, method: string, at: string, body?: unknown): Promise<Answered> {
  const request = browserRequest(accounts.context, { method, path: `/api/dashboard${at}`, cookie, body });
  const answered = await answerDashboard(accounts.context, request, ROUTES);
  if (answered instanceof Response)
    return { status: answered.status, code: undefined, body: {}, headers: answered.headers };
  const { status, headers, body: text } = answered satisfies ApiResponse;
  const parsed = JSON.parse(text) as Record<string, unknown> & { error?: { code: string } };
  return { status, code: parsed.error?.code, body: parsed, headers: new Headers(headers) };
}

/** The same as a Web request from Next. `host` is whatever its sender wrote. */
const web = (at: string, init: { body: BodyInit; headers?: Record<string, string> }): Request =>
  new Request(`http://evil.example${at}`, {
    method: 'POST',
    headers: {
      origin: accounts.config.PUBLIC_URL,
      'sec-fetch-site': 'same-origin',
      'content-type': 'application/json',
      ...clientHeader('203.0.113.9'),
      ...init.headers,
    },
    body: init.body,
  });

describe('D-05 in the next request', () => {
  const keys = () => `/stores/${storeId}/test/keys`;
  const key = { name: 'Till' };

  test('D-05: a removed or changed role has no effect any more', async () => {
    const developer = await accounts.user({ hasTotp: true });
    await accounts.member(storeId, developer.id, 'developer');
    const [boss, cookie] = [await cookieFor(owner), await cookieFor(developer)];
    expect((await call(cookie, 'POST', keys(), key)).status).toBe(200);
    await call(boss, 'PATCH', `/stores/${storeId}/members/${developer.id}`, { role: 'viewer' });
    expect((await call(cookie, 'POST', keys(), key)).code).toBe('permission_denied');
    await call(boss, 'POST', `/stores/${storeId}/members/${developer.id}/remove`);
    expect((await call(cookie, 'POST', keys(), key)).code).toBe('not_signed_in');
    const again = await cookieFor(developer);
    expect((await call(again, 'POST', keys(), key)).code).toBe('STORE_NOT_FOUND');
  });

  test.each<[string, (cookie: string) => Promise<unknown>]>([
    ['who signed out', (cookie) => call(cookie, 'POST', '/sign-out')],
    ['whom an operator disabled', () => asOperator(`/operator/users/${owner.id}/disable`)],
    ['who became an operator', () => asOperator(`/operator/users/${owner.id}/role`, { role: 'operator' })],
    [
      'who was signed out from another device',
      async () => call(await cookieFor(owner), 'POST', '/account/devices/end-others'),
    ],
    [
      'whose password was changed on another device',
      async () =>
        call(await cookieFor(owner), 'POST', '/account/password', { current: PASSWORD, password: 'a new good one' }),
    ],
  ])('D-05: %s counts as signed out', async (_, end) => {
    const cookie = await cookieFor(owner);
    expect((await call(cookie, 'GET', '/me')).status).toBe(200);
    // A member of stores cannot become an operator.
    await accounts.database.pool.query('DELETE FROM members WHERE user_id = $1', [owner.id]);
    await end(cookie);
    expect((await call(cookie, 'GET', '/me')).code).toBe('not_signed_in');
  });

  test('D-05: no stream can outlive the login that opened it', () => {
    const root = path.join(import.meta.dirname, '../..');
    const files = ['app', 'lib', 'components'].flatMap((place) =>
      fs
        .readdirSync(path.join(root, place), { recursive: true, encoding: 'utf8' })
        .map((name) => path.join(place, name)),
    );
    const code = files.filter((name) => /\.tsx?$/.test(name) && !/\.test\.|generated/.test(name));
    const streaming = code.filter((name) =>
      /text\/event-stream|new (EventSource|WebSocket)\b/.test(fs.readFileSync(path.join(root, name), 'utf8')),
    );
    expect([code.length > 300, streaming]).toEqual([true, []]);
  });
});

async function asOperator(at: string, body?: unknown): Promise<Answered> {
  const operator = await accounts.user({ role: 'operator', hasTotp: true });
  return call(await cookieFor(operator), 'POST', at, body);
}

test('D-10: a login opens nothing of the signed API, with or without the rest of a signature', async () => {
  const services = openServices(accounts.context, () => []);
  const store = await makeStore(accounts.database, accounts.config);
  const cookie = await cookieFor(owner);
  for (const { method, path: pattern } of API_ROUTES) {
    const at = { method, path: pattern.replaceAll(/\{\w+\}/g, 'x'), body: method === 'POST' ? '{}' : '' };
    const sent = signedRequest(store, { ...at, now: accounts.clock.now(), headers: { authorization: null, cookie } });
    const { status, body } = await answer(services, sent);
    expect([pattern, status, JSON.parse(body).error.code]).toEqual([pattern, 401, 'invalid_api_key']);
  }
});

test('D-11: a link in a mail has the service’s own address, whatever host a request named', async () => {
  const forged = { 'x-forwarded-host': 'evil.example', forwarded: 'host=evil.example', host: 'evil.example' };
  for (const [at, body] of [
    ['/api/dashboard/reset', { email: owner.email }],
    ['/api/dashboard/sign-up', { email: 'new@shop.example' }],
  ] as const) {
    const answered = await answerDashboardWeb(
      accounts.context,
      web(at, { body: JSON.stringify(body), headers: forged }),
    );
    expect(answered.status).toBe(200);
    const mail = await accounts.lastMail(body.email);
    expect(mail?.text).toContain(`${accounts.config.PUBLIC_URL}/`);
    expect(mail?.text).not.toContain('evil.example');
  }
});

describe('a request that affects keys, webhooks, limits or money', () => {
  const limits = { session_limit: 1, day_limit: 2, refund_day_limit: 3, refund_window_days: 30, payout_hold_hours: 0 };
  const hook = { url: 'http://127.0.0.1:9/hook' };
  const loose = { requires_signature_v2: false };
  test.each<[string, 'merchant' | 'operator', string, object, string | null]>([
    ['takes the second factor away', 'merchant', '/account/totp/remove', {}, 'account.totp_removed'],
    ['makes recovery codes', 'merchant', '/account/recovery-codes', {}, 'account.recovery_codes'],
    ['signs other devices out', 'merchant', '/account/devices/end-others', {}, 'account.sign_out_device'],
    // The mailed link makes the change itself, which is audited then (lib/merchants/accounts/links.test).
    ['changes the e-mail address', 'merchant', '/account/email', { email: 'else@shop.example' }, 'account.email_ask'],
    [
      'changes the password',
      'merchant',
      '/account/password',
      { current: PASSWORD, password: 'a new good one' },
      'account.password',
    ],
    ['makes a live key', 'merchant', '/stores/{store}/live/keys', { name: 'Till' }, 'key.create'],
    [
      'lets a key take signature version 1',
      'merchant',
      '/stores/{store}/test/keys/{key}/signature',
      loose,
      'key.change',
    ],
    ['sets where webhooks go', 'merchant', '/stores/{store}/live/webhook', hook, 'webhook.set'],
    ['raises a limit', 'operator', '/operator/stores/{store}/limits', { version: 1, ...limits }, 'store.limits'],
    // There is no such refund: a user with a fresh step-up gets as far as this error.
    [
      'approves a refund',
      'operator',
      '/operator/refunds/x/approval',
      { move: 'approve', digest: 'a'.repeat(64) },
      null,
    ],
  ])(
    'D-17: a user who %s must confirm password and second factor again, and the audit log records it',
    async (_, role, at, body, action) => {
      const user = role === 'merchant' ? owner : await accounts.user({ role: 'operator', hasTotp: true });
      // An owner of a live store keeps one second factor.
      await accounts.database.pool.query(
        `INSERT INTO passkeys (id, user_id, name, public_key, counter, transports, created_at)
         VALUES ($1, $2, 'Key', 'x', 0, '{}', $3)`,
        [`key-${user.id}`, user.id, accounts.clock.now()],
      );
      const cookie = await cookieFor(user);
      const place = at.replace('{store}', storeId).replace('{key}', String(keyId));
      const stale = (seconds: number) =>
        accounts.database.pool.query('UPDATE logins SET step_up_at = $2 WHERE user_id = $1', [
          user.id,
          new Date(accounts.clock.now().getTime() - seconds * 1000),
        ]);
      const entries = async () =>
        (await listAudit(accounts.database.pool, { actor: `user:${user.id}`, limit: 10 })).entries;
      await stale(300);
      expect((await call(cookie, 'POST', place, body)).code).toBe('step_up_required');
      expect(await entries()).toEqual([]);
      await stale(299);
      const { code } = await call(cookie, 'POST', place, body);
      expect(code).toBe(at.includes('/refunds/') ? 'REFUND_NOT_FOUND' : undefined);
      expect((await entries()).map((entry) => entry.action)).toEqual(action === null ? [] : [action]);
    },
  );

  test('D-17: no request can loosen the signer’s rules: that is possible only on the signer’s own machine', () => {
    // A page cannot enforce a delay or a second person: the signing limits are in the signer's own files.
    const loosening = ROUTES.filter((route) => /unfreeze|thaw|polic|signer/i.test(`${route.path} ${route.access}`));
    expect(loosening).toEqual([]);
  });
});

test('D-18: a stored secret is sealed, and a key is identified by its last four characters', async () => {
  const cookie = await cookieFor(owner);
  const key = (await call(cookie, 'POST', `/stores/${storeId}/live/keys`, { name: 'Till' })).body;
  const hook = (await call(cookie, 'POST', `/stores/${storeId}/live/webhook`, { url: 'http://127.0.0.1:9/' })).body;
  const { rows } = await accounts.database.pool.query(
    `SELECT k.key_hint, encode(k.secret_ciphertext, 'escape') AS key, encode(e.secret_ciphertext, 'escape') AS hook
     FROM api_keys k JOIN webhook_endpoints e ON e.store_id = k.store_id WHERE k.id = $1`,
    [key.id],
  );
  expect(rows[0].key_hint).toBe(String(key.api_key).slice(-4));
  expect(rows[0].key).not.toContain(String(key.api_secret).slice(8, 24));
  expect(rows[0].hook).not.toContain(String(hook.secret).slice(6, 22));
  expect(JSON.stringify(await call(cookie, 'GET', '/me'))).not.toContain(String(key.api_secret));
});

test('D-19: a password of a megabyte is refused before it is read', async () => {
  const long = 'x'.repeat(1_000_000);
  const sent = { email: 'a@shop.example', password: long };
  const signUp = await answerDashboardWeb(
    accounts.context,
    web('/api/dashboard/sign-up', { body: JSON.stringify(sent) }),
  );
  const signIn = await answerAuthWeb(
    accounts.context,
    web('/api/auth/callback/credentials', {
      body: new URLSearchParams(sent),
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    }),
  );
  for (const one of [signUp, signIn]) {
    expect(one.status).toBe(413);
    expect(await one.json()).toMatchObject({ error: { code: 'request_too_large' } });
  }
});

test('D-20: the self-descriptions of browsers and proxies stay one line of visible text in the log and its file', async () => {
  const request = browserRequest(accounts.context, {
    method: 'POST',
    path: `/api/dashboard/stores/${storeId}/test/keys`,
    cookie: await cookieFor(owner),
    body: { name: '${jndi:ldap://x} =1' },
    headers: { 'user-agent': '\u001b[31mred\r\nx: y ${jndi:ldap://evil}', 'x-forwarded-for': '1.2.3.4\r\nevil' },
  });
  const evil = { ...request, address: '203.0.113.9\r\n{"number":"1"}\u001b[2J' };
  await answerDashboard(accounts.context, evil, ROUTES);
  const { entries } = await listAudit(accounts.database.pool, { storeId, limit: 1 });
  expect(entries[0]).toMatchObject({ action: 'key.create', address: '203.0.113.9{"number":"1"}[2J' });
  const lines = (await exportAudit(accounts.context).text()).trimEnd().split('\n');
  let count = 0;
  for await (const _ of allAudit(accounts.database.pool)) count++;
  expect(lines).toHaveLength(count);
  for (const line of lines) expect(line).toMatch(/^\{[^\u0000-\u001f\u007f]+\}$/);
});

describe('of another store', () => {
  test('D-23: neither a delivery with its content nor its event is found', async () => {
    const theirs = await makeEndpoint(accounts.database, accounts.context, 'http://127.0.0.1:9/hook');
    await recordEvent(accounts.context, theirs);
    const { rows } = await accounts.database.pool.query(
      'SELECT id::text, event_id FROM deliveries WHERE store_id = $1',
      [theirs.storeId],
    );
    const [{ id: deliveryId, event_id: eventId }] = rows;
    const read = (of: string) => readDelivery(accounts.context, { storeId: of, environment: 'test', deliveryId });
    expect((await read(theirs.storeId))?.body).toContain('payment.cancelled');
    expect(await read(storeId)).toBeNull();
    const cookie = await cookieFor(owner);
    const at = `/stores/${storeId}/test`;
    expect((await call(cookie, 'POST', `${at}/events/${eventId}/resend`)).code).toBe('NOT_FOUND');
    expect((await call(cookie, 'POST', `${at}/deliveries/resend`, { event_ids: [eventId] })).status).toBe(404);
    expect((await call(cookie, 'POST', `/operator/deliveries/${deliveryId}/retry`)).code).toBe('permission_denied');
    const own = await listDeliveries(accounts.context, { storeId, environment: 'test', limit: 100 });
    expect(JSON.stringify(own)).not.toContain(eventId);
  });

  test('D-23: a merchant cannot read the audit log, and a file’s name contains no text of a request', async () => {
    const cookie = await cookieFor(owner);
    for (const at of ['/operator/audit/export', '/operator/audit/check', '/operator/audit/export-permission'])
      expect((await call(cookie, 'GET', at)).code).toBe('permission_denied');
    await makePaidSession(accounts.database, { storeId, closedAt: accounts.clock.now(), cents: 1 });
    const { headers } = await call(
      cookie,
      'GET',
      `/stores/${storeId}/test/exports/payments?q=..%2F..%2Fetc%2Fpasswd%22`,
    );
    expect(headers.get('content-disposition')).toMatch(/^attachment; filename="payments-test-\d{4}-\d\d-\d\d\.csv"$/);
    for (const kind of ['..%2fpayments', 'payments%00', 'payments.csv', '%70ayments', 'Payments', '__proto__'])
      expect((await call(cookie, 'GET', `/stores/${storeId}/test/exports/${kind}`)).status).toBe(404);
  });
});

test('D-25: the role of an invitation is the one it was sent with, even when its link is changed', async () => {
  const guest = await accounts.user();
  await call(await cookieFor(owner), 'POST', `/stores/${storeId}/members/invite`, {
    email: guest.email,
    role: 'viewer',
  });
  const token = (await accounts.lastMail(guest.email))?.token ?? '';
  const cookie = await cookieFor(guest);
  const changed = { token, role: 'owner', store_id: 'st_other', email: owner.email };
  expect((await call(cookie, 'POST', '/invite', changed)).body).toEqual({ store_id: storeId, role: 'viewer' });
  expect((await call(cookie, 'POST', '/invite', changed)).code).toBe('link_invalid');
});

test('another site cannot start a merchant’s export, and leaves nothing in the audit log', async () => {
  const cookie = await cookieFor(owner);
  const from = (site: string) => {
    const headers = { 'sec-fetch-site': site, origin: null };
    const at = `/api/dashboard/stores/${storeId}/test/exports/payments`;
    const request = browserRequest(accounts.context, { method: 'GET', path: at, cookie, headers });
    return answerDashboard(accounts.context, request, ROUTES);
  };
  expect((await from('cross-site')).status).toBe(403);
  expect((await listAudit(accounts.database.pool, { storeId, limit: 100 })).entries).toEqual([]);
  expect((await from('none')).status).toBe(200);
});

test('D-14: the time of an answer does not reveal whether an address has an account', async () => {
  const { email } = await accounts.user();
  const unknown = 'unknown@example.test';
  const cookie = await cookieFor(owner);
  const timed = async (at: string, body: object) => {
    const began = performance.now();
    expect((await call(cookie, 'POST', at, body)).status).toBe(200);
    return performance.now() - began;
  };
  const times = [
    await timed('/reset', { email }),
    await timed('/reset', { email: unknown }),
    await timed('/sign-up', { email }),
    await timed('/sign-up', { email: unknown }),
    await timed('/account/email', { email }),
  ];
  // A timer may fire a millisecond early.
  for (const took of times) expect(took).toBeGreaterThanOrEqual(MINIMUM_MILLISECONDS - 2);
});
