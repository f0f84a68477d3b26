// Signing in, staying signed in and being signed out (rows D-03, D-05, D-06, D-09, D-10, D-13 to D-16, D-20).

import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { verifyPassword } from '@/lib/merchants/accounts/password/password';
import { FROM, openAccounts, PASSWORD, type Accounts, type TestUser } from '@/testing/accounts';
import { changePassword } from '@/lib/merchants/accounts/password/change-password';
import { endDevices, listDevices } from './devices';
import { requestSource } from '@/lib/merchants/accounts/request-source';
import { ABSOLUTE_SECONDS, findLogin, IDLE_SECONDS, signOut, STEP_UP_SECONDS } from './logins';
import { makeRecoveryCodes } from '@/lib/merchants/accounts/second-factor/recovery-codes';
import { completeSignIn, signInByPassword } from './sign-in';
import { stepUp } from '@/lib/merchants/accounts/second-factor/step-up';
import { totpCode } from '@/lib/merchants/accounts/second-factor/totp';
import { confirmTotp, enrolTotp, removeTotp } from '@/lib/merchants/accounts/second-factor/two-factor';
import { disableUser } from '@/lib/merchants/accounts/users-admin';

// A spy, not a stub: its calls show which work was done. A stopwatch would be unreliable on a busy machine.
vi.mock('@/lib/merchants/accounts/password/password', async (original) => {
  const real = await original<typeof import('@/lib/merchants/accounts/password/password')>();
  return { ...real, verifyPassword: vi.fn<typeof real.verifyPassword>(real.verifyPassword) };
});

let accounts: Accounts;
beforeAll(async () => {
  accounts = await openAccounts({}, 20);
});
afterAll(() => accounts.close());

const password = ({ email }: Pick<TestUser, 'email'>, over: Partial<{ password: string; address: string }> = {}) =>
  signInByPassword(accounts.context, {
    email,
    password: over.password ?? PASSWORD,
    from: over.address === undefined ? FROM : requestSource(over.address, 'Test browser'),
  });
const codeOf = (user: TestUser) => totpCode(user.totp ?? '', accounts.clock.now());
const complete = (token: string, code: string) =>
  completeSignIn(accounts.context, { token, proof: { code }, from: FROM });
const who = (token: string) => findLogin(accounts.context, token);
const whoNow = async (token: string) => (await who(token))!;
let lastAddress = 0;
const elsewhere = () => `198.51.${100 + (++lastAddress >> 8)}.${lastAddress & 255}`;

describe('a password', () => {
  test('signs in a user without a second factor', async () => {
    const user = await accounts.user();
    const { token, isComplete } = await password(user);
    expect(isComplete).toBe(true);
    expect(await who(token)).toMatchObject({ userId: user.id, role: 'merchant', isComplete: true, memberships: [] });
  });

  test('D-14: a wrong one and an unknown account get the same answer after the same work', async () => {
    const user = await accounts.user();
    const disabled = await accounts.user();
    await accounts.database.pool.query('UPDATE users SET disabled_at = now() WHERE id = $1', [disabled.id]);
    const attempt = async (email: string, typed: string) => {
      vi.mocked(verifyPassword).mockClear();
      const error = await password({ email }, { password: typed, address: elsewhere() }).catch((e: unknown) => e);
      const { code, message, status } = error as { code: string; message: string; status: number };
      return { code, message, status, compared: vi.mocked(verifyPassword).mock.calls.length };
    };
    const wrong = await attempt(user.email, 'not the password');
    expect(wrong).toMatchObject({ code: 'sign_in_failed', compared: 1 });
    expect(await attempt('nobody@example.test', PASSWORD)).toEqual(wrong);
    expect(await attempt('no address at all', PASSWORD)).toEqual(wrong);
    expect(await attempt(disabled.email, PASSWORD)).toEqual(wrong);
  });

  test('does not sign in before the address is confirmed, with the same answer as a wrong one', async () => {
    const user = await accounts.user();
    await accounts.database.pool.query('UPDATE users SET email_confirmed_at = NULL WHERE id = $1', [user.id]);
    await expect(password(user)).rejects.toMatchObject({ code: 'sign_in_failed' });
  });
});

