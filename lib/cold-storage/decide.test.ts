import fc from 'fast-check';
import { expect, test } from 'vitest';
import { walletLevels } from '@/lib/networks/wallet-levels';
import { excessOf, isStillExcess } from './decide';
import type { Funds } from './funds';

const [levels] = walletLevels(['tron@mainnet/USDT=100:500']);
const USD = 1_000_000n;
const NO_LIMIT = 10n ** 12n;
const funds = (balance: bigint | null, needed = 0n): Funds => ({
  ...{ chainId: 1, wallet: 'T1', balance, needed, isDisputed: false, hold: null },
});

test('moves what is above the target, once the high-water mark is passed', () => {
  expect(excessOf(levels!, funds(500n * USD), NO_LIMIT)).toEqual({ hold: 'below_high' });
  expect(excessOf(levels!, funds(500n * USD + 1n), NO_LIMIT)).toEqual({ cents: 200_00n });
  expect(excessOf(levels!, funds(1000n * USD), NO_LIMIT)).toEqual({ cents: 700_00n });
});

test('counts what refunds and payouts need as if it were gone', () => {
  expect(excessOf(levels!, funds(1000n * USD, 500n * USD), NO_LIMIT)).toEqual({ hold: 'below_high' });
  expect(excessOf(levels!, funds(1000n * USD, 499n * USD), NO_LIMIT)).toEqual({ cents: 201_00n });
});

test('moves at most what the signer allows, and whole cents', () => {
  expect(excessOf(levels!, funds(1000n * USD + 9999n), NO_LIMIT)).toEqual({ cents: 700_00n });
  expect(excessOf(levels!, funds(1000n * USD), 50n)).toEqual({ cents: 50n });
  expect(excessOf(levels!, funds(1000n * USD), 0n)).toEqual({ hold: 'limit' });
});

test('moves nothing without a recent reading, or while ledger and chain disagree', () => {
  expect(excessOf(levels!, null, NO_LIMIT)).toEqual({ hold: 'not_read' });
  expect(excessOf(levels!, funds(null), NO_LIMIT)).toEqual({ hold: 'not_read' });
  expect(excessOf(levels!, { ...funds(1000n * USD), isDisputed: true }, NO_LIMIT)).toEqual({ hold: 'discrepancy' });
});

test('what is moved always leaves the low-water mark and what is needed', () => {
  const amount = fc.bigInt({ min: 0n, max: 5000n * USD });
  fc.assert(
    fc.property(amount, amount, (balance, needed) => {
      const excess = excessOf(levels!, funds(balance, needed), NO_LIMIT);
      if ('hold' in excess) return;
      const units = excess.cents * 10_000n;
      expect(isStillExcess(levels!, funds(balance, needed), units)).toBe(true);
      expect(balance - units - needed >= levels!.low).toBe(true);
      expect(isStillExcess(levels!, funds(balance, needed + levels!.high), units)).toBe(false);
    }),
  );
});
