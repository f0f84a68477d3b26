import { expect, test } from 'vitest';
import { networkSpec, type NetworkSpec } from '@/lib/networks/networks';
import { untilFinal } from './facts';
import { intervalsOf } from '@/lib/refunds/sending/intervals';

const live = (network: string): NetworkSpec => networkSpec('live', network, 'local')!;

/** How often an attempt is checked from its first block to its last. */
function checks(spec: NetworkSpec, finalAfter = spec.confirmations * spec.blockMs): number {
  let count = 0;
  for (let at = 0; at < finalAfter; count++) {
    at += untilFinal(spec, Math.floor(at / spec.blockMs) + 1, intervalsOf(spec));
  }
  return count;
}

test('an attempt in a block is checked a dozen times until it is final, also on the slowest network', () => {
  for (const network of ['ethereum', 'bsc', 'tron', 'solana']) expect(checks(live(network))).toBeLessThanOrEqual(12);
  // Finality is delayed by an hour.
  expect(checks(live('ethereum'), 3_600_000)).toBeLessThan(250);
});

test('it is checked within seconds of being final', () => {
  const ethereum = live('ethereum');
  const almost = ethereum.confirmations - 1;
  expect(untilFinal(ethereum, almost, intervalsOf(ethereum))).toBe(ethereum.blockMs / 2);
  expect(untilFinal(ethereum, 1, intervalsOf(ethereum))).toBe(300_000);
});
