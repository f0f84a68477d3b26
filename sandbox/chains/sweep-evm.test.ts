// Sweeps on real EVM nodes: the worker's step and the real signer move final money of closed sessions to the treasury, whatever is
// interrupted, and the ledger has it from the chain.

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { checkBooks } from '@/lib/ledger/invariants/check';
import { armCrashPoint } from '@/lib/platform/crash-point';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { openSweepScene, type SweepScene } from '@/testing/sweeps/sweep-scene';
import { EVM_NETWORKS } from './evm/start';
import { startTestEvm } from './evm/test-chain';
import type { LocalNetwork } from './local-network';

/** The index of an address above those that the signer of the scene gave. */
const NEVER_GIVEN = 20_000;

let db: TestDatabase;
beforeAll(async () => void (db = await openTestDatabase()));
afterAll(() => db.close());
afterEach(() => armCrashPoint(undefined));

describe.each(EVM_NETWORKS)('$network', (row) => {
  let chain: LocalNetwork;
  let scene: SweepScene;
  beforeAll(async () => void (chain = await startTestEvm(row)), 60_000);
  afterAll(() => chain.stop());
  beforeEach(async () => {
    await db.pool.query('UPDATE chains SET retired_at = now() WHERE retired_at IS NULL');
    scene = await openSweepScene({ db, chain });
  });

  const price = () => 1234n * 10n ** BigInt(chain.spec.tokens.USDT!.decimals - 2);

  it('moves the money of three paid sessions to the treasury by one transaction, and books it', async () => {
    const sessions = await scene.paid(3);
    await scene.rounds(5);
    for (const { address } of sessions) expect(await scene.held(address)).toBe(0n);
    expect(await scene.held(scene.treasury)).toBe(3n * price());
    expect(await scene.sweeps()).toMatchObject([
      { kind: 'deploy', status: 'final' },
      { kind: 'batch', status: 'final', moved: 3 },
    ]);
    expect(await scene.treasuryInLedger()).toBe(3n * price());
    expect(await scene.hold()).toBe(null);
    expect((await checkBooks(db.pool)).filter(({ count }) => count > 0)).toEqual([]);
  });

  it('leaves out an address that the signer never gave, and sweeps the others', async () => {
    const known = await scene.paid(2);
    const unknown = await scene.session(NEVER_GIVEN + EVM_NETWORKS.indexOf(row));
    await chain.pay({ currency: 'USDT', recipient: unknown.address, cents: 12_34n, scenario: 'exact' });
    await scene.rounds(4);
    for (const { address } of known) expect(await scene.held(address)).toBe(0n);
    expect(await scene.held(unknown.address)).toBe(price());
    const { rows } = await db.pool.query('SELECT skip_reason FROM deposit_balances WHERE address = $1', [
      unknown.address,
    ]);
    expect(rows).toEqual([{ skip_reason: 'not_authorized' }]);
  });
});
