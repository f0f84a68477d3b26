// Signing up, links of mails, and the first operator (rows D-11, D-12, D-14, D-19).

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { normalEmail } from '@/lib/merchants/accounts/users';
import { FROM, openAccounts, PASSWORD, type Accounts } from '@/testing/accounts';
import { changeEmail, requestEmailChange } from './change-email';
import { changePassword } from './password/change-password';
import { confirmEmail } from './confirm';
import { endDevices } from './sign-in/devices';
import { requestSource } from './request-source';
import { findLogin } from './sign-in/logins';
import { requestReset, resetPassword } from './password/reset';
import { openSetup, setUp } from './setup';
import { signInByPassword } from './sign-in/sign-in';
import { signUp } from './sign-up';
import { FREE } from './sign-in/throttle';

let accounts: Accounts;
beforeAll(async () => {
  accounts = await openAccounts();
});
afterAll(() => accounts.close());

let made = 0;
const newEmail = () => `person${++made}@shop.example`;
const NEW = 'another good password';
const signIn = (email: string, password = PASSWORD) =>
  signInByPassword(accounts.context, { email, password, from: FROM });
const tokenFor = async (email: string) => (await accounts.lastMail(email))?.token ?? '';
const mails = async (email: string) =>
  (await accounts.database.pool.query('SELECT subject FROM mails WHERE recipient = $1', [email])).rows.length;

describe('signing up', () => {
  test('D-14: answers the same for an address that has an account; only the mailbox learns it', async () => {
    const user = await accounts.user();
    expect(await signUp(accounts.context, { email: user.email, from: FROM })).toBeUndefined();
    expect(await signUp(accounts.context, { email: newEmail(), from: FROM })).toBeUndefined();
    expect((await accounts.lastMail(user.email))?.subject).toBe('You have an account already');
    await expect(signIn(user.email, NEW)).rejects.toMatchObject({ code: 'sign_in_failed' });
    expect(await signIn(user.email)).toMatchObject({ isComplete: true });
  });

  test('ends when the link has set a password: a stranger who signed up with an address knows nothing that opens it', async () => {
    const email = newEmail();
    await signUp(accounts.context, { email, from: FROM });
    const strangers = await tokenFor(email);
    await signUp(accounts.context, { email, from: FROM });
    const token = await tokenFor(email);
    await expect(confirmEmail(accounts.context, { token: strangers, password: NEW })).rejects.toMatchObject({
      code: 'link_invalid',
    });
    for (const nothing of ['', PASSWORD])
      await expect(signIn(email, nothing)).rejects.toMatchObject({ code: 'sign_in_failed' });
    expect(await confirmEmail(accounts.context, { token, password: NEW })).toEqual({ email });
    expect(await signIn(email, NEW)).toMatchObject({ isComplete: true });
    await expect(confirmEmail(accounts.context, { token, password: PASSWORD })).rejects.toMatchObject({
      code: 'link_invalid',
    });
    await signUp(accounts.context, { email, from: FROM });
    expect(await signIn(email, NEW)).toMatchObject({ isComplete: true });
  });

  test('a link that is opened twice at once sets one password', async () => {
    const email = newEmail();
    await signUp(accounts.context, { email, from: FROM });
    const token = await tokenFor(email);
    const both = await Promise.allSettled(
      [NEW, PASSWORD].map((password) => confirmEmail(accounts.context, { token, password })),
    );
    expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    const opens = await Promise.allSettled([NEW, PASSWORD].map((password) => signIn(email, password)));
    expect(opens.map(({ status }) => status)).toEqual(both.map(({ status }) => status));
  });

  test('a link from before another confirmation, or of a disabled account, sets no password', async () => {
    for (const change of ['email_confirmed_at = now()', 'disabled_at = now()']) {
      const email = newEmail();
      await signUp(accounts.context, { email, from: FROM });
      await accounts.database.pool.query(`UPDATE users SET ${change} WHERE email = $1`, [email]);
      const given = { token: await tokenFor(email), password: NEW };
      await expect(confirmEmail(accounts.context, given)).rejects.toMatchObject({ code: 'link_invalid' });
      await expect(signIn(email, NEW)).rejects.toMatchObject({ code: 'sign_in_failed' });
    }
  });

  test.each(['short', 'x'.repeat(257), 'password123', '1234567890', 'aaaaaaaaaaaa', 'qwertyuiop'])(
    'D-19: refuses the password %j, and the link stays good',
    async (password) => {
      const email = newEmail();
      await signUp(accounts.context, { email, from: FROM });
      const token = await tokenFor(email);
      await expect(confirmEmail(accounts.context, { token, password })).rejects.toMatchObject({
        code: 'INVALID_PARAMETER',
        param: 'password',
      });
      expect(await confirmEmail(accounts.context, { token, password: NEW })).toEqual({ email });
    },
  );

  test('D-13: is limited by address', async () => {
    const from = requestSource('198.51.100.77', 'Test browser');
    const attempt = () =>
      signUp(accounts.context, { email: newEmail(), from }).then(
        () => 'done',
        (error: { code: string }) => error.code,
      );
    const codes: string[] = [];
    for (let n = 0; n < FREE.address + 2; n++) codes.push(await attempt());
    expect(codes.slice(0, FREE.address)).toEqual(Array(FREE.address).fill('done'));
    expect(codes.at(-1)).toBe('RATE_LIMITED');
  });

  test.each(['a1b2c3d4e5'.repeat(10), 'пароль-для-входа', 'correct horse battery staple'])(
    'D-19: takes %j whole',
    async (password) => {
      const email = newEmail();
      await signUp(accounts.context, { email, from: FROM });
      await confirmEmail(accounts.context, { token: await tokenFor(email), password });
      await expect(signIn(email, password.slice(0, -1))).rejects.toMatchObject({ code: 'sign_in_failed' });
      expect(await signIn(email, password)).toMatchObject({ isComplete: true });
    },
  );

  test.each([
    '"a@evil.example"@shop.example',
    'person＠shop.example',
    'a@b@shop.example',
    'pérson@shop.example',
    'a\r\nBcc: x@evil.example@shop.example',
    `${'x'.repeat(320)}@shop.example`,
    'person@shop',
    '\u212Aim@shop.example',
    'a b@shop.example',
    '<a@shop.example>',
    'a@shop.example,b@evil.example',
  ])('D-12: sends nothing to %j', async (email) => {
    await expect(signUp(accounts.context, { email, from: FROM })).rejects.toMatchObject({
      param: 'email',
    });
    expect(await mails(email)).toBe(0);
  });

  test('D-12: treats every spelling of an address as the same account', () => {
    expect(normalEmail(' Person@Shop.Example ')).toBe('person@shop.example');
    expect(normalEmail('person+shop@shop.example')).toBe('person+shop@shop.example');
  });
});

