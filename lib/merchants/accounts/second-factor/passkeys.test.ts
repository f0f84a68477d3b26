// Passkeys with a software authenticator: registration, use as second factor, alone and for a step-up, and every invalid
// answer.

import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Authenticator, PRESENT, type Over } from '@/testing/authenticator';
import { FROM, openAccounts, PASSWORD, type Accounts, type TestUser } from '@/testing/accounts';
import { clearAccounts } from '@/lib/merchants/accounts/clear';
import { findLogin, type Who } from '@/lib/merchants/accounts/sign-in/logins';
import { passkeyOptions, isForSignIn } from './passkey-proof';
import { addPasskey, newPasskeyOptions, listPasskeys, removePasskey } from './passkeys';
import { completeSignIn, signInByPasskey, signInByPassword } from '@/lib/merchants/accounts/sign-in/sign-in';
import { stepUp } from './step-up';

let accounts: Accounts;
beforeAll(async () => {
  accounts = await openAccounts();
});
afterAll(() => accounts.close());

/** An authenticator for this installation's pages. */
const newAuthenticator = () => new Authenticator(accounts.config.PUBLIC_URL);

const password = ({ email }: TestUser) => signInByPassword(accounts.context, { email, password: PASSWORD, from: FROM });
const whoOf = async (token: string): Promise<Who> => (await findLogin(accounts.context, token))!;

async function withPasskey() {
  const user = await accounts.user();
  const { token } = await password(user);
  const who = await whoOf(token);
  const authenticator = newAuthenticator();
  const { challenge } = await newPasskeyOptions(accounts.context, who);
  const added = await addPasskey(accounts.context, who, {
    name: 'Laptop',
    answer: authenticator.register(challenge),
    from: FROM,
  });
  return { user, who, token, authenticator, added };
}
const question = async () => (await passkeyOptions(accounts.context, null)).challenge;
const enter = (answer: ReturnType<Authenticator['answer']>) =>
  signInByPasskey(accounts.context, { answer, from: FROM });

