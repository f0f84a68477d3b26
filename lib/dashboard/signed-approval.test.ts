// A large refund, from two operators' passkeys to the chain. Their browsers send requests to the dashboard, the worker passes
// the signatures over the real socket, and the signer checks them against the list that its own command wrote.

import fs from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openFactorSetup } from '@/lib/merchants/accounts/second-factor/factor-setup';
import { findLogin } from '@/lib/merchants/accounts/sign-in/logins';
import { addPasskey, newPasskeyOptions, listPasskeys } from '@/lib/merchants/accounts/second-factor/passkeys';
import { approverCode, approverFingerprint } from '@/lib/signer/attestations/approver-code';
import { transaction } from '@/lib/platform/database/db';
import type { ApiResponse } from '@/lib/platform/http';
import { approvers } from '@/lib/signer/approvals/command';
import { callsOn } from '@/lib/signer/calls';
import { SignerClient } from '@/lib/signer/client';
import { serveCalls } from '@/lib/signer/transport/server';
import { readSignerSettings } from '@/lib/signer/settings';
import { browserRequest, cookieOf, FROM, openAccounts, type Accounts } from '@/testing/accounts';
import { Authenticator } from '@/testing/authenticator';
import { silentLog } from '@/testing/chain-clock';
import { openRefundScene, type RefundScene } from '@/testing/refunds/refund-scene';
import { scriptedSender } from '@/testing/refunds/scripted-sender';
import { evidenceKey, localSpec, PAYERS, seed, temporaryDirectory } from '@/testing/signer/signer-scene';
import { keysFromSeed } from '@/lib/treasury/wallets/derivation';
import { answerDashboard } from './adapter';
import { listHeldRefunds } from './operator/refunds';
import { ROUTES } from './routes';

const ORIGIN = 'https://pay.example';
const ABOVE = 400;
const spec = localSpec('ethereum');
const directory = temporaryDirectory();
const file = path.join(directory, 'approvers.json');

let accounts: Accounts;
let scene: RefundScene;
let close: () => Promise<void>;
let sending: Pick<RefundScene['sending'], 'signer'>;

beforeAll(async () => {
  accounts = await openAccounts({ PUBLIC_URL: ORIGIN });
  scene = await openRefundScene({
    db: accounts.database,
    clock: accounts.clock,
    spec,
    sender: scriptedSender({ spec, scene: () => scene }),
    rules: { approvalAbove: BigInt(ABOVE), approvals: { file, publicUrl: ORIGIN } },
    settings: { PUBLIC_URL: ORIGIN, REFUND_APPROVAL_ABOVE: String(ABOVE) },
  });
  const socket = path.join(directory, 's');
  ({ close } = await serveCalls(socket, callsOn(keysFromSeed(seed), scene.signing.signer), silentLog()));
  sending = { signer: { calls: new SignerClient(socket), evidenceKey } };
});
afterAll(async () => {
  await close();
  await accounts.close();
  fs.rmSync(directory, { recursive: true });
});

const passes = async (): Promise<void> => {
  for (let turn = 0; turn < 5; turn++) await scene.pass(sending);
};

/** An operator with a passkey, and what their browser sends. */
async function operator() {
  const { id } = await accounts.user({ role: 'operator' });
  await transaction(accounts.database.pool, (tx) => openFactorSetup(tx, id, accounts.clock.now()));
  const authenticator = new Authenticator(ORIGIN);
  const who = (await findLogin(accounts.context, await accounts.login(id)))!;
  const { challenge } = await newPasskeyOptions(accounts.context, who);
  await addPasskey(accounts.context, who, { name: 'Key', answer: authenticator.register(challenge), from: FROM });
  const token = await accounts.login(id, { hasFactor: true });
  // The sign-in is older than a step-up: the passkey of the approval replaces it.
  await accounts.database.pool.query(
    `UPDATE logins SET second_factor_at = second_factor_at - interval '1 hour', created_at = created_at - interval '1 hour',
       step_up_at = NULL WHERE user_id = $1`,
    [id],
  );
  const cookie = await cookieOf(accounts.context, token);
  const post = async (at: string, body: object) => {
    const request = browserRequest(accounts.context, { method: 'POST', path: `/api/dashboard${at}`, cookie, body });
    const { status, body: text } = (await answerDashboard(accounts.context, request, ROUTES)) as ApiResponse;
    return { status, body: JSON.parse(text) as { challenge?: string; error?: { code: string } } };
  };
  return { id, authenticator, post };
}

/** What the person at the signer's terminal types, line by line. */
async function atSigner(action: string, ...typed: string[]): Promise<string[]> {
  const printed: string[] = [];
  const settings = readSignerSettings({ KEYSTORE_FILE: 'k', SIGNER_APPROVERS_FILE: file, PUBLIC_URL: ORIGIN });
  await approvers(settings, action, {
    isTerminal: true,
    prompt: async () => typed.shift() ?? '',
    print: (text) => void printed.push(text),
  });
  return printed;
}

/** Enrols an operator's passkey with the data of the account page. */
async function enrol(person: string, userId: string): Promise<void> {
  const [passkey] = await listPasskeys(accounts.context, userId);
  const key = { credentialId: passkey!.id, publicKey: passkey!.publicKey.toString('base64url') };
  const printed = await atSigner('add', approverCode(key), person, 'add');
  expect(printed).toContain(`Fingerprint: ${approverFingerprint(key)}`);
}

type Operator = Awaited<ReturnType<typeof operator>>;

