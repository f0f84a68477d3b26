// Screening and the sweeps on Solana: a transaction moves exact amounts, so unscreened money stays at its address.

import type { Address, KeyPairSigner } from '@solana/kit';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { checkBooks } from '@/lib/ledger/invariants/check';
import { runScreening } from '@/lib/screening/step';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { LIST_KEY, loadList } from '@/testing/screening/signed-list';
import { openSolanaSweepScene, type SolanaSweepScene } from '@/testing/sweeps/solana-sweep-scene';
import { startSolanaNode, type SolanaNode } from './solana/node';

const PRICE = 12_340_000n;
const UNSCREENED = 3_000_000n;
/** No payer of these tests. */
const LISTED = 'DFazMtMCpqCQBb7dpgK9XqocKcPFHgVwpvKfj87c7mRF';

let db: TestDatabase;
let node: SolanaNode;
let scene: SolanaSweepScene;
let payer: KeyPairSigner;
beforeAll(async () => void (node = await startSolanaNode({ tick: 'manual' })), 60_000);
afterAll(() => node.stop());
beforeEach(async () => {
  db = await openTestDatabase();
  scene = await openSolanaSweepScene({ db, node, settings: { SCREENING_LIST_KEY: LIST_KEY, TEST_CHAINS: 'local' } });
  await loadList(db.pool, [LISTED], { asOf: scene.context.clock.now().toISOString() });
  payer = await node.bank.newHolder();
  await node.bank.mint({ to: payer.address, mint: scene.mint(), amount: 10n * PRICE });
});
afterEach(() => db.close());

const screen = () => runScreening(scene.context, { spec: node.spec, oracle: null });

/** Pays a wallet into its associated account, or another one of it. */
async function pay(to: string, amount: bigint, account?: Address): Promise<void> {
  const given = account ? { account } : {};
  await node.bank.transfer({ from: payer, to: to as Address, mint: scene.mint(), amount, ...given });
  node.tick();
}

/** A session whose price is final, credited and screened. */
async function screened(account?: (owner: string) => Promise<Address>) {
  await scene.watch();
  const session = await scene.session();
  await pay(session.address, PRICE, await account?.(session.address));
  scene.finalize();
  await scene.watch();
  await screen();
  return session;
}

async function expectSwept(amount: bigint): Promise<void> {
  expect(scene.held(scene.treasury)).toBe(amount);
  expect(await scene.treasuryInLedger()).toBe(amount);
  expect((await checkBooks(db.pool)).filter(({ count }) => count > 0)).toEqual([]);
}

it('leaves money at its address that arrived after the screening, until it is final and screened too', async () => {
  const clean = await screened();
  const mixed = await screened();
  // Opens the account of the treasury.
  await scene.round();
  await pay(mixed.address, UNSCREENED);
  await scene.rounds(2);
  await expectSwept(2n * PRICE);
  expect([scene.held(clean.address), scene.held(mixed.address)]).toEqual([0n, UNSCREENED]);
  // Only an empty account can be closed.
  expect([await scene.rent(clean.address), await scene.rent(mixed.address)]).toEqual([null, expect.any(BigInt)]);

  await screen();
  scene.later(601);
  await scene.rounds(3);
  await expectSwept(2n * PRICE + UNSCREENED);
  expect([scene.held(mixed.address), await scene.rent(mixed.address)]).toEqual([0n, null]);
});

it('moves no unscreened money of one account because another account of the address holds as much that was screened', async () => {
  const { address } = await screened((owner) => node.bank.createAuxiliaryAccount(owner as Address, scene.mint()));
  await scene.round();
  await pay(address, UNSCREENED);
  await scene.rounds(2);
  await expectSwept(PRICE);
  expect(scene.held(address)).toBe(UNSCREENED);

  await screen();
  scene.later(601);
  await scene.rounds(3);
  await expectSwept(PRICE + UNSCREENED);
  expect([scene.held(address), await scene.rent(address)]).toEqual([0n, null]);
});

it('leaves money at its address that arrives between the end of a sweep and its booking', async () => {
  const { address } = await screened();
  await scene.round();
  // The sweep is final, and neither the watcher nor the books know it yet.
  await scene.sweep();
  scene.finalize();
  await pay(address, UNSCREENED);
  await scene.sweep();
  node.tick();
  expect((await scene.sweeps()).at(-1)).toMatchObject({ kind: 'batch', status: 'final' });
  expect(scene.held(address)).toBe(UNSCREENED);
  await scene.rounds(2);
  await expectSwept(PRICE);
  await screen();
  scene.later(601);
  await scene.rounds(3);
  await expectSwept(PRICE + UNSCREENED);
});
