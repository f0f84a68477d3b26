import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { centsToBaseUnits, COMMON_DECIMALS, toCommon } from '@/lib/money/amounts';
import type { AssetAmount } from './postings';
import { planRefund, type RequestedRefund, type DecimalsOf } from './sources';

const decimalsOf: DecimalsOf = ({ network }) => (network === 'bsc' ? 18 : 6);
const asset = (network: string, cents: number, currency = 'USDT'): AssetAmount => ({
  network,
  currency,
  amount: centsToBaseUnits(BigInt(cents), decimalsOf({ network, currency })),
});
const plan = (remaining: readonly AssetAmount[], cents: number, over: Partial<RequestedRefund> = {}) =>
  planRefund(remaining, { cents: BigInt(cents), currency: 'USDT', networks: ['ethereum', 'bsc'], ...over }, decimalsOf);
const value = (amounts: readonly AssetAmount[]): bigint =>
  amounts.reduce((sum, one) => sum + toCommon(one.amount, decimalsOf(one)), 0n);

describe('a refund', () => {
  it('takes the token that arrived, where it arrived', () => {
    expect(plan([asset('bsc', 10_00), asset('ethereum', 2_50)], 2_00)).toEqual({
      network: 'ethereum',
      takes: [asset('ethereum', 2_00)],
    });
    // The network that completed the session has too little of it, and another one enough.
    expect(plan([asset('bsc', 10_00), asset('ethereum', 2_50)], 10_00)).toEqual({
      network: 'bsc',
      takes: [asset('bsc', 10_00)],
    });
  });

  it('takes all of one asset before it converts another, and pays where most of the token is', () => {
    expect(plan([asset('bsc', 10_00), asset('ethereum', 2_50)], 12_50)).toEqual({
      network: 'bsc',
      takes: [asset('bsc', 10_00), asset('ethereum', 2_50)],
    });
  });

  it('takes the same token on other networks before the other token', () => {
    const remaining = [asset('ethereum', 5_00, 'USDC'), asset('bsc', 5_00), asset('ethereum', 1_00)];
    expect(plan(remaining, 6_00, { networks: ['ethereum'] })?.takes).toEqual([
      asset('ethereum', 1_00),
      asset('bsc', 5_00),
    ]);
    expect(plan([asset('ethereum', 5_00, 'USDC')], 3_00)).toEqual({
      network: 'ethereum',
      takes: [asset('ethereum', 3_00, 'USDC')],
    });
  });

  it('takes an amount below a cent only when nothing else is left, from any sender', () => {
    const dust = { network: 'ethereum', currency: 'USDC', amount: 9_000n };
    const remaining = [asset('ethereum', 6_00), dust, asset('bsc', 4_00, 'USDC')];
    expect(plan(remaining, 10_00)?.takes).toEqual([asset('ethereum', 6_00), asset('bsc', 4_00, 'USDC')]);
    const short = [asset('ethereum', 6_00), dust, { ...asset('bsc', 4_00, 'USDC'), amount: 3_995n * 10n ** 15n }];
    expect(plan(short, 10_00)?.takes.at(-1)).toEqual({ ...dust, amount: 5_000n });
  });

  it('above the remaining amount, or without a network, has no plan', () => {
    expect(plan([asset('bsc', 10_00)], 10_01)).toBeNull();
    expect(plan([asset('bsc', 10_00)], 1_00, { networks: [] })).toBeNull();
  });

  it('loses no cent to fractions: amounts that arrived in parts of a cent are refunded in full', () => {
    const remaining = [
      { ...asset('bsc', 0), amount: 6_255_000_000_000_000_001n },
      { ...asset('ethereum', 0), amount: 6_245_000n },
    ];
    expect(plan(remaining, 12_50)?.takes).toEqual([remaining[0], { ...remaining[1], amount: 6_244_999n }]);
  });
});

it('any refunds of a session up to the received amount are funded, and the operator adds less than a base unit to each', () => {
  const amounts = fc.array(
    fc.record({
      network: fc.constantFrom('ethereum', 'bsc', 'tron'),
      currency: fc.constantFrom('USDT', 'USDC'),
      units: fc.bigInt({ min: 1n, max: 10n ** 19n }),
    }),
    { minLength: 1, maxLength: 4 },
  );
  fc.assert(
    fc.property(
      amounts,
      fc.array(fc.nat(2000), { maxLength: 8 }),
      fc.constantFrom('USDT', 'USDC'),
      (given, asked, currency) => {
        let remaining: readonly AssetAmount[] = given
          .filter((one, at) => given.findIndex((x) => x.network === one.network && x.currency === one.currency) === at)
          .map(({ units, ...one }) => ({ ...one, amount: one.network === 'bsc' ? units : units / 10n ** 12n + 1n }));
        let price = value(remaining) / 10n ** 16n;
        const networks = [...new Set(remaining.map(({ network }) => network))];
        for (const [at, part] of asked.entries()) {
          const cents = at === asked.length - 1 ? price : BigInt(part) < price ? BigInt(part) : price;
          if (cents === 0n) continue;
          price -= cents;
          const found = planRefund(remaining, { cents, currency, networks }, decimalsOf);
          expect(found).not.toBeNull();
          const short = centsToBaseUnits(cents, COMMON_DECIMALS) - value(found?.takes ?? []);
          expect(short >= 0n && short < toCommon(1n, 6)).toBe(true);
          remaining = remaining.map((one) => {
            const take = found?.takes.find((x) => x.network === one.network && x.currency === one.currency);
            return { ...one, amount: one.amount - (take?.amount ?? 0n) };
          });
          expect(remaining.every(({ amount }) => amount >= 0n)).toBe(true);
        }
      },
    ),
  );
});