/** One gesture: the browser fetches what to sign, and sends the decision with the signature. */
async function press({ post, authenticator }: Operator, refund: string, move: 'request' | 'approve') {
  const { digest } = (await listHeldRefunds(accounts.context, { hold: null, before: null, limit: 10 })).refunds.find(
    ({ id }) => id === refund,
  )!.approval!;
  const at = `/operator/refunds/${refund}/approval`;
  const { challenge = '' } = (await post(`${at}/options`, { digest })).body;
  const passkey = authenticator.answer(challenge);
  return post(at, { move, digest, passkey });
}
async function heldRefund(): Promise<string> {
  const id = await scene.refund({ to: PAYERS.evm, cents: BigInt(ABOVE) + 1n });
  await passes();
  expect(await scene.read(id)).toMatchObject({ hold: 'approval_needed' });
  return id;
}
const troubleOf = async (refund: string) =>
  (await accounts.database.prisma.approvalNeed.findUniqueOrThrow({ where: { refund } })).trouble;

test('two operators approve a large refund with one press of their passkeys each', async () => {
  const [ada, grace] = [await operator(), await operator()];
  await enrol('Ada', ada.id);
  const id = await heldRefund();
  expect((await press(ada, id, 'request')).body).toEqual({ done: true });
  expect((await press(grace, id, 'approve')).body).toEqual({ done: true });
  await passes();
  // Grace's passkey is in the database and not on the signer's list.
  expect(await scene.read(id)).toMatchObject({ status: 'processing', hold: 'approval_needed' });
  expect(await troubleOf(id)).toMatch(/not on the signer’s list: run "node dist\/signer.mjs approvers add"/);

  await enrol('Grace', grace.id);
  expect((await press(grace, id, 'request')).body).toEqual({ done: true });
  expect((await press(ada, id, 'approve')).body).toEqual({ done: true });
  await passes();
  expect(await scene.read(id)).toMatchObject({ status: 'completed', hold: null });
});

test('nothing is decided without a passkey, with another person’s, or with a signature over other content', async () => {
  const [ada, grace] = [await operator(), await operator()];
  const id = await heldRefund();
  const other = await heldRefund();
  const need = await accounts.database.prisma.approvalNeed.findUniqueOrThrow({ where: { refund: id } });
  const digest = Buffer.from(need.digest).toString('hex');
  const at = `/operator/refunds/${id}/approval`;
  const codeOf = async (sent: object) => (await ada.post(at, { move: 'request', digest, ...sent })).body.error?.code;
  expect(await codeOf({})).toBe('step_up_required');
  await accounts.database.pool.query('UPDATE logins SET step_up_at = $1', [accounts.clock.now()]);
  expect(await codeOf({})).toBe('PASSKEY_NEEDED');
  const { challenge = '' } = (await ada.post(`${at}/options`, { digest })).body;
  expect(await codeOf({ passkey: grace.authenticator.answer(challenge) })).toBe('sign_in_failed');
  const { challenge: wrong = '' } = (await ada.post(`${at}/options`, { digest: 'ab'.repeat(32) })).body;
  expect(await codeOf({ passkey: ada.authenticator.answer(wrong) })).toBe('sign_in_failed');
  // A signature over one refund's approval is not valid for another.
  expect((await press(ada, other, 'request')).status).toBe(200);
  expect(await codeOf({ passkey: ada.authenticator.answer(challenge) })).toBeUndefined();
  const { id: userId } = await accounts.user({ role: 'operator', hasTotp: true });
  const cookie = await cookieOf(accounts.context, await accounts.login(userId, { hasFactor: true }));
  const request = browserRequest(accounts.context, {
    ...{ method: 'POST', path: `/api/dashboard${at}/options`, cookie, body: { digest } },
  });
  const answer = (await answerDashboard(accounts.context, request, ROUTES)) as ApiResponse;
  expect([answer.status, answer.body]).toEqual([403, expect.stringContaining('PASSKEY_NEEDED')]);
});

test('the command lists, adds once and removes; a change needs a terminal and a typed confirmation', async () => {
  const ada = await operator();
  await enrol('Ada two', ada.id);
  const [passkey] = await listPasskeys(accounts.context, ada.id);
  const key = { credentialId: passkey!.id, publicKey: passkey!.publicKey.toString('base64url') };
  const code = approverCode(key);
  await expect(atSigner('add', code, 'Ada', 'add')).rejects.toThrow(/on the list already/);
  await expect(atSigner('add', `${code}x.`, 'Ada', 'add')).rejects.toThrow(/not an approver code/);
  expect(await atSigner('list')).toContain(`${approverFingerprint(key)}  Ada two`);
  await expect(atSigner('remove', 'Ada two', 'no')).rejects.toThrow(/Nothing was done/);
  expect(await atSigner('remove', approverFingerprint(key), 'remove')).toContain('The list was changed.');
  expect((await atSigner('list')).join()).not.toContain('Ada two');
  await expect(atSigner('remove', 'Ada two', 'remove')).rejects.toThrow(/no such approver/);
  await expect(atSigner('write')).rejects.toThrow(/approvers list/);
  const settings = readSignerSettings({ KEYSTORE_FILE: 'k', SIGNER_APPROVERS_FILE: file, PUBLIC_URL: ORIGIN });
  const pipe = { isTerminal: false, prompt: async () => code, print: () => {} };
  for (const action of ['add', 'remove'])
    await expect(approvers(settings, action, pipe)).rejects.toThrow(/needs a terminal/);
});
