// Money comes back from the cold wallet on the local chains of all families: requested online, signed by the offline program, sent and
// booked once, whatever is interrupted or repeated.

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { armCrashPoint, RETURN_CRASH_POINTS } from '@/lib/platform/crash-point';
import { mortalPool } from '@/testing/database/failing-pool';
import { openReturnScene, type ReturnScene } from '@/testing/cold-storage/return-scene';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { startColdEvm, startColdSolana, startColdTron, type ColdChain } from './cold-chains';

const HELD = 1000_00n;

describe.each([
  ['ethereum', () => startColdEvm()],
  ['bsc', () => startColdEvm('bsc')],
  ['tron', startColdTron],
  ['solana', startColdSolana],
] as const)('%s', (_, start) => {
  let chain: ColdChain;
  let db: TestDatabase;
  let scene: ReturnScene;
  let nonce: string | null;
  let before: bigint;
  beforeAll(async () => void (chain = await start()), 60_000);
  afterAll(() => chain.stop());
  beforeEach(async () => {
    db = await openTestDatabase();
    const cold = await chain.coldWallet(HELD);
    nonce = await chain.nonceAccount(cold.address);
    scene = await openReturnScene({ db, ...chain, cold });
    await scene.hasCold(600_00n);
    before = await chain.held(scene.refund);
  });
  afterEach(async () => {
    armCrashPoint(undefined);
    await db.close();
  });

  const mining = { pause: () => chain.mine() };
  const came = async () => (await chain.held(scene.refund)) - before;

  it('comes back once: requested, signed offline, sent and booked as money of the cold wallet', async () => {
    expect(await scene.request('250.5', 'request', nonce)).toMatchObject({ code: 0 });
    const shown = await scene.offline(['show', 'request', '--to', scene.refund]);
    expect(shown).toMatchObject({ code: 0, text: expect.stringContaining('Total       250.5') });
    expect(await scene.sign('request')).toMatchObject({ code: 0 });
    expect(await scene.online(['send', 'request.signed'], mining)).toMatchObject({ code: 0 });
    expect(await came()).toBe(250_50n);
    expect(await chain.held(scene.cold.address)).toBe(HELD - 250_50n);
    expect(await scene.rows()).toMatchObject([{ outcome: 'landed', sender: scene.cold.address }]);
    expect(await scene.books()).toEqual({ cold: 600_00n - 250_50n, operator: 0n, wallet: -600_00n + 250_50n });
    expect(await scene.broken()).toEqual([]);
    // The same file again changes nothing.
    expect(await scene.online(['send', 'request.signed'], mining)).toMatchObject({ code: 0 });
    expect([await came(), await scene.books()]).toMatchObject([250_50n, { cold: 600_00n - 250_50n }]);
  }, 60_000);
});