describe('a forgotten password', () => {
  test('D-11: is reset by a link of the public address, once, within a quarter of an hour, and every device is signed out', async () => {
    const user = await accounts.user();
    const { token: login } = await signIn(user.email);
    await requestReset(accounts.context, { email: user.email, from: FROM });
    const mail = await accounts.lastMail(user.email);
    expect(mail?.text).toContain(`${accounts.config.PUBLIC_URL}/reset?token=${mail?.token}`);
    const { rows } = await accounts.database.pool.query('SELECT token_hash, m.body FROM account_links, mails m');
    expect(JSON.stringify(rows)).not.toContain(mail?.token);
    const reset = (token: string) => resetPassword(accounts.context, { token, password: NEW, from: FROM });
    await expect(
      resetPassword(accounts.context, { token: mail?.token ?? '', password: 'short', from: FROM }),
    ).rejects.toMatchObject({ param: 'password' });
    const outcomes = await Promise.allSettled([reset(mail?.token ?? ''), reset(mail?.token ?? '')]);
    expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    expect(await findLogin(accounts.context, login)).toBeNull();
    expect(await signIn(user.email, NEW)).toMatchObject({ isComplete: true });
    await requestReset(accounts.context, { email: user.email, from: FROM });
    const late = await tokenFor(user.email);
    accounts.clock.advance(15 * 60);
    await expect(reset(late)).rejects.toMatchObject({ code: 'link_invalid' });
  });

  test('D-11: has one link at a time, and no link outlives a change of the address', async () => {
    const user = await accounts.user();
    await requestReset(accounts.context, { email: user.email, from: FROM });
    const first = await tokenFor(user.email);
    await requestReset(accounts.context, { email: user.email, from: FROM });
    const second = await tokenFor(user.email);
    const reset = (token: string) => resetPassword(accounts.context, { token, password: NEW, from: FROM });
    await expect(reset(first)).rejects.toMatchObject({ code: 'link_invalid' });
    await accounts.database.pool.query('UPDATE users SET email = $2 WHERE id = $1', [user.id, newEmail()]);
    await expect(reset(second)).rejects.toMatchObject({ code: 'link_invalid' });
  });

  test('D-14: without an account gets the same answer and leaves no rows', async () => {
    const email = newEmail();
    expect(await requestReset(accounts.context, { email, from: FROM })).toBeUndefined();
    expect(await mails(email)).toBe(0);
    const { rows } = await accounts.database.pool.query('SELECT 1 FROM account_links WHERE email = $1', [email]);
    expect(rows).toEqual([]);
  });
});

