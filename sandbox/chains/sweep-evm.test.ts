// Sweeps on real EVM nodes: the worker's step and the real signer move final money of closed sessions to the treasury, whatever is
// interrupted, and the ledger has it from the chain. On each network with the keys of the deposit addresses and without a seed of them.

import { describe, expect, it } from 'vitest';
import { ALL_SWEEPINGS, useSweeps } from '@/testing/sweeps/use-sweeps';

/** The index of an address above those that the signer of the scene gave, and above those that were signed in advance. */
const NEVER_GIVEN = 20_000;

describe.each(ALL_SWEEPINGS)('$name', ({ row, isSeedless }) => {
  const { scene, price, expectSweptOnce } = useSweeps(row, { isSeedless });

  it('moves the money of three paid sessions to the treasury by one transaction, and books it', async () => {
    const sessions = await scene().paid(3);
    await scene().rounds(5);
    await expectSweptOnce(sessions);
    expect(await scene().sweeps()).toMatchObject([
      { kind: 'deploy', status: 'final' },
      { kind: 'batch', status: 'final', moved: 3 },
    ]);
    expect(await scene().hold()).toBe(null);
  });

  it('leaves out an address that the signer never gave, and sweeps the others', async () => {
    const known = await scene().paid(2);
    const unknown = await scene().session(NEVER_GIVEN);
    await scene().pay(unknown.address, 12_34n);
    await scene().rounds(4);
    await expectSweptOnce(known);
    expect(await scene().held(unknown.address)).toBe(price());
    const { rows } = await scene().db.pool.query('SELECT address, skip_reason FROM deposit_balances WHERE amount > 0');
    expect(rows).toEqual([{ address: unknown.address, skip_reason: 'not_authorized' }]);
  });
});
