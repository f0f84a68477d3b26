import { expect, test } from 'vitest';
import { networkSpec, type NetworkSpec } from '@/lib/networks/networks';
import { untilFinal } from './facts';
import { intervalsOf } from '@/lib/refunds/payout/payout-context';

const live = (network: string): NetworkSpec => networkSpec('live', network, 'local')!;

/** How often an attempt is looked at from its first block to its last. */
function looks(spec: NetworkSpec, finalAfter = spec.confirmations * spec.blockMs): number {
  let count = 0;
  for (let at = 0; at < finalAfter; count++) {
    at += untilFinal(spec, Math.floor(at / spec.blockMs) + 1, intervalsOf(spec));
  }
  return count;
}

test('an attempt in a block is looked at a dozen times until it is final, on the slowest network too', () => {
  for (const network of ['ethereum', 'bsc', 'tron', 'solana']) expect(looks(live(network))).toBeLessThanOrEqual(12);
  // Finality that stays out for an hour.
  expect(looks(live('ethereum'), 3_600_000)).toBeLessThan(250);
});

test('it is looked at within seconds of being final', () => {
  const ethereum = live('ethereum');
  const almost = ethereum.confirmations - 1;
  expect(untilFinal(ethereum, almost, intervalsOf(ethereum))).toBe(ethereum.blockMs / 2);
  expect(untilFinal(ethereum, 1, intervalsOf(ethereum))).toBe(300_000);
});