describe('a passkey', () => {
  test('is registered with recovery codes, is a second factor from then on, and leaves this device signed in', async () => {
    const { user, token, added } = await withPasskey();
    expect(added.recovery_codes).toHaveLength(10);
    expect(await listPasskeys(accounts.context, user.id)).toMatchObject([{ name: 'Laptop', lastUsedAt: null }]);
    expect(await whoOf(token)).toMatchObject({ isComplete: true, hasPasskeys: true });
    expect(await password(user)).toMatchObject({ isComplete: false });
    expect((await accounts.lastMail(user.email))?.subject).toBe('Your sign-in was changed');
  });

  test('completes a login whose challenge it answers, once', async () => {
    const { user, authenticator } = await withPasskey();
    const [first, second] = [await password(user), await password(user)];
    const { challenge } = await passkeyOptions(accounts.context, await whoOf(first.token));
    const proof = { passkey: authenticator.answer(challenge) };
    await expect(completeSignIn(accounts.context, { token: second.token, proof, from: FROM })).rejects.toMatchObject({
      code: 'sign_in_failed',
    });
    expect(await completeSignIn(accounts.context, { token: first.token, proof, from: FROM })).toMatchObject({
      isComplete: true,
    });
    await expect(completeSignIn(accounts.context, { token: second.token, proof, from: FROM })).rejects.toMatchObject({
      code: 'sign_in_failed',
    });
  });

  test('signs in alone, and a used answer is worthless', async () => {
    const { user, authenticator } = await withPasskey();
    const answer = authenticator.answer(await question());
    expect(await isForSignIn(accounts.context, answer)).toBe(true);
    const outcomes = await Promise.allSettled([enter(answer), enter(answer)]);
    expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    const { token } = await enter(authenticator.answer(await question()));
    expect(await whoOf(token)).toMatchObject({ userId: user.id, isComplete: true });
  });

  test.each<[string, Over]>([
    ['of another site', { origin: 'https://evil.example' }],
    ['for another site', { host: 'evil.example' }],
    ['without the check of its user', { flags: PRESENT }],
    ['of another kind', { type: 'webauthn.create' }],
    ['to a question that was never asked', { challenge: randomBytes(32).toString('base64url') }],
  ])('is rejected with an answer %s', async (_, over) => {
    const { authenticator } = await withPasskey();
    await expect(enter(authenticator.answer(await question(), over))).rejects.toMatchObject({ code: 'sign_in_failed' });
  });

  test('is rejected when late, of another key, of a disabled user, or with a counter that does not grow', async () => {
    const { user, authenticator } = await withPasskey();
    const late = await question();
    accounts.clock.advance(301);
    await expect(enter(authenticator.answer(late))).rejects.toMatchObject({ code: 'sign_in_failed' });
    const forged = { ...newAuthenticator().answer(await question()), id: authenticator.id.toString('base64url') };
    await expect(enter({ ...forged, rawId: forged.id })).rejects.toMatchObject({ code: 'sign_in_failed' });
    await expect(enter(newAuthenticator().answer(await question()))).rejects.toMatchObject({ code: 'sign_in_failed' });
    expect(await enter(authenticator.answer(await question(), { counter: 7 }))).toMatchObject({ isComplete: true });
    await expect(enter(authenticator.answer(await question(), { counter: 7 }))).rejects.toMatchObject({
      code: 'sign_in_failed',
    });
    await accounts.database.pool.query('UPDATE users SET disabled_at = now() WHERE id = $1', [user.id]);
    await expect(enter(authenticator.answer(await question(), { counter: 9 }))).rejects.toMatchObject({
      code: 'sign_in_failed',
    });
  });

  test('steps its own login up, but no other login', async () => {
    const { who, token, authenticator } = await withPasskey();
    const stranger = await withPasskey();
    accounts.clock.advance(600);
    const request = async () => (await passkeyOptions(accounts.context, who)).challenge;
    const show = async (of: Authenticator) =>
      stepUp(accounts.context, await whoOf(token), { shown: { passkey: of.answer(await request()) }, from: FROM });
    await expect(show(stranger.authenticator)).rejects.toMatchObject({ code: 'sign_in_failed' });
    const renewed = await show(authenticator);
    expect((await whoOf(renewed)).stepUpAt).toEqual(accounts.clock.now());
  });

  test('is registered only for the requesting user, and removed with its recovery codes', async () => {
    const { user, who, added } = await withPasskey();
    const stranger = await withPasskey();
    const { challenge } = await newPasskeyOptions(accounts.context, who);
    const answer = newAuthenticator().register(challenge);
    await expect(addPasskey(accounts.context, stranger.who, { name: '', answer, from: FROM })).rejects.toMatchObject({
      code: 'sign_in_failed',
    });
    await expect(removePasskey(accounts.context, stranger.who, { id: added.id, from: FROM })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
    await removePasskey(accounts.context, who, { id: added.id, from: FROM });
    const { rows } = await accounts.database.pool.query('SELECT 1 FROM recovery_codes WHERE user_id = $1', [user.id]);
    expect(rows).toEqual([]);
    expect(await password(user)).toMatchObject({ isComplete: true });
  });
});

test('only expired rows are deleted', async () => {
  const user = await accounts.user();
  const { token } = await password(user);
  await question();
  accounts.clock.advance(1200);
  expect(await clearAccounts(accounts.context)).toEqual({ more: false });
  const { rows } = await accounts.database.pool.query('SELECT 1 FROM passkey_challenges');
  expect(rows).toEqual([]);
  expect(await findLogin(accounts.context, token)).not.toBeNull();
  accounts.clock.advance(91 * 86_400);
  await clearAccounts(accounts.context);
  expect((await accounts.database.pool.query('SELECT 1 FROM logins')).rows).toEqual([]);
});
