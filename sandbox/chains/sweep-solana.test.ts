// Sweeps on the sandbox's Solana chain with its real token program: the worker's step and the real signer move final money of closed
// sessions to the treasury and close the emptied accounts, whatever is interrupted, and the ledger has it from the chain.

import type { Address } from '@solana/kit';
import { getFreezeAccountInstruction, getThawAccountInstruction } from '@solana-program/token';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { checkBooks } from '@/lib/ledger/invariants/check';
import { armCrashPoint, SWEEP_CRASH_POINTS } from '@/lib/platform/crash-point';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { openSolanaSweepScene, type SolanaSweepScene } from '@/testing/sweeps/solana-sweep-scene';
import { BLOCKHASH_LIFETIME, FINALITY_LAG } from './solana/blocks';
import { startSolanaNode, type SolanaNode } from './solana/node';

const PRICE = 12_340_000n;
/** Lamports of a token account and of a signature on this chain. */
const [RENT, SIGNATURE] = [2_039_280n, 5000n];

let db: TestDatabase;
let node: SolanaNode;
let scene: SolanaSweepScene;
beforeAll(async () => void (node = await startSolanaNode({ tick: 'manual' })), 60_000);
afterAll(() => node.stop());
beforeEach(async () => {
  db = await openTestDatabase();
  scene = await openSolanaSweepScene({ db, node });
});
afterEach(async () => {
  armCrashPoint(undefined);
  await db.close();
});

type Session = { readonly address: string };
const OPEN = ['planned', 'signed', 'mined'];

/** The treasury has each price once, the ledger agrees, and no sweep is open. */
async function expectSweptOnce(sessions: readonly Session[], amount = PRICE * BigInt(sessions.length)): Promise<void> {
  for (const { address } of sessions) expect(scene.held(address)).toBe(0n);
  expect(scene.held(scene.treasury)).toBe(amount);
  expect(await scene.treasuryInLedger()).toBe(amount);
  expect(scene.frozen).toEqual([]);
  expect((await scene.sweeps()).filter(({ status }) => OPEN.includes(status))).toEqual([]);
  expect((await checkBooks(db.pool)).filter(({ count }) => count > 0)).toEqual([]);
}
const balanceOf = async (address: string): Promise<string[]> =>
  (await db.pool.query('SELECT amount::text FROM deposit_balances WHERE address = $1', [address])).rows.map(
    ({ amount }) => amount as string,
  );

it('moves the money of twelve paid sessions by two transactions, and the sponsor gains the rent of their accounts', async () => {
  const sessions = await scene.paid(12);
  await scene.round();
  const before = await scene.coin();
  await scene.rounds(3);
  await expectSweptOnce(sessions);
  const sweeps = await scene.sweeps();
  expect(sweeps).toMatchObject([
    { kind: 'deploy', status: 'final' },
    { kind: 'batch', status: 'final', moved: 6, close: true },
    { kind: 'batch', status: 'final', moved: 6, close: true },
  ]);
  for (const { address } of sessions) expect(await scene.rent(address)).toBe(null);
  const gained = (await scene.coin()) - before;
  expect(gained).toBeGreaterThan(12n * RENT - 2n * 7n * SIGNATURE - 100n);
  expect(gained / 12n).toBeGreaterThan(1_480_000n);
  // The opening of the treasury's account costs its rent, and the others gave rent back.
  const fees = sweeps.map(({ fee }) => BigInt(fee));
  expect(fees[0]).toBeGreaterThan(RENT);
  expect((fees[1] ?? 0n) + (fees[2] ?? 0n)).toBe(-gained);
  expect(await scene.hold()).toBe(null);
});
