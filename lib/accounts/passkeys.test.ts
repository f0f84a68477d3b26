// Passkeys, with an authenticator made of code: registered, used as the second factor, alone, and for a step-up; and every way
// of answering wrongly.

import { createHash, generateKeyPairSync, randomBytes, sign, type KeyObject } from 'node:crypto';
import { isoCBOR } from '@simplewebauthn/server/helpers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { FROM, openAccounts, PASSWORD, type Accounts, type TestUser } from '@/lib/testing/accounts';
import { clearAccounts } from './clear';
import { findLogin, type Who } from './logins';
import { askForPasskey, isForSignIn, passkeyAnswer } from './passkey-proof';
import { addPasskey, askForNewPasskey, listPasskeys, newPasskeyAnswer, removePasskey } from './passkeys';
import { completeSignIn, signInByPasskey, signInByPassword } from './sign-in';
import { stepUp } from './step-up';

let accounts: Accounts;
beforeAll(async () => {
  accounts = await openAccounts();
});
afterAll(() => accounts.close());

const sha = (data: string | Uint8Array) => createHash('sha256').update(data).digest();
const [PRESENT, VERIFIED, ATTESTED] = [0x01, 0x04, 0x40];
type Over = { origin?: string; host?: string; flags?: number; counter?: number; challenge?: string; type?: string };

/** An authenticator with one key. */
class Authenticator {
  readonly id = randomBytes(16);
  readonly publicKey: KeyObject;
  private readonly privateKey: KeyObject;
  constructor() {
    ({ publicKey: this.publicKey, privateKey: this.privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' }));
  }

  register(challenge: string, over: Over = {}) {
    const { x = '', y = '' } = this.publicKey.export({ format: 'jwk' });
    const cose = new Map<number, number | Uint8Array>([
      [1, 2],
      [3, -7],
      [-1, 1],
      [-2, new Uint8Array(Buffer.from(x, 'base64url'))],
      [-3, new Uint8Array(Buffer.from(y, 'base64url'))],
    ]);
    const length = Buffer.from([0, this.id.length]);
    const attested = Buffer.concat([Buffer.alloc(16), length, this.id, isoCBOR.encode(cose)]);
    const authData = Buffer.concat([this.data({ flags: PRESENT | VERIFIED | ATTESTED, ...over }), attested]);
    const attestation = new Map<string, unknown>([
      ['fmt', 'none'],
      ['attStmt', new Map()],
      ['authData', new Uint8Array(authData)],
    ]);
    return newPasskeyAnswer.parse({
      ...this.named(),
      response: {
        clientDataJSON: this.client({ type: 'webauthn.create', challenge, ...over }).toString('base64url'),
        attestationObject: Buffer.from(isoCBOR.encode(attestation as never)).toString('base64url'),
        transports: ['internal', 'made-up'],
      },
    });
  }

  answer(challenge: string, over: Over = {}) {
    const client = this.client({ type: 'webauthn.get', challenge, ...over });
    const data = this.data(over);
    return passkeyAnswer.parse({
      ...this.named(),
      response: {
        clientDataJSON: client.toString('base64url'),
        authenticatorData: data.toString('base64url'),
        signature: sign('sha256', Buffer.concat([data, sha(client)]), this.privateKey).toString('base64url'),
      },
    });
  }

  private named() {
    const id = this.id.toString('base64url');
    return { id, rawId: id, type: 'public-key', clientExtensionResults: {} };
  }
  private client({ type, challenge, origin = accounts.config.PUBLIC_URL }: Over): Buffer {
    return Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }));
  }
  private data({ host = '127.0.0.1', flags = PRESENT | VERIFIED, counter = 0 }: Over): Buffer {
    const tail = Buffer.alloc(5);
    tail.writeUInt8(flags, 0);
    tail.writeUInt32BE(counter, 1);
    return Buffer.concat([sha(host), tail]);
  }
}

const password = ({ email }: TestUser) => signInByPassword(accounts.context, { email, password: PASSWORD, from: FROM });
const whoOf = async (token: string): Promise<Who> => (await findLogin(accounts.context, token))!;

async function withPasskey() {
  const user = await accounts.user();
  const { token } = await password(user);
  const who = await whoOf(token);
  const authenticator = new Authenticator();
  const { challenge } = await askForNewPasskey(accounts.context, who);
  const added = await addPasskey(accounts.context, who, {
    name: 'Laptop',
    answer: authenticator.register(challenge),
    from: FROM,
  });
  return { user, who, token, authenticator, added };
}
const question = async () => (await askForPasskey(accounts.context, null)).challenge;
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

  test('completes a login for whose question it answers, once', async () => {
    const { user, authenticator } = await withPasskey();
    const [first, second] = [await password(user), await password(user)];
    const { challenge } = await askForPasskey(accounts.context, await whoOf(first.token));
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

  test('signs in alone, and an answer that was used is worth nothing', async () => {
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
  ])('is not believed with an answer %s', async (_, over) => {
    const { authenticator } = await withPasskey();
    await expect(enter(authenticator.answer(await question(), over))).rejects.toMatchObject({ code: 'sign_in_failed' });
  });

  test('is not believed late, of another key, of a disabled user, or with a counter that stands still', async () => {
    const { user, authenticator } = await withPasskey();
    const late = await question();
    accounts.clock.advance(301);
    await expect(enter(authenticator.answer(late))).rejects.toMatchObject({ code: 'sign_in_failed' });
    const forged = { ...new Authenticator().answer(await question()), id: authenticator.id.toString('base64url') };
    await expect(enter({ ...forged, rawId: forged.id })).rejects.toMatchObject({ code: 'sign_in_failed' });
    await expect(enter(new Authenticator().answer(await question()))).rejects.toMatchObject({ code: 'sign_in_failed' });
    expect(await enter(authenticator.answer(await question(), { counter: 7 }))).toMatchObject({ isComplete: true });
    await expect(enter(authenticator.answer(await question(), { counter: 7 }))).rejects.toMatchObject({
      code: 'sign_in_failed',
    });
    await accounts.database.pool.query('UPDATE users SET disabled_at = now() WHERE id = $1', [user.id]);
    await expect(enter(authenticator.answer(await question(), { counter: 9 }))).rejects.toMatchObject({
      code: 'sign_in_failed',
    });
  });

  test('steps a login up, and no one else’s does', async () => {
    const { who, token, authenticator } = await withPasskey();
    const stranger = await withPasskey();
    accounts.clock.advance(600);
    const ask = async () => (await askForPasskey(accounts.context, who)).challenge;
    const show = async (of: Authenticator) =>
      stepUp(accounts.context, await whoOf(token), { shown: { passkey: of.answer(await ask()) }, from: FROM });
    await expect(show(stranger.authenticator)).rejects.toMatchObject({ code: 'sign_in_failed' });
    await show(authenticator);
    expect((await whoOf(token)).stepUpAt).toEqual(accounts.clock.now());
  });

  test('is registered for whom it was asked only, and removed with the codes that stood in for it', async () => {
    const { user, who, added } = await withPasskey();
    const stranger = await withPasskey();
    const { challenge } = await askForNewPasskey(accounts.context, who);
    const answer = new Authenticator().register(challenge);
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

test('what is over is cleared away, and nothing else', async () => {
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
