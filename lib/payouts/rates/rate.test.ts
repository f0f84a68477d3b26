import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { costsOf, isDearer, mostPayable, type PricedFees, type RateTerms } from './rate';

const rate = (over: Partial<PricedFees> = {}): PricedFees => ({
  ...{ basisPoints: 100n, fixed: 50n, minimum: 100n, prices: { ethereum: 300n } },
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
  prices: fc.record({ ethereum: cents(10_000n) }),
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

describe('a rate may cost a store more than the one before', () => {
  const terms = (over: Partial<RateTerms> = {}): RateTerms => ({
    ...{ basisPoints: 100n, fixed: 50n, minimum: 100n, networkCosts: { bsc: 30n }, atCost: { ethereum: 200n } },
    ...over,
  });
  test.each<[string, boolean, RateTerms | null, RateTerms | null]>([
    ['when the share is higher', true, terms(), terms({ basisPoints: 101n })],
    ['when one part is higher and all others are lower', true, terms(), terms({ basisPoints: 0n, minimum: 101n })],
    ['when a fixed price is higher', true, terms(), terms({ networkCosts: { bsc: 31n } })],
    ['when the bound of a price at cost is higher', true, terms(), terms({ atCost: { ethereum: 201n } })],
    ['when another network has a price', true, terms(), terms({ networkCosts: { bsc: 30n, tron: 1n } })],
    ['when a fixed price replaces the real cost', true, terms(), terms({ networkCosts: { ethereum: 1n }, atCost: {} })],
    ['when it is the first', true, null, terms()],
    ['but not when it is the same', false, terms(), terms()],
    [
      'but not when the real cost replaces a fixed price that bounds it',
      false,
      terms(),
      terms({ networkCosts: {}, atCost: { bsc: 30n } }),
    ],
    ['but not when it ends', false, terms(), null],
    [
      'but not when the first one is free',
      false,
      null,
      terms({ basisPoints: 0n, fixed: 0n, minimum: 0n, networkCosts: {}, atCost: {} }),
    ],
  ])('%s', (_, expected, before, after) => expect(isDearer(before, after)).toBe(expected));
});
