// A password alone adds no second factor, and the database's rules about operators hold under races.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { transaction } from '@/lib/platform/database/db';
import { FROM, openAccounts, PASSWORD, type Accounts, type TestUser } from '@/testing/accounts';
import { makeStore } from '@/testing/fixtures';
import { requestEmailChange } from '@/lib/merchants/accounts/change-email';
import { confirmEmail } from '@/lib/merchants/accounts/confirm';
import { factorSetupUntil } from './factor-setup';
import { findLogin, type Who } from '@/lib/merchants/accounts/sign-in/logins';
import { addPasskey, newPasskeyOptions, type NewPasskeyAnswer } from './passkeys';
import { requestReset, resetPassword } from '@/lib/merchants/accounts/password/reset';
import { openSetup, setUp } from '@/lib/merchants/accounts/setup';
import { signInByPassword } from '@/lib/merchants/accounts/sign-in/sign-in';
import { signUp } from '@/lib/merchants/accounts/sign-up';
import { confirmTotp, enrolTotp } from './two-factor';
import { allowFactor, changeUserRole, makeConfirmLink } from '@/lib/merchants/accounts/users-admin';
import { runAttestOperator } from '@/lib/merchants/accounts/attest-operator-command';

let accounts: Accounts;
beforeAll(async () => void (accounts = await openAccounts()));
afterAll(() => accounts.close());

const signedInUser = async (userId: string) => (await findLogin(accounts.context, await accounts.login(userId)))!;
const operatorOf = (id: string) => ({ userId: id, by: `user:${id}`, address: '' });
const tokenIn = (link: string): string => new URL(link).searchParams.get('token') ?? '';
const PROTECTED = { role: 'operator', hasTotp: true } as const;

describe('the first second factor of an operator', () => {
  test('is refused with only the password, as an authenticator and as a passkey', async () => {
    const who = await signedInUser((await accounts.user({ role: 'operator' })).id);
    await expect(enrolTotp(accounts.context, who)).rejects.toMatchObject({ code: 'FACTOR_SETUP_CLOSED' });
    await expect(newPasskeyOptions(accounts.context, who)).rejects.toMatchObject({ code: 'FACTOR_SETUP_CLOSED' });
    const merchant = await signedInUser((await accounts.user()).id);
    await expect(enrolTotp(accounts.context, merchant)).resolves.toHaveProperty('secret');
  });

  test('is set up within an hour after another operator allowed it, and not later', async () => {
    const [operator, bare] = [await accounts.user(PROTECTED), await accounts.user({ role: 'operator' })];
    await expect(allowFactor(accounts.context, operatorOf(bare.id), bare.id)).rejects.toMatchObject({
      code: 'NOT_YOURSELF',
    });
    await allowFactor(accounts.context, operatorOf(operator.id), bare.id);
    await expect(enrolTotp(accounts.context, await signedInUser(bare.id))).resolves.toHaveProperty('secret');
    accounts.clock.advance(3600);
    await expect(enrolTotp(accounts.context, await signedInUser(bare.id))).rejects.toMatchObject({
      code: 'FACTOR_SETUP_CLOSED',
    });
  });

  test('is allowed by the administrator of the server, and cannot be opened for an operator who has one', async () => {
    const [bare, safe] = [await accounts.user({ role: 'operator' }), await accounts.user(PROTECTED)];
    const run = (...words: string[]) =>
      runAttestOperator(words, { pool: accounts.database.pool, clock: accounts.clock, print: () => {} });
    expect(await run('factor', bare.email)).toBe(0);
    await expect(enrolTotp(accounts.context, await signedInUser(bare.id))).resolves.toHaveProperty('secret');
    expect(await run('factor', safe.email)).toBe(1);
    expect(await run('factor')).toBe(2);
  });

  test('is open for an hour to the operator whom the set-up link created', async () => {
    const fresh = await openAccounts();
    try {
      const token = tokenIn((await openSetup(fresh.context)) ?? '');
      await setUp(fresh.context, { token, email: 'first@example.test', password: PASSWORD, from: FROM });
      const enrol = async () => {
        const given = { email: 'first@example.test', password: PASSWORD, from: FROM };
        const { token: cookie } = await signInByPassword(fresh.context, given);
        return enrolTotp(fresh.context, (await findLogin(fresh.context, cookie))!);
      };
      await expect(enrol()).resolves.toHaveProperty('uri');
      fresh.clock.advance(3601);
      await expect(enrol()).rejects.toMatchObject({ code: 'FACTOR_SETUP_CLOSED' });
    } finally {
      await fresh.close();
    }
  });

  test('lasts an hour', () => {
    expect(factorSetupUntil(new Date(0))).toEqual(new Date(3_600_000));
  });
});

