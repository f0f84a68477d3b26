// Cold transfers on the local chains of all families, by the worker's steps and the real signer: each exactly once, whatever is
// interrupted, and beside refunds of the same wallet.

import { Keypair, PublicKey } from '@solana/web3.js';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { checkBooks } from '@/lib/ledger/invariants/check';
import { armCrashPoint, CRASH_POINTS } from '@/lib/platform/crash-point';
import { openColdScene, type ColdScene } from '@/testing/cold-storage/cold-scene';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { crashAt } from '@/testing/refunds/crash';
import { deploySafe } from '@/testing/cold-storage/safes';
import { startColdEvm, startColdSolana, startColdTron, type ColdChain } from '@/testing/cold-storage/cold-chains';

describe.each([
  ['ethereum', startColdEvm],
  ['tron', startColdTron],
  ['solana', startColdSolana],
] as const)('%s', (_, start) => {
  let chain: ColdChain;
  let db: TestDatabase;
  let cold: string;
  let scene: ColdScene;
  beforeAll(async () => void (chain = await start()), 60_000);
  afterAll(() => chain.stop());
  beforeEach(async () => {
    db = await openTestDatabase();
    cold = chain.newAddress();
    scene = await openColdScene({ db, ...chain, wallet: cold });
    await scene.holds(600_00n);
  });
  afterEach(async () => {
    armCrashPoint(undefined);
    await db.close();
  });

  async function expectMovedOnce() {
    expect(await scene.transfers()).toMatchObject([{ status: 'completed', amount: 300_00n, destination: cold }]);
    const [transfer] = await scene.transfers();
    expect((await scene.attempts(transfer!.id)).map(({ status }) => status)).toEqual(['landed']);
    expect(await chain.held(cold)).toBe(300_00n);
    expect(await scene.books()).toEqual({ cold: 300_00n, wallet: 300_00n });
    expect((await checkBooks(db.pool)).filter(({ id, count }) => /^INV-(?:2|3[de]|4)/.test(id) && count > 0)).toEqual(
      [],
    );
  }

  it.each(CRASH_POINTS)('a crash at %s moves the excess once, with the same signed bytes', async (point) => {
    await scene.step();
    await crashAt(point, scene, chain.tick);
    await scene.untilEnded(chain.mine);
    await expectMovedOnce();
  });

  it('two workers move it once, and a refund of the same wallet is paid beside it', async () => {
    const to = chain.newAddress();
    const refund = await scene.refunds.refund({ to, cents: 500n });
    await Promise.all([scene.step(), scene.step()]);
    for (let turn = 0; turn < 30; turn++) {
      await Promise.all([scene.pass(), scene.pass()]);
      await chain.mine();
    }
    expect(await scene.refunds.read(refund)).toMatchObject({ status: 'completed' });
    expect(await chain.held(to)).toBe(500n);
    expect(await scene.transfers()).toMatchObject([{ status: 'completed', amount: 295_00n, destination: cold }]);
    expect(await chain.held(cold)).toBe(295_00n);
    expect(await scene.books()).toEqual({ cold: 295_00n, wallet: 300_00n });
  });
});

it('ethereum: the excess goes to a cold wallet that is a Safe, as to any address', async () => {
  const chain = await startColdEvm();
  const db = await openTestDatabase();
  const safe = await deploySafe(chain.rpcUrl);
  try {
    const scene = await openColdScene({ db, ...chain, wallet: safe.address });
    await scene.holds(600_00n);
    await scene.step();
    await scene.untilEnded(chain.mine);
    expect(await scene.transfers()).toMatchObject([{ status: 'completed', destination: safe.address }]);
    expect(await chain.held(safe.address)).toBe(300_00n);
    expect(await scene.books()).toEqual({ cold: 300_00n, wallet: 300_00n });
  } finally {
    safe.close();
    await db.close();
    await chain.stop();
  }
}, 120_000);

it('solana: the excess goes to a Squads vault, an address without a key, whose token account exists', async () => {
  const chain = await startColdSolana();
  const db = await openTestDatabase();
  const multisig = Keypair.generate().publicKey.toBuffer();
  const [vault] = PublicKey.findProgramAddressSync(
    [Buffer.from('multisig'), multisig, Buffer.from('vault'), Uint8Array.of(0)],
    new PublicKey('SQDS4ep65T869zMMBKyuUq6aD6EgTu8psMjkvj52pCf'),
  );
  const wallet = vault.toBase58();
  try {
    // Creates its token account.
    await chain.fund(wallet, 1n);
    const scene = await openColdScene({ db, ...chain, wallet });
    await scene.holds(600_00n);
    await scene.step();
    await scene.untilEnded(chain.mine);
    expect(await scene.transfers()).toMatchObject([{ status: 'completed', amount: 300_00n, destination: wallet }]);
    expect(await chain.held(wallet)).toBe(300_01n);
    expect(await scene.books()).toEqual({ cold: 300_00n, wallet: 300_00n });
  } finally {
    await db.close();
    await chain.stop();
  }
}, 120_000);
