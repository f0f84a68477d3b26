// A whole machine that was restored: the database and the signer's journal agree that a refund was never signed, and the chain has it.
// A real database, the real signer and its journal, and the real comparison with the ledger; the chain is simulated.

import fs from 'node:fs';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { BalanceReader } from '@/lib/chains/balances-reader';
import type { FollowedChain } from '@/lib/chains/registry';
import type { ChainSender, Fate } from '@/lib/chains/send';
import { writeTronDraft } from '@/lib/chains/tron/send-draft';
import { makeEvidence } from '@/lib/refund-evidence';
import { reconcileWith } from '@/lib/reconcile/step';
import { openTestDatabase, type TestDatabase } from '@/lib/testing/database';
import { openRefundScene, type RefundScene } from '@/lib/testing/refund-scene';
import { evidenceKey, localSpec, PAYERS } from '@/lib/testing/signer-scene';
import { lookAgain } from './look-again';
import { orderFor } from './send-line';
import { openWalletCheck, type WalletCheck } from './wallet-check';

const CENT = 10_000n;
const tron = localSpec('tron');
const time = { now: 0 };
const clock = { now: () => new Date(time.now) };
/** What the refund wallet holds of USDT, and the newest final block. */
const chain = { coins: 0n, block: 0 };
/** What the endpoints report of each payment by its hash. */
const fates = new Map<string, Fate>();
const sender: ChainSender = {
  async draft({ intentId, contract, to, amount }, owner) {
    const block = { refBlockBytes: '5313', refBlockHash: '46a60be20a563ff1' };
    const life = { expiration: time.now + 300_000, timestamp: time.now, feeLimit: 30_000_000n };
    return writeTronDraft({ owner, contract, to, amount, ...block, ...life }, intentId);
  },
  nextNonce: () => Promise.reject(new Error('TRON has no nonces')),
  broadcast: async () => 'accepted',
  fate: async ({ hash }) => fates.get(hash) ?? { kind: 'waiting' },
  kindOf: async () => 'wallet',
};

let db: TestDatabase;
let scene: RefundScene;
let walletCheck: WalletCheck;
let wallet: string;
beforeAll(async () => void (db = await openTestDatabase()));
afterAll(() => db.close());
beforeEach(async () => {
  time.now = Date.parse('2026-11-21T12:00:00Z');
  Object.assign(chain, { coins: 1000n * CENT, block: 100 });
  scene = await openRefundScene({ db, clock, spec: tron, sender });
  walletCheck = openWalletCheck(tron);
  wallet = scene.signing.signer.state().wallets.test.tron;
  await compare();
});

const heldOf = (amount: bigint) => {
  const block = { number: chain.block, hash: `0x${chain.block}`, parentHash: '0x', time: time.now / 1000 };
  return { amount, from: block, through: block };
};
const reader: BalanceReader = {
  most: 4,
  tokens: async (holdings, currency) =>
    new Map(
      holdings.map(({ address }) => [address, heldOf(address === wallet && currency === 'USDT' ? chain.coins : 0n)]),
    ),
  feeCoin: async () => 10n ** 9n,
};

/** A turn of the real comparison, on a later block. */
async function compare(): Promise<void> {
  time.now += 60_000;
  chain.block += 20;
  const adapter = { genesis: scene.line.genesis } as unknown as FollowedChain['adapter'];
  const { environment, network, spec } = scene.line;
  const { signer } = scene.signing;
  const calls = { state: async () => signer.state(), freeze: async (why: string) => void signer.freeze(why) };
  await reconcileWith({ environment, network, spec, adapter }, { reader, signer: calls })(scene.context);
}

async function pass(): Promise<void> {
  time.now += 5000;
  await scene.pass({ walletCheck });
}

it('signs after a start only when the wallet was compared with the ledger and nothing is missing', async () => {
  const id = await scene.refund({ to: PAYERS.tron });
  await pass();
  await pass();
  expect(await scene.read(id)).toMatchObject({ status: 'processing', hold: 'chain_unavailable', askedAt: null });
  await compare();
  await pass();
  expect(await scene.attempts(id)).toMatchObject([{ status: 'sent' }]);
  // The signer was frozen meanwhile: it may have another journal now.
  const next = await scene.refund({ to: PAYERS.tron });
  walletCheck.restart();
  await pass();
  expect(await scene.attempts(next)).toEqual([]);
});