describe('a new e-mail address', () => {
  test('takes effect when its mailbox confirms it; the old one is notified, and every device is signed out', async () => {
    const user = await accounts.user();
    const { token: login } = await signIn(user.email);
    const who = (await findLogin(accounts.context, login))!;
    const email = newEmail();
    await requestEmailChange(accounts.context, who, { email, from: FROM });
    expect(await signIn(user.email)).toMatchObject({ isComplete: true });
    const token = await tokenFor(email);
    await changeEmail(accounts.context, { token, from: FROM });
    expect(await findLogin(accounts.context, login)).toBeNull();
    expect(await signIn(email)).toMatchObject({ userId: user.id });
    expect((await accounts.lastMail(user.email))?.text).toContain(email);
    await expect(changeEmail(accounts.context, { token, from: FROM })).rejects.toMatchObject({ code: 'link_invalid' });
  });

  test('that another account has, or takes meanwhile, is refused', async () => {
    const [user, other] = [await accounts.user(), await accounts.user()];
    const who = (await findLogin(accounts.context, (await signIn(user.email)).token))!;
    await requestEmailChange(accounts.context, who, { email: other.email, from: FROM });
    expect(await mails(other.email)).toBe(0);
    const email = newEmail();
    await requestEmailChange(accounts.context, who, { email, from: FROM });
    const token = await tokenFor(email);
    await accounts.user({ email });
    await expect(changeEmail(accounts.context, { token, from: FROM })).rejects.toMatchObject({ code: 'link_invalid' });
    expect(await signIn(user.email)).toMatchObject({ userId: user.id });
  });
});

describe('a link that an attacker may have requested', () => {
  test('is reported to the present mailbox and the audit log when it is requested', async () => {
    const [user, other] = [await accounts.user(), await accounts.user()];
    const who = (await findLogin(accounts.context, (await signIn(user.email)).token))!;
    for (const email of [newEmail(), other.email]) {
      await requestEmailChange(accounts.context, who, { email, from: FROM });
      const notice = await accounts.lastMail(user.email);
      expect(notice?.subject).toBe('A change of your e-mail address was requested');
      expect(notice?.text).toContain(email);
      expect(notice?.token).toBe('');
    }
    const entries = await accounts.database.prisma.auditEntry.findMany({
      where: { target: user.id, action: { not: 'account.sign_in' } },
    });
    expect(entries.map(({ action, address }) => [action, address])).toEqual([
      ['account.email_ask', FROM.address],
      ['account.email_ask', FROM.address],
    ]);
  });

  test.each(['a reset password', 'a changed password', 'signing all other devices out'])(
    'is void after %s',
    async (by) => {
      const user = await accounts.user();
      const who = (await findLogin(accounts.context, (await signIn(user.email)).token))!;
      const email = newEmail();
      await requestEmailChange(accounts.context, who, { email, from: FROM });
      const change = await tokenFor(email);
      await requestReset(accounts.context, { email: user.email, from: FROM });
      const reset = await tokenFor(user.email);
      if (by === 'a reset password') await resetPassword(accounts.context, { token: reset, password: NEW, from: FROM });
      if (by === 'a changed password')
        await changePassword(accounts.context, who, { current: PASSWORD, password: NEW, from: FROM });
      if (by === 'signing all other devices out') await endDevices(accounts.context, who, { id: null, from: FROM });
      await expect(changeEmail(accounts.context, { token: change, from: FROM })).rejects.toMatchObject({
        code: 'link_invalid',
      });
      await expect(
        resetPassword(accounts.context, { token: reset, password: 'a third good password', from: FROM }),
      ).rejects.toMatchObject({ code: 'link_invalid' });
    },
  );
});

describe('the first operator', () => {
  test('costs no password hash without the link, and attempts with it are counted', async () => {
    const fresh = await openAccounts();
    try {
      const token = /token=(\w+)/.exec((await openSetup(fresh.context)) ?? '')?.[1] ?? '';
      // A password that is refused before hashing: the first error shows which check ran first.
      const given = { email: 'one@example.test', password: 'short', from: FROM };
      await expect(setUp(fresh.context, { ...given, token: 'x'.repeat(43) })).rejects.toMatchObject({
        code: 'link_invalid',
      });
      for (let n = 0; n < 50; n++)
        await expect(setUp(fresh.context, { ...given, token })).rejects.toMatchObject({ param: 'password' });
      await expect(setUp(fresh.context, { ...given, token })).rejects.toMatchObject({ code: 'RATE_LIMITED' });
    } finally {
      await fresh.close();
    }
  });

  test('is created by the newest printed link, once, and then no link is printed any more', async () => {
    const fresh = await openAccounts();
    try {
      const former = /token=(\w+)/.exec((await openSetup(fresh.context)) ?? '')?.[1] ?? '';
      const token = /token=(\w+)/.exec((await openSetup(fresh.context)) ?? '')?.[1] ?? '';
      const setup = (with_: string, email: string) =>
        setUp(fresh.context, { token: with_, email, password: PASSWORD, from: FROM });
      await expect(setup(former, 'one@example.test')).rejects.toMatchObject({ code: 'link_invalid' });
      const outcomes = await Promise.allSettled([setup(token, 'one@example.test'), setup(token, 'two@example.test')]);
      expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
      const { rows } = await fresh.database.pool.query("SELECT role FROM users WHERE role = 'operator'");
      expect(rows).toHaveLength(1);
      expect(await openSetup(fresh.context)).toBeNull();
    } finally {
      await fresh.close();
    }
  });
});