describe('a merchant without a second factor, where mails are sent,', () => {
  let mailing: Accounts;
  beforeAll(async () => void (mailing = await openAccounts({ SMTP_URL: 'smtp://127.0.0.1:9' })));
  afterAll(() => mailing.close());

  const PROOF = { code: 'MAILBOX_PROOF_REQUIRED' };
  const login = async (userId: string) => (await findLogin(mailing.context, await mailing.login(userId)))!;
  const changeTo = (who: Who, email: string) => requestEmailChange(mailing.context, who, { email, from: FROM });

  test('gets no second factor and no other mailbox with only the password', async () => {
    const who = await login((await mailing.user()).id);
    const answer = {} as NewPasskeyAnswer;
    await expect(enrolTotp(mailing.context, who)).rejects.toMatchObject(PROOF);
    await expect(confirmTotp(mailing.context, who, { code: '000000', from: FROM })).rejects.toMatchObject(PROOF);
    await expect(newPasskeyOptions(mailing.context, who)).rejects.toMatchObject(PROOF);
    await expect(addPasskey(mailing.context, who, { name: '', answer, from: FROM })).rejects.toMatchObject(PROOF);
    await expect(changeTo(who, 'thief@example.test')).rejects.toMatchObject(PROOF);
    expect(await mailing.lastMail('thief@example.test')).toBeNull();
    const operator = await login((await mailing.user({ role: 'operator' })).id);
    await expect(changeTo(operator, 'thief@example.test')).rejects.toMatchObject(PROOF);
  });

  test('may do both within an hour after a new password by mail, and an operator may not', async () => {
    const renew = async (of: TestUser) => {
      await requestReset(mailing.context, { email: of.email, from: FROM });
      const token = (await mailing.lastMail(of.email))?.token ?? '';
      await resetPassword(mailing.context, { token, password: 'the password of the owner', from: FROM });
      return login(of.id);
    };
    const who = await renew(await mailing.user());
    await expect(enrolTotp(mailing.context, who)).resolves.toHaveProperty('secret');
    await expect(changeTo(who, 'new@example.test')).resolves.toBeUndefined();
    mailing.clock.advance(3600);
    await expect(enrolTotp(mailing.context, who)).rejects.toMatchObject(PROOF);
    const operator = await renew(await mailing.user({ role: 'operator' }));
    await expect(enrolTotp(mailing.context, operator)).rejects.toMatchObject({ code: 'FACTOR_SETUP_CLOSED' });
  });

  test('who has just confirmed the address sets a factor up at once, and one who has a factor may change the address', async () => {
    const email = 'fresh@example.test';
    await signUp(mailing.context, { email, from: FROM });
    await confirmEmail(mailing.context, { token: (await mailing.lastMail(email))?.token ?? '', password: PASSWORD });
    const { id } = await mailing.database.prisma.user.findUniqueOrThrow({ where: { email } });
    await expect(enrolTotp(mailing.context, await login(id))).resolves.toHaveProperty('secret');
    const safe = await mailing.user({ hasTotp: true });
    await expect(changeTo(await login(safe.id), 'other@example.test')).resolves.toBeUndefined();
  });
});

describe('an address that an operator confirms by hand', () => {
  test('is confirmed by a link that sets the password, so a stranger who signed up last does not get in', async () => {
    const { context } = accounts;
    const [email, stranger] = ['owner@shop.example', 'the password of a stranger'];
    await signUp(context, { email, from: FROM });
    const { id } = await accounts.database.prisma.user.findUniqueOrThrow({ where: { email } });
    const operator = await accounts.user(PROTECTED);
    const link = await makeConfirmLink(context, operatorOf(operator.id), id);
    const signIn = (password: string) => signInByPassword(context, { email, password, from: FROM });
    await expect(signIn(stranger)).rejects.toMatchObject({ code: 'sign_in_failed' });
    await resetPassword(context, { token: tokenIn(link), password: 'the password of the owner', from: FROM });
    await expect(signIn(stranger)).rejects.toMatchObject({ code: 'sign_in_failed' });
    await expect(signIn('the password of the owner')).resolves.toMatchObject({ userId: id });
    await expect(makeConfirmLink(context, operatorOf(operator.id), id)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});

/** Resolves when a statement on this database waits for a lock. */
async function untilStatementWaits(): Promise<void> {
  for (;;) {
    const { rowCount } = await accounts.database.pool.query(
      `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    );
    if (rowCount !== 0) return;
  }
}

describe('an operator', () => {
  test('never becomes a member of a store while a promotion runs, in either order', async () => {
    const { context, database } = accounts;
    const operator = await accounts.user(PROTECTED);
    const { storeId } = await makeStore(database, accounts.config);
    const join = (userId: string) => accounts.member(storeId, userId, 'viewer');
    const promoted = await accounts.user({ hasTotp: true });
    const joining = await transaction(database.pool, async (tx) => {
      await tx.query(`UPDATE users SET role = 'operator' WHERE id = $1`, [promoted.id]);
      const attempt = Promise.allSettled([join(promoted.id)]);
      await untilStatementWaits();
      return { attempt };
    });
    expect((await joining.attempt)[0]).toMatchObject({ status: 'rejected' });
    const member = await accounts.user({ hasTotp: true });
    await join(member.id);
    await expect(
      changeUserRole(context, operatorOf(operator.id), { userId: member.id, role: 'operator' }),
    ).rejects.toMatchObject({ param: 'role' });
    await expect(join(operator.id)).rejects.toThrow('an operator is a member of no store');
    const promote = database.pool.query(`UPDATE users SET role = 'operator' WHERE id = $1`, [member.id]);
    await expect(promote).rejects.toThrow('a member of a store is no operator');
  });

  test('is not promoted when their new store is stored while the promotion waits', async () => {
    const { context, database } = accounts;
    const operator = await accounts.user(PROTECTED);
    const merchant = await accounts.user({ hasTotp: true });
    const { storeId } = await makeStore(database, accounts.config);
    const promoting = await transaction(database.pool, async (tx) => {
      await tx.query(`INSERT INTO members (store_id, user_id, role, created_at) VALUES ($1, $2, 'owner', now())`, [
        storeId,
        merchant.id,
      ]);
      const promotion = changeUserRole(context, operatorOf(operator.id), { userId: merchant.id, role: 'operator' });
      const outcome = Promise.allSettled([promotion]);
      await untilStatementWaits();
      return { outcome };
    });
    expect((await promoting.outcome)[0]).toMatchObject({ status: 'rejected', reason: { param: 'role' } });
    await expect(database.prisma.user.findUniqueOrThrow({ where: { id: merchant.id } })).resolves.toMatchObject({
      role: 'merchant',
    });
  });
});