it.each([
  ['ahead', 600_000],
  ['behind', -600_000],
])(
  'does not take an earlier reading for a comparison when the clock of the worker that compares is %s',
  async (_, skew) => {
    time.now += skew;
    await compare();
    time.now -= skew;
    walletCheck = openWalletCheck(tron);
    const id = await scene.refund({ to: PAYERS.tron });
    await pass();
    await pass();
    expect(await scene.attempts(id)).toEqual([]);
    time.now += skew;
    await compare();
    time.now -= skew;
    await pass();
    expect(await scene.attempts(id)).toMatchObject([{ status: 'sent' }]);
  },
);

it('never pays again what is paid on the chain, when an older journal was put back with an older database', async () => {
  const id = await scene.refund({ to: PAYERS.tron });
  const copy = fs.readFileSync(scene.signing.journalFile);
  // After the backup it is signed, and lands.
  const { environment, network } = scene.line;
  const refund = await db.prisma.refund.findUniqueOrThrow({ where: { id } });
  const { amount, ...payment } = orderFor(
    { line: scene.line, refund } as unknown as Parameters<typeof orderFor>[0],
    PAYERS.tron,
  );
  const bound = { kind: 'payer', session: refund.sessionId, network, address: PAYERS.tron } as const;
  const evidence = makeEvidence(evidenceKey, 'test', { ...bound, reference: 'tron/0/0', mostCents: '10000' });
  const draft = await sender.draft({ ...payment, amount }, wallet);
  const order = { ...payment, currency: 'USDT', amount: String(amount), environment, network, evidence } as const;
  scene.signing.signer.sign({ order, draft });
  chain.coins -= amount;
  // The machine is restored: the database has never seen the payment, and the journal is the copy.
  fs.writeFileSync(scene.signing.journalFile, copy);
  scene.signing.restart();
  for (let turn = 0; turn < 3; turn++) {
    await pass();
    await compare();
  }
  await pass();
  expect(scene.signing.signer.state()).toMatchObject({
    frozen: true,
    reason: expect.stringContaining('holds less USDT'),
  });
  expect(await scene.attempts(id)).toEqual([]);
  expect(scene.signing.signed).toBe(0);
});

it('sends all other refunds after a restart when the endpoints no longer have the blocks of one payment', async () => {
  const old = await scene.refund({ to: PAYERS.tron });
  await pass();
  await compare();
  await pass();
  const [{ hash } = { hash: null }] = await scene.attempts(old);
  fates.set(hash ?? '', { kind: 'pruned', reason: 'the oldest block is newer' });
  // The worker was away for a month.
  time.now += 30 * 86_400_000;
  walletCheck = openWalletCheck(tron);
  const next = await scene.refund({ to: PAYERS.tron });
  for (let turn = 0; turn < 6; turn++) {
    await pass();
    await compare();
  }
  expect(await scene.read(old)).toMatchObject({ status: 'processing', hold: 'chain_unavailable' });
  expect(await scene.attempts(next)).toEqual([]);
  for (let turn = 0; turn < 12; turn++) {
    await pass();
    await compare();
  }
  expect(await scene.read(old)).toMatchObject({ status: 'processing', hold: 'unclear' });
  expect(await scene.attempts(next)).toMatchObject([{ status: 'sent' }]);
  expect(await scene.attempts(old)).toMatchObject([{ status: 'sent', hash }]);
  expect(scene.signing.signed).toBe(2);
  // An endpoint that keeps the blocks was added, and the operator asks again.
  fates.set(hash ?? '', {
    kind: 'landed',
    hash: hash ?? '',
    block: { number: 1, hash: '0xb', parentHash: '0xa', time: 1 },
  });
  await lookAgain(scene.context, { refund: old, note: 'added an archive node', by: 'user:x', address: '192.0.2.1' });
  await pass();
  expect(await scene.read(old)).toMatchObject({ status: 'completed', hold: null });
});
