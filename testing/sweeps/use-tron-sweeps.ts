// Tests of sweeps on the local TRON chain: one chain for the file, and a database for each test.

import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import { checkBooks } from '@/lib/ledger/invariants/check';
import { armCrashPoint } from '@/lib/platform/crash-point';
import type { TronNode } from '@/sandbox/chains/tron/start';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { openTronScene, startSceneChain, TRX, type TronScene, type TronSceneGiven } from './tron-scene';

const OPEN = ['planned', 'signed', 'mined'];
/** Base units of the price of one session. */
export const TRON_PRICE = 12_340_000n;
/** Sun, enough for ten transfers a day. */
export const STAKE = 80_000n * TRX;

/** Enough for twenty new forwarders a day. */
const FORWARDERS_STAKE = 400_000n * TRX;
/** Deposit addresses that are forwarders, and a signer that has no seed of them. */
export const SEEDLESS = { forwarders: true, stake: FORWARDERS_STAKE, offlineSeed: randomBytes(64) };

/** The functions work inside tests. */
export function useTronSweeps() {
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
  const lentBy = (scene: TronScene): bigint => scene.account(scene.sponsor).stakes.ENERGY.lent;

  return {
    chain: () => chain,
    open: (given: Partial<TronSceneGiven> = {}): Promise<TronScene> => openTronScene({ db, chain, ...given }),
    lentBy,
    kindsOf: async (scene: TronScene) => (await scene.sweeps()).map(({ kind, status }) => `${kind} ${status}`),
    /** Every address is empty, of coin too, each was emptied once, nothing is lent, and the ledger has all of it. */
    async expectSweptOnce(
      scene: TronScene,
      sessions: readonly { readonly address: string }[],
      currency = 'USDT',
    ): Promise<void> {
      for (const { address } of sessions) {
        expect(await scene.held(address, currency)).toBe(0n);
        expect(scene.account(address).balance).toBe(0n);
      }
      const total = BigInt(sessions.length) * TRON_PRICE;
      expect(await scene.held(scene.treasury, currency)).toBe(total);
      expect(await scene.treasuryInLedger(currency)).toBe(total);
      const text = 'SELECT FROM outgoing_transfers WHERE recipient = $1';
      expect((await db.pool.query(text, [scene.treasury])).rowCount).toBe(sessions.length);
      expect(lentBy(scene)).toBe(0n);
      expect(scene.frozen).toEqual([]);
      expect((await scene.sweeps()).filter(({ status }) => OPEN.includes(String(status)))).toEqual([]);
      expect((await checkBooks(db.pool)).filter(({ count }) => count > 0)).toEqual([]);
    },
  };
}
