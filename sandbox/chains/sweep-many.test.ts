// Many deposit addresses on a real EVM node: how many transactions it takes, and how long, until all money is in the treasury.

import { describe, expect, it } from 'vitest';
import { ETHEREUM_SWEEPINGS, useSweeps } from '@/testing/sweeps/use-sweeps';

describe.each(ETHEREUM_SWEEPINGS)('sweeping many addresses: $name', ({ row, isSeedless }) => {
  const { scene, price, expectSweptOnce } = useSweeps(row, { isSeedless, signed: 100 });

  /** Sweeps until the treasury has everything. Returns the seconds and the transactions that it took. */
  async function sweepAll(count: number): Promise<{ readonly seconds: number; readonly batches: number }> {
    const sessions = await scene().paid(count);
    const start = performance.now();
    for (let n = 0; n < count && (await scene().treasuryInLedger()) < BigInt(count) * price(); n++)
      await scene().round();
    const seconds = (performance.now() - start) / 1000;
    await scene().rounds(2);
    await expectSweptOnce(sessions);
    const sweeps = await scene().sweeps();
    expect(sweeps.map(({ status }) => status)).toEqual(sweeps.map(() => 'final'));
    const batches = sweeps.filter(({ kind }) => kind === 'batch').length;
    console.info(`${count} addresses: ${batches} transactions, ${seconds.toFixed(1)} s`);
    return { seconds, batches };
  }

  it('moves a hundred by two transactions within fifteen seconds', async () => {
    const { seconds, batches } = await sweepAll(100);
    expect(batches).toBe(2);
    expect(seconds).toBeLessThan(15);
  });

  // Without a seed it is the same at ten times the number.
  it.skipIf(isSeedless)(
    'moves a thousand by twenty transactions within two minutes',
    async () => {
      const { seconds, batches } = await sweepAll(1000);
      expect(batches).toBe(20);
      expect(seconds).toBeLessThan(120);
    },
    400_000,
  );
});
