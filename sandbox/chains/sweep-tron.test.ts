// Sweeps on the local TRON chain: the worker's step and the real signer move final money of closed sessions to the treasury, with energy
// of the sponsor's stake or burned coin, whatever is interrupted, and the ledger has it from the chain.

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { checkBooks } from '@/lib/ledger/invariants/check';
import { armCrashPoint, SWEEP_CRASH_POINTS } from '@/lib/platform/crash-point';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { openTronScene, startSceneChain, TRX, type TronScene } from '@/testing/sweeps/tron-scene';
import type { TronNode } from './tron/start';

let db: TestDatabase;
let chain: TronNode;
beforeAll(async () => void (chain = await startSceneChain()), 60_000);
afterAll(() => chain.stop());
beforeEach(async () => {
  db = await openTestDatabase();
  await chain.chain.exclusively(() => chain.chain.setEnergyPrice(100n));
});
afterEach(async () => {
  armCrashPoint(undefined);
  await db.close();
});

const OPEN = ['planned', 'signed', 'mined'];
const PRICE = 12_340_000n;
/** Enough for ten transfers a day. */
const STAKE = 80_000n * TRX;
const open = (given: Partial<Parameters<typeof openTronScene>[0]> = {}) => openTronScene({ db, chain, ...given });
type Sessions = Awaited<ReturnType<TronScene['paid']>>;

const kindsOf = async (scene: TronScene) => (await scene.sweeps()).map(({ kind, status }) => `${kind} ${status}`);
const lentBy = (scene: TronScene): bigint => scene.account(scene.sponsor).stakes.ENERGY.lent;

/** Every address is empty, of coin too, each was emptied once, nothing is lent, and the ledger has all of it. */
async function expectSweptOnce(scene: TronScene, sessions: Sessions): Promise<void> {
  for (const { address } of sessions) {
    expect(await scene.held(address)).toBe(0n);
    expect(scene.account(address).balance).toBe(0n);
  }
  const total = BigInt(sessions.length) * PRICE;
  expect(await scene.held(scene.treasury)).toBe(total);
  expect(await scene.treasuryInLedger()).toBe(total);
  const { rowCount } = await db.pool.query('SELECT FROM outgoing_transfers WHERE recipient = $1', [scene.treasury]);
  expect(rowCount).toBe(sessions.length);
  expect(lentBy(scene)).toBe(0n);
  expect(scene.frozen).toEqual([]);
  expect((await scene.sweeps()).filter(({ status }) => OPEN.includes(String(status)))).toEqual([]);
  expect((await checkBooks(db.pool)).filter(({ count }) => count > 0)).toEqual([]);
}

describe('with a stake', () => {
  it('lends energy to each address, which sends its money, takes the energy back, and burns none', async () => {
    const scene = await open({ stake: STAKE });
    const sessions = await scene.paid(3);
    await scene.rounds(16);
    await expectSweptOnce(scene, sessions);
    const kinds = await kindsOf(scene);
    for (const kind of ['activate', 'delegate', 'transfer', 'undelegate'])
      expect(kinds.filter((one) => one === `${kind} final`)).toHaveLength(3);
    expect(kinds).toHaveLength(12);
    const transfers = (await scene.sweeps()).filter(({ kind }) => kind === 'transfer');
    expect(transfers.map(({ fee }) => fee)).toEqual(['0', '0', '0']);
    expect(await scene.hold()).toBe(null);
  });
});

describe('without a stake', () => {
  it('sends each address exactly the coin that its transfer burns, and leaves none behind', async () => {
    const scene = await open();
    const sessions = await scene.paid(3);
    await scene.rounds(10);
    await expectSweptOnce(scene, sessions);
    expect((await kindsOf(scene)).toSorted()).toEqual([
      ...Array(3).fill('top_up final'),
      ...Array(3).fill('transfer final'),
    ]);
  });
});
void SWEEP_CRASH_POINTS;
