// A worker that ends in the middle of a sweep, and several workers at once, on a real EVM node: every address is swept once, the
// sponsor's account has no gap of nonces, and the books balance.

import { describe, expect, it } from 'vitest';
import { SWEEP_CRASH_POINTS } from '@/lib/platform/crash-point';
import { ALL_SWEEPINGS, useSweeps } from '@/testing/sweeps/use-sweeps';

describe.each(ALL_SWEEPINGS)('$name', ({ row, isSeedless }) => {
  const { scene, others, expectSweptOnce, expectNoGap } = useSweeps(row, { isSeedless });

  it.each(SWEEP_CRASH_POINTS)('a worker that ends at %s sweeps everything once after its restart', async (point) => {
    const before = await others().count(scene().sponsor);
    const sessions = await scene().paid(3);
    // The first sweep deploys the contract.
    expect(await scene().crashAt(point)).toBe(1);
    await scene().rounds(2);
    const more = await scene().paid(2);
    expect(await scene().crashAt(point)).toBe(1);
    await scene().rounds(4);
    await expectSweptOnce([...sessions, ...more]);
    await expectNoGap(before);
  });

  it.each(SWEEP_CRASH_POINTS)('a worker that ends at %s twice in a row sweeps everything once', async (point) => {
    const before = await others().count(scene().sponsor);
    const sessions = await scene().paid(3);
    expect(await scene().crashAt(point)).toBe(1);
    for (const again of SWEEP_CRASH_POINTS) {
      await scene().crashAt(again);
      await scene().crashAt(again);
    }
    await scene().rounds(4);
    await expectSweptOnce(sessions);
    await expectNoGap(before);
  });

  it('two workers at once, and five rounds at once, sweep everything once', async () => {
    const before = await others().count(scene().sponsor);
    const sessions = await scene().paid(8);
    for (let n = 0; n < 4; n++) {
      await Promise.all([scene().sweep(), scene().sweep()]);
      await scene().round();
    }
    const more = await scene().paid(4);
    for (let n = 0; n < 4; n++) {
      await Promise.all([1, 2, 3, 4, 5].map(() => scene().sweep()));
      await scene().round();
    }
    await scene().rounds(3);
    await expectSweptOnce([...sessions, ...more]);
    await expectNoGap(before);
  });

  it('a second worker with another memory sweeps nothing twice', async () => {
    const sessions = await scene().paid(5);
    const other = { fallback: { until: Number.MAX_SAFE_INTEGER } };
    for (let n = 0; n < 12; n++) {
      await Promise.all([scene().sweep(), scene().sweep(other)]);
      await scene().round();
    }
    await expectSweptOnce(sessions);
  });
});
