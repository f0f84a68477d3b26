// The form, the cookie and the way back: next-auth as it is used here (rows D-03, D-04, D-08, D-09, D-22).

import { hkdfSync } from 'node:crypto';
import { EncryptJWT, UnsecuredJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { authorize } from '@/lib/dashboard/authorize';
import { cookieOf, openAccounts, PASSWORD, type Accounts } from '@/testing/accounts';
import { answerAuth } from './next-auth';
import { cookieSecret, signedInUser } from './cookie';
import { cookieNames } from './cookie-names';
import { knownDevice, knownDeviceCookie } from './known-device';
import { safePath } from './return-path';
import { totpCode } from '@/lib/merchants/accounts/second-factor/totp';

let accounts: Accounts;
let https: Accounts;
beforeAll(async () => {
  accounts = await openAccounts();
  https = await openAccounts({ PUBLIC_URL: 'https://pay.example' });
});
afterAll(async () => {
  await accounts.close();
  await https.close();
});

const jar = (response: Response, former = ''): string => {
  const cookies = new Map(
    former
      .split('; ')
      .filter(Boolean)
      .map((one) => one.split('=') as [string, string]),
  );
  for (const line of response.headers.getSetCookie()) {
    const [name = '', value = ''] = (line.split(';')[0] ?? '').split('=');
    cookies.set(name, value);
  }
  return [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
};

/** Sends a request like a browser. `host` is what an attacker may write into the headers. */
const call = (
  of: Accounts,
  path: string,
  { method = 'GET', cookie = '', form = {}, headers = {}, address = '203.0.113.9' } = {},
) => {
  const request = new Request(`http://evil.example${path}`, {
    method,
    headers: {
      cookie,
      host: 'evil.example',
      'x-forwarded-host': 'evil.example',
      ...(method === 'POST' && {
        origin: of.config.PUBLIC_URL,
        'sec-fetch-site': 'same-origin',
        'content-type': 'application/x-www-form-urlencoded',
      }),
      ...headers,
    },
    ...(method === 'POST' && { body: new URLSearchParams(form) }),
  });
  return answerAuth(of.context, request, address);
};

async function signIn(of: Accounts, fields: Record<string, string>, cookie = '', address = '203.0.113.9') {
  const csrf = await call(of, '/api/auth/csrf', { cookie });
  const { csrfToken } = (await csrf.json()) as { csrfToken: string };
  const form = { ...fields, csrfToken, json: 'true' };
  const response = await call(of, '/api/auth/callback/credentials', {
    method: 'POST',
    cookie: jar(csrf, cookie),
    form,
    address,
  });
  return {
    response,
    cookie: jar(response, jar(csrf, cookie)),
    body: (await response.json()) as { url: string; error: string | null },
  };
}

describe('a browser that signed in before', () => {
  let lastAddress = 0;
  const elsewhere = () => `198.51.100.${++lastAddress}`;
  /** Strangers from many addresses try passwords until the account must wait. */
  const lockOut = async (email: string) => {
    for (let n = 0; n < 8; n++) await signIn(accounts, { email, password: 'a wrong password' }, '', elsewhere());
  };
  const deviceOf = (cookie: string) => /stabletill-device=([^;]+)/.exec(cookie)?.[1] ?? '';

  test('D-13: can sign in from a new address while strangers lock the account, and no other browser can', async () => {
    const user = await accounts.user();
    const right = { email: user.email, password: PASSWORD };
    const { cookie } = await signIn(accounts, right);
    await lockOut(user.email);
    const device = `stabletill-device=${deviceOf(cookie)}`;
    expect((await signIn(accounts, right, device, elsewhere())).body.error).toBeNull();
    expect((await signIn(accounts, right, '', elsewhere())).body.error).toBe('RATE_LIMITED');
  });

  test('D-13: has a separate counter: a stolen device cookie gives five guesses', async () => {
    const user = await accounts.user();
    const { cookie } = await signIn(accounts, { email: user.email, password: PASSWORD });
    const device = `stabletill-device=${deviceOf(cookie)}`;
    const guess = { email: user.email, password: 'a wrong password' };
    const errors = [];
    for (let n = 0; n < 8; n++) errors.push((await signIn(accounts, guess, device, elsewhere())).body.error);
    expect(errors.filter((error) => error === 'sign_in_failed')).toHaveLength(5);
    expect(errors.at(-1)).toBe('RATE_LIMITED');
  });

  test('D-13: is bound to the account that signed in on it, and its cookie cannot be forged', async () => {
    const [user, other] = [await accounts.user(), await accounts.user()];
    const { cookie } = await signIn(accounts, { email: other.email, password: PASSWORD });
    await lockOut(user.email);
    for (const value of [deviceOf(cookie), deviceOf(cookie).slice(0, -2), 'AAAA', `${user.id}.1`]) {
      const fields = { email: user.email, password: PASSWORD };
      expect((await signIn(accounts, fields, `stabletill-device=${value}`, elsewhere())).body.error).toBe(
        'RATE_LIMITED',
      );
    }
  });

  test('D-13: is known only after the second factor, and stays the same device', async () => {
    const user = await accounts.user({ hasTotp: true });
    const first = await signIn(accounts, { email: user.email, password: PASSWORD });
    expect(deviceOf(first.cookie)).toBe('');
    const second = await signIn(accounts, { code: totpCode(user.totp ?? '', accounts.clock.now()) }, first.cookie);
    expect(deviceOf(second.cookie)).not.toBe('');
    expect(second.response.headers.getSetCookie().join('\n')).toMatch(
      /stabletill-device=[\w-]+; Path=\/; Max-Age=15552000; HttpOnly; SameSite=Lax/,
    );
    const again = knownDeviceCookie(accounts.config, user.id, knownDevice(accounts.config, second.cookie));
    expect(knownDevice(accounts.config, again.split(';')[0])).toEqual(knownDevice(accounts.config, second.cookie));
  });
});

describe('the form', () => {
  test('D-04: signs in, sets a cookie that scripts cannot read, and leads back to the page of this service', async () => {
    const user = await accounts.user();
    const fields = { email: user.email, password: PASSWORD, callbackUrl: '/dashboard/st_1/live/keys?a=b' };
    const { response, cookie, body } = await signIn(accounts, fields);
    expect(response.status).toBe(200);
    expect(body).toEqual({ url: `${accounts.config.PUBLIC_URL}/dashboard/st_1/live/keys?a=b`, error: null });
    expect(await signedInUser(accounts.context, cookie)).toMatchObject({ userId: user.id, isComplete: true });
    const set = response.headers.getSetCookie().find((line) => line.startsWith('stabletill-login='));
    expect(set).toMatch(/; Path=\/.*; HttpOnly; SameSite=Lax$/);
    expect(cookie).not.toContain(user.id);
  });

  test('D-04: sets cookies over https that browsers keep for this host alone', async () => {
    const user = await https.user();
    const { response } = await signIn(https, { email: user.email, password: PASSWORD });
    const lines = response.headers.getSetCookie();
    expect(lines.some((line) => line.startsWith('__Host-stabletill-login='))).toBe(true);
    for (const line of lines) {
      expect(line).toMatch(/^__Host-/);
      expect(line).toMatch(/; Secure/);
      expect(line).toMatch(/; HttpOnly/);
      expect(line).toMatch(/; SameSite=Lax/);
      expect(line).toMatch(/; Path=\/(;|$)/);
      expect(line).not.toMatch(/Domain/i);
    }
  });

  test('D-03: continues from password to code with the cookie of the first stage, whose value then becomes invalid', async () => {
    const user = await accounts.user({ hasTotp: true });
    const first = await signIn(accounts, { email: user.email, password: PASSWORD });
    expect(await signedInUser(accounts.context, first.cookie)).toMatchObject({ isComplete: false });
    const wrong = await signIn(accounts, { code: '000000' }, first.cookie);
    expect([wrong.response.status, wrong.body.error]).toEqual([401, 'sign_in_failed']);
    const code = totpCode(user.totp ?? '', accounts.clock.now());
    const second = await signIn(accounts, { code }, first.cookie);
    expect(await signedInUser(accounts.context, second.cookie)).toMatchObject({ userId: user.id, isComplete: true });
    expect(await signedInUser(accounts.context, first.cookie)).toBeNull();
  });

  test('D-03: begins a new login whatever cookie was sent, and ends the former login', async () => {
    const user = await accounts.user();
    const planted = (await signIn(accounts, { email: user.email, password: PASSWORD })).cookie;
    const before = await signedInUser(accounts.context, planted);
    const other = await accounts.user();
    await signIn(accounts, { email: other.email, password: 'a wrong password' }, planted);
    expect(await signedInUser(accounts.context, planted)).toMatchObject({ userId: user.id });
    const { cookie } = await signIn(accounts, { email: other.email, password: PASSWORD }, planted);
    const now = await signedInUser(accounts.context, cookie);
    expect(now).toMatchObject({ userId: other.id, isComplete: true });
    expect(now?.loginId).not.toBe(before?.loginId);
    expect(await signedInUser(accounts.context, planted)).toBeNull();
  });

  test.each([
    [{ email: 'nobody@example.test', password: 'whatever it may be' }],
    [{ email: '', password: '' }],
    [{ email: 'x'.repeat(2000), password: PASSWORD }],
    [{ passkey: '{"id":' }],
    [{ code: '123456' }],
  ])('answers %j with a code and no cookie', async (fields) => {
    const { response, cookie, body } = await signIn(accounts, fields);
    expect(response.status).toBe(401);
    expect(['sign_in_failed', 'not_signed_in']).toContain(body.error);
    expect(body.url).toBe(`${accounts.config.PUBLIC_URL}/login?error=${body.error}`);
    expect(cookie).not.toContain('stabletill-login');
  });

  test('D-01: refuses requests from other sites or without its token', async () => {
    const user = await accounts.user();
    const form = { email: user.email, password: PASSWORD };
    const post = (headers: Record<string, string>) =>
      call(accounts, '/api/auth/callback/credentials', { method: 'POST', form, headers });
    await expect(post({ origin: 'https://evil.example' })).rejects.toMatchObject({ code: 'origin_refused' });
    await expect(post({ 'sec-fetch-site': 'cross-site' })).rejects.toMatchObject({ code: 'origin_refused' });
    const response = await post({});
    expect(response.headers.get('location')).toBe(`${accounts.config.PUBLIC_URL}/login?error=origin_refused`);
    expect(jar(response)).not.toContain('stabletill-login');
  });

  test.each([
    '/api/auth/session',
    '/api/auth/signin',
    '/api/auth/error',
    '/api/auth/verify-request',
    '/api/auth/_log',
    '/api/auth/',
    '/api/auth/callback/credentials',
  ])('has no %s', async (path) => {
    await expect(call(accounts, path)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  test('D-05, D-09: signs out permanently: a copied cookie is worthless', async () => {
    const user = await accounts.user();
    const { cookie } = await signIn(accounts, { email: user.email, password: PASSWORD });
    const csrf = await call(accounts, '/api/auth/csrf', { cookie });
    const form = { csrfToken: ((await csrf.json()) as { csrfToken: string }).csrfToken, json: 'true' };
    await call(accounts, '/api/auth/signout', { method: 'POST', cookie: jar(csrf, cookie), form });
    expect(await signedInUser(accounts.context, cookie)).toBeNull();
  });
});

describe('a browser counts as signed out with', () => {
  test.each([null, undefined, '', 'a=b', 'stabletill-login=', 'stabletill-login=x.y.z', 'stabletill-login=undefined'])(
    '%j',
    async (header) => {
      expect(await signedInUser(accounts.context, header)).toBeNull();
    },
  );

  test('D-08: a token that is expired, unsigned, of another key or without our value, or the cookie twice', async () => {
    const user = await accounts.user();
    const token = await accounts.login(user.id);
    const good = await cookieOf(accounts.context, token);
    expect(await signedInUser(accounts.context, good)).toMatchObject({ userId: user.id });
    const name = cookieNames(accounts.config).sessionToken.name;
    const foreign = await cookieOf(https.context, token);
    const key = new Uint8Array(32).fill(7);
    const sealed = await new EncryptJWT({ token }).setProtectedHeader({ alg: 'dir', enc: 'A256GCM' }).encrypt(key);
    const expired = await new EncryptJWT({ token })
      .setProtectedHeader({ alg: 'dir', enc: 'A256GCM' })
      .setExpirationTime(1)
      .encrypt(key);
    const unsigned = new UnsecuredJWT({ token }).encode();
    for (const value of [foreign.split('=')[1], sealed, expired, unsigned, token, `${good.split('=')[1]}x`])
      expect(await signedInUser(accounts.context, `${name}=${value}`)).toBeNull();
    expect(await signedInUser(accounts.context, `${good}; ${good}`)).toBeNull();
    for (const invalid of [{}, null, '', 'x', ['a'.repeat(43)], { token }])
      expect(await signedInUser(accounts.context, await cookieOf(accounts.context, invalid as string))).toBeNull();
  });

  test('a token of the right key by any other algorithm than ours', async () => {
    const user = await accounts.user();
    const token = await accounts.login(user.id);
    const { name } = cookieNames(accounts.config).sessionToken;
    // As next-auth derives it.
    const label = 'NextAuth.js Generated Encryption Key';
    const key = new Uint8Array(hkdfSync('sha256', cookieSecret(accounts.config), '', label, 32));
    const seal = (alg: string, enc: string) => new EncryptJWT({ token }).setProtectedHeader({ alg, enc }).encrypt(key);
    const who = async (value: string) => signedInUser(accounts.context, `${name}=${value}`);
    expect(await who(await seal('dir', 'A256GCM'))).toMatchObject({ userId: user.id });
    for (const [alg, enc] of [
      ['A256KW', 'A256GCM'],
      ['A256GCMKW', 'A256CBC-HS512'],
    ] as const)
      expect(await who(await seal(alg, enc))).toBeNull();
  });

  test.each([
    {},
    null,
    undefined,
    new Error('configuration'),
    Promise.resolve({}),
    { error: 'x' },
    { userId: 'x' },
    [],
    'user',
  ])('D-08: an unexpected result of the layer below: %s', (result) => {
    expect(() => authorize(accounts.context, result as never, { permission: 'account' })).toThrow(
      expect.objectContaining({ code: 'not_signed_in' }),
    );
  });
});

describe('the way back', () => {
  const PUBLIC = 'https://pay.example';
  test.each([
    '//evil.example',
    '/\\evil.example',
    '\\\\evil.example',
    'https:evil.example',
    'https://evil.example',
    'https://pay.example.evil.example/',
    'https://pay.example@evil.example/',
    'javascript:alert(1)',
    '/\t/evil.example',
    '/\n/evil.example',
    ' //evil.example',
    '/..//evil.example',
    'data:text/html,x',
    '',
    'dashboard',
    `/${'x'.repeat(3000)}`,
    '/api/auth/signout',
    '/api/dashboard/sign-out',
    '/./api/auth/signout',
    '/\u202e/x',
    '/%2e%2e//evil.example',
    null,
    undefined,
  ])('D-22: %j leads to the dashboard', (wish) => {
    expect(safePath(wish, PUBLIC)).toBe('/dashboard');
  });
  test.each([
    ['/dashboard/st_1/live/payments?q=a%2Fb#x', '/dashboard/st_1/live/payments?q=a%2Fb#x'],
    ['https://pay.example/operator', '/operator'],
    ['/%2F%2Fevil.example', '/%2F%2Fevil.example'],
    ['/', '/'],
  ])('D-22: %s leads to %s', (wish, place) => {
    expect(safePath(wish, PUBLIC)).toBe(place);
    expect(new URL(place, PUBLIC).origin).toBe(PUBLIC);
  });
});