describe('between password and second factor', () => {
  test('D-03, D-10: a login may do nothing, and gets another value afterwards', async () => {
    const user = await accounts.user({ hasTotp: true });
    const first = await password(user);
    expect(first.isComplete).toBe(false);
    expect(await who(first.token)).toMatchObject({ isComplete: false, stepUpAt: null });
    const second = await complete(first.token, codeOf(user));
    expect(await who(first.token)).toBeNull();
    expect(await who(second.token)).toMatchObject({ userId: user.id, isComplete: true });
  });

  test('a login expires after ten minutes', async () => {
    const user = await accounts.user({ hasTotp: true });
    const { token } = await password(user);
    accounts.clock.advance(601);
    expect(await who(token)).toBeNull();
    await expect(complete(token, codeOf(user))).rejects.toMatchObject({ code: 'not_signed_in' });
  });

  test('D-15: a code is valid once, in its own half minute, for its own user', async () => {
    const [user, other] = [await accounts.user({ hasTotp: true }), await accounts.user({ hasTotp: true })];
    const { token } = await password(user);
    const at = (seconds: number) =>
      totpCode(user.totp ?? '', new Date(accounts.clock.now().getTime() + seconds * 1000));
    for (const code of [at(-30), at(30), codeOf(other), '000000', '', '12345', 'x'.repeat(40)]) {
      await expect(complete(token, code)).rejects.toMatchObject({ code: 'sign_in_failed' });
      accounts.clock.advance(0);
      await accounts.database.pool.query('DELETE FROM throttles');
    }
    const code = codeOf(user);
    const { token: second } = await password(user);
    const outcomes = await Promise.allSettled([complete(token, code), complete(second, code)]);
    expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    const { token: third } = await password(user);
    await expect(complete(third, code)).rejects.toMatchObject({ code: 'sign_in_failed' });
    accounts.clock.advance(30);
    expect(await complete(third, codeOf(user))).toMatchObject({ isComplete: true });
  });

  test('D-15: a thousand guesses of a code are reduced to a handful an hour', async () => {
    const user = await accounts.user({ hasTotp: true });
    const { token } = await password(user);
    const codes = await Promise.allSettled(
      Array.from({ length: 100 }, (_, n) => complete(token, String(n).padStart(6, '0'))),
    );
    const looked = codes.filter((one) => one.status === 'rejected' && one.reason.code === 'sign_in_failed');
    expect(looked.length).toBeLessThanOrEqual(5);
    expect(codes.filter(({ status }) => status === 'fulfilled')).toEqual([]);
  });

  test('D-16: a recovery code replaces the authenticator once, even when sent concurrently', async () => {
    const user = await accounts.user({ hasTotp: true });
    const codes = await makeRecoveryCodes(accounts.database.pool, user.id);
    expect(new Set(codes).size).toBe(10);
    const tokens = await Promise.all([password(user), password(user), password(user)]);
    const outcomes = await Promise.allSettled(tokens.map(({ token }) => complete(token, codes[0] as string)));
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const { rows } = await accounts.database.pool.query('SELECT code_hash FROM recovery_codes WHERE user_id = $1', [
      user.id,
    ]);
    expect(rows.some(({ code_hash }) => codes.includes(String(code_hash)))).toBe(false);
    const { token } = await password(user);
    expect(await complete(token, (codes[1] as string).replaceAll('-', ' '))).toMatchObject({ isComplete: true });
  });

  test('a recovery code carries at least 112 bits, so that a plain digest protects it', async () => {
    const user = await accounts.user({ hasTotp: true });
    const ALPHABET_BITS = Math.log2(62);
    for (const code of await makeRecoveryCodes(accounts.database.pool, user.id)) {
      expect(code).toMatch(/^[0-9A-Za-z]+(-[0-9A-Za-z]+)+$/);
      expect(code.replaceAll('-', '').length * ALPHABET_BITS).toBeGreaterThanOrEqual(112);
    }
  });
});

