import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { costsOf, mostPayable, type RateTerms } from './rate';

const rate = (over: Partial<RateTerms> = {}): RateTerms => ({
  ...{ basisPoints: 100n, fixed: 50n, minimum: 100n, networkCosts: { ethereum: 300n } },
  ...over,
});

describe('what a payout costs', () => {
  test.each([
    ['the least fee below it', 4999n, 100n],
    ['the least fee where share and fixed part are as much', 5000n, 100n],
    ['share and fixed part above it, the share rounded down', 5199n, 101n],
    ['share and fixed part, a cent more at the next whole cent', 5200n, 102n],
  ])('is %s', (_, amount, fee) => {
    expect(costsOf(rate(), { network: 'bsc', amount })).toEqual({ fee, networkCost: 0n });
  });

  test('includes the price of its own network only', () => {
    expect(costsOf(rate(), { network: 'ethereum', amount: 5000n }).networkCost).toBe(300n);
    expect(costsOf(rate(), { network: 'tron', amount: 5000n }).networkCost).toBe(0n);
  });

  test('is nothing without a rate', () => {
    expect(costsOf(null, { network: 'ethereum', amount: 5000n })).toEqual({ fee: 0n, networkCost: 0n });
    expect(mostPayable(null, { network: 'ethereum', available: 5000n })).toBe(5000n);
  });
});

const cents = (max: bigint) => fc.bigInt({ min: 0n, max });
const rates = fc.record({
  ...{ basisPoints: cents(1000n), fixed: cents(10_000n), minimum: cents(10_000n) },
  networkCosts: fc.record({ ethereum: cents(10_000n) }),
});

test('the most that a balance pays is covered with its costs, and a cent more is not', () => {
  fc.assert(
    fc.property(rates, cents(10n ** 15n), (given, available) => {
      const total = (amount: bigint): bigint => {
        const { fee, networkCost } = costsOf(given, { network: 'ethereum', amount });
        return amount + fee + networkCost;
      };
      const most = mostPayable(given, { network: 'ethereum', available });
      if (most >= 0n) expect(total(most)).toBeLessThanOrEqual(available);
      const next = most < 0n ? 0n : most + 1n;
      expect(total(next)).toBeGreaterThan(available);
    }),
    { numRuns: 2000 },
  );
});
