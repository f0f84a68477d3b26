// A freeze that lasts longer than the endpoints keep transactions: the refund wallet is compared meanwhile.

import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import type { RefundScene } from '@/testing/refunds/refund-scene';
import { evidenceKey, PAYERS } from '@/testing/signer/signer-scene';
import { openWalletChain, openWalletScene } from '@/testing/refunds/wallet-chain';
import { runSending } from '@/lib/refunds/sending/step';
import { openWalletCheck, type WalletCheck } from './check';

const HOUR = 3_600_000;
const time = { now: 0 };
const clock = { now: () => new Date(time.now) };
const seconds = (): number => Math.floor(time.now / 1000);
const { chain, sender } = openWalletChain(clock);

let db: TestDatabase;
let scene: RefundScene;
let walletCheck: WalletCheck;
beforeAll(async () => void (db = await openTestDatabase()));
afterAll(() => db.close());
beforeEach(async () => {
  time.now = Date.now() + HOUR;
  chain.reset();
  scene = await openWalletScene({ db, clock, sender });
  walletCheck = openWalletCheck();
});

const refund = () => scene.refund({ to: PAYERS.tron });
async function pass(): Promise<void> {
  time.now += 5000;
  await runSending(scene.context, { ...scene.sending, walletCheck }, async () => 'ok' as const);
}
const row = () => db.prisma.chain.findUniqueOrThrow({ where: { id: scene.chainId } });
const knownUntil = async (): Promise<number> => ((await row()).walletKnownUntil?.getTime() ?? 0) / 1000;

it('a freeze for another reason that outlasts what the endpoints keep is not followed by a freeze for the wallet', async () => {
  await refund();
  await pass();
  const state = { isFrozen: true };
  const reasons: string[] = [];
  const calls = {
    ...scene.signing.calls,
    freeze: async (reason: string) => void reasons.push(reason),
    state: async () => ({ ...scene.signing.signer.state(), frozen: state.isFrozen }),
  };
  scene = { ...scene, sending: { ...scene.sending, signer: { calls, evidenceKey } } };
  const check = async () => (state.isFrozen ? ('frozen' as const) : ('ok' as const));
  const passWith = () => runSending(scene.context, { ...scene.sending, walletCheck }, check);
  for (let hours = 0; hours < 72; hours++) {
    time.now += HOUR;
    chain.kept = [seconds() - 172_800, seconds() - 172_000];
    await passWith();
  }
  state.isFrozen = false;
  const next = await refund();
  time.now += 5000;
  await passWith();
  expect(reasons).toEqual([]);
  expect(await scene.attempts(next)).toMatchObject([{ status: 'sent' }]);
});

it('stores nothing as known during a freeze while the wallet has signed what the database does not know', async () => {
  await pass();
  const before = await knownUntil();
  const calls = {
    ...scene.signing.calls,
    freeze: () => Promise.reject(new Error('the signer is frozen for another reason')),
    state: async () => ({ ...scene.signing.signer.state(), frozen: true }),
  };
  scene = { ...scene, sending: { ...scene.sending, signer: { calls, evidenceKey } } };
  time.now += 2 * HOUR;
  chain.signed.push({ hash: 'ab'.repeat(32), time: seconds() - 600 });
  await runSending(scene.context, { ...scene.sending, walletCheck }, async () => 'frozen' as const);
  expect(await knownUntil()).toBe(before);
  expect((await row()).walletReviewedUntil).toBeNull();
});