describe('a login', () => {
  test('D-06: ends after half an hour without use, and after twelve hours of use', async () => {
    const user = await accounts.user();
    const { token } = await password(user);
    accounts.clock.advance(IDLE_SECONDS - 1);
    expect(await who(token)).not.toBeNull();
    accounts.clock.advance(IDLE_SECONDS - 1);
    expect(await who(token)).not.toBeNull();
    accounts.clock.advance(IDLE_SECONDS);
    expect(await who(token)).toBeNull();
    const { token: used } = await password(user);
    for (let hours = 0; hours < ABSOLUTE_SECONDS / 1200 - 1; hours++) {
      accounts.clock.advance(1200);
      expect(await who(used)).not.toBeNull();
    }
    accounts.clock.advance(1200);
    expect(await who(used)).toBeNull();
  });

  test('D-05, D-09: is invalid at once after signing out, although its cookie still exists', async () => {
    const user = await accounts.user();
    const { token } = await password(user);
    await signOut(accounts.context, token);
    expect(await who(token)).toBeNull();
  });

  test('D-05: ends with the password on every other device, and with the user', async () => {
    const user = await accounts.user();
    const operator = await accounts.user({ role: 'operator' });
    const [here, there] = [await password(user), await password(user)];
    await changePassword(accounts.context, await whoNow(here.token), {
      current: PASSWORD,
      password: 'another good one',
      from: FROM,
    });
    expect(await who(there.token)).toBeNull();
    expect(await who(here.token)).not.toBeNull();
    await disableUser(accounts.context, { userId: operator.id, by: `user:${operator.id}`, address: '' }, user.id);
    expect(await who(here.token)).toBeNull();
  });

  test('D-05: can be ended from another device of the same user, and by no other user', async () => {
    const [user, other] = [await accounts.user(), await accounts.user()];
    const [here, there, theirs] = [await password(user), await password(user), await password(other)];
    const mine = await whoNow(here.token);
    const devices = await listDevices(accounts.context, mine);
    expect(devices.map(({ isCurrent }) => `${isCurrent}`).toSorted()).toEqual(['false', 'true']);
    const stranger = await whoNow(theirs.token);
    await expect(endDevices(accounts.context, stranger, { id: mine.loginId, from: FROM })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
    await endDevices(accounts.context, mine, { id: null, from: FROM });
    expect(await who(there.token)).toBeNull();
    expect(await who(here.token)).not.toBeNull();
    expect(await who(theirs.token)).not.toBeNull();
  });

  test.each(['', 'x', 'ak_test_0123456789', `${'A'.repeat(43)}'`, '\u0000'.repeat(43)])(
    'is not found by %j',
    async (value) => {
      expect(await who(value)).toBeNull();
    },
  );

  test('D-20: stores only visible characters of its browser’s name', async () => {
    const user = await accounts.user();
    const from = requestSource('203.0.113.9\r\nx', `Evil\r\n\u001b[31mred\u202e \${jndi:ldap://x} ${'y'.repeat(999)}`);
    const { token } = await signInByPassword(accounts.context, { email: user.email, password: PASSWORD, from });
    const [device] = await listDevices(accounts.context, await whoNow(token));
    expect(device?.userAgent).toMatch(/^[\x20-\x7e]{1,300}$/);
    expect(device?.address).toBe('203.0.113.9x');
  });
});

describe('guessing', () => {
  test('D-13: a thousand passwords of one account are reduced to a handful an hour', async () => {
    const user = await accounts.user();
    const attempts = await Promise.allSettled(
      Array.from({ length: 100 }, (_, n) => password(user, { password: `guess number ${n}`, address: elsewhere() })),
    );
    const codes = attempts.map((one) => (one.status === 'rejected' ? one.reason.code : 'in'));
    expect(codes.filter((code) => code === 'sign_in_failed').length).toBeLessThanOrEqual(5);
    expect(codes.filter((code) => code === 'RATE_LIMITED').length).toBeGreaterThanOrEqual(95);
  });

  test('D-13: never locks the owner out for longer than a quarter of an hour, nor at a place where they signed in before', async () => {
    const user = await accounts.user();
    await password(user);
    for (let n = 0; n < 30; n++) {
      await password(user, { password: 'a wrong password', address: elsewhere() }).catch(() => {});
      accounts.clock.advance(10);
    }
    await expect(password(user, { address: elsewhere() })).rejects.toMatchObject({ code: 'RATE_LIMITED' });
    expect(await password(user)).toMatchObject({ isComplete: true });
    accounts.clock.advance(15 * 60);
    expect(await password(user, { address: elsewhere() })).toMatchObject({ isComplete: true });
  });

  test('D-13: one password of a thousand accounts is stopped by the address', async () => {
    const address = elsewhere();
    const emails = Array.from({ length: 60 }, (_, n) => `nobody${n}@example.test`);
    const attempts = await Promise.allSettled(emails.map((email) => password({ email }, { address })));
    const codes = attempts.map((one) => (one.status === 'rejected' ? one.reason.code : 'in'));
    expect(codes.filter((code) => code === 'sign_in_failed').length).toBeLessThanOrEqual(50);
    expect(codes).toContain('RATE_LIMITED');
  });
});

describe('an authenticator', () => {
  test('D-15: takes effect only after one of its codes, signs other devices out, and may be half a minute off', async () => {
    const user = await accounts.user();
    const [here, there] = [await password(user), await password(user)];
    const { secret } = await enrolTotp(accounts.context, await whoNow(here.token));
    expect(await password(user)).toMatchObject({ isComplete: true });
    const at = (seconds: number) => totpCode(secret, new Date(accounts.clock.now().getTime() + seconds * 1000));
    const confirm = async (code: string) =>
      confirmTotp(accounts.context, await whoNow(here.token), { code, from: FROM });
    await expect(confirm(at(-90))).rejects.toMatchObject({ code: 'sign_in_failed' });
    const { recovery_codes } = await confirm(at(-30));
    expect(recovery_codes).toHaveLength(10);
    expect(await who(there.token)).toBeNull();
    expect(await who(here.token)).toMatchObject({ isComplete: true });
    const { token } = await password(user);
    await expect(complete(token, at(-30))).rejects.toMatchObject({ code: 'sign_in_failed' });
    accounts.clock.advance(30);
    expect(await complete(token, at(-30))).toMatchObject({ isComplete: true });
    await expect(enrolTotp(accounts.context, await whoNow(here.token))).rejects.toMatchObject({
      code: 'INVALID_PARAMETER',
    });
    await removeTotp(accounts.context, await whoNow(here.token), FROM);
    const { rows } = await accounts.database.pool.query('SELECT 1 FROM recovery_codes WHERE user_id = $1', [user.id]);
    expect(rows).toEqual([]);
    expect(await password(user)).toMatchObject({ isComplete: true });
  });
});

describe('a step-up', () => {
  test('D-17: needs password and second factor, lasts five minutes, and is in the audit log', async () => {
    const user = await accounts.user({ hasTotp: true });
    const { token: pending } = await password(user);
    const { token } = await complete(pending, codeOf(user));
    accounts.clock.advance(STEP_UP_SECONDS);
    const login = await whoNow(token);
    const show = (shown: { password: string; code?: string }) => stepUp(accounts.context, login, { shown, from: FROM });
    await expect(show({ password: PASSWORD })).rejects.toMatchObject({ code: 'second_factor_needed' });
    await expect(show({ password: 'a wrong password', code: codeOf(user) })).rejects.toMatchObject({
      code: 'sign_in_failed',
    });
    await expect(show({ password: PASSWORD, code: '000000' })).rejects.toMatchObject({ code: 'sign_in_failed' });
    expect((await whoNow(token)).stepUpAt).toEqual(login.stepUpAt);
    const renewed = await show({ password: PASSWORD, code: codeOf(user) });
    expect((await whoNow(renewed)).stepUpAt).toEqual(accounts.clock.now());
    const { rows } = await accounts.database.pool.query(
      `SELECT 1 FROM audit_entries WHERE actor = $1 AND action = 'account.step_up'`,
      [`user:${user.id}`],
    );
    expect(rows).toHaveLength(1);
  });

  test('D-03: gives the login another value, so an earlier copy of the cookie is worthless', async () => {
    const user = await accounts.user();
    const { token } = await password(user);
    const login = await whoNow(token);
    const shown = { password: PASSWORD };
    const renewed = await stepUp(accounts.context, login, { shown, from: FROM });
    expect(await who(token)).toBeNull();
    expect((await whoNow(renewed)).loginId).toBe(login.loginId);
    await signOut(accounts.context, renewed);
    await expect(stepUp(accounts.context, login, { shown, from: FROM })).rejects.toMatchObject({
      code: 'not_signed_in',
    });
  });
});
