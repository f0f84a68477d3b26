// Which amounts of a session a refund takes first. sources.test.ts has how much it takes.

import { describe, expect, test } from 'vitest';
import { centsToBaseUnits } from '@/lib/money/amounts';
import type { AssetAmount } from './postings';
import { planRefund, type DecimalsOf, type RefundPlan } from './sources';

const decimalsOf: DecimalsOf = ({ network }) => (network === 'bsc' ? 18 : 6);
const asset = (network: string, cents: number, currency = 'USDT'): AssetAmount => ({
  network,
  currency,
  amount: centsToBaseUnits(BigInt(cents), decimalsOf({ network, currency })),
});
/** The plan, which must be the same whatever the order in which the amounts were read. */
function plan(remaining: readonly AssetAmount[], cents: number, ...networks: string[]): RefundPlan | null {
  const request = { cents: BigInt(cents), currency: 'USDT', networks };
  const found = planRefund(remaining, request, decimalsOf);
  expect(planRefund(remaining.toReversed(), request, decimalsOf)).toEqual(found);
  return found;
}

describe('a refund is paid', () => {
  test('on the first network that has exactly enough', () => {
    const found = plan([asset('bsc', 10_00), asset('ethereum', 2_00)], 2_00, 'ethereum', 'bsc');
    expect(found).toEqual({ network: 'ethereum', takes: [asset('ethereum', 2_00)] });
  });

  test('where most of the token is, whatever its decimals, and on the preferred network among equals', () => {
    expect(plan([asset('bsc', 1_00), asset('ethereum', 5_00)], 5_50, 'bsc', 'ethereum')?.network).toBe('ethereum');
    expect(plan([asset('bsc', 5_00), asset('ethereum', 5_00)], 5_50, 'ethereum', 'bsc')?.network).toBe('ethereum');
    expect(plan([asset('bsc', 5_00), asset('ethereum', 5_00)], 5_50, 'bsc', 'ethereum')?.network).toBe('bsc');
  });
});

describe('a refund takes', () => {
  test('the larger of two amounts that are equally near', () => {
    const remaining = [asset('bsc', 3_00, 'USDC'), asset('tron', 4_00, 'USDC')];
    expect(plan(remaining, 5_00, 'ethereum')?.takes).toEqual([asset('tron', 4_00, 'USDC'), asset('bsc', 1_00, 'USDC')]);
  });

  test('the other token on its network before the other token elsewhere, however little it is', () => {
    const remaining = [asset('bsc', 5_00, 'USDC'), asset('ethereum', 1_00, 'USDC')];
    expect(plan(remaining, 3_00, 'ethereum')?.takes).toEqual([
      asset('ethereum', 1_00, 'USDC'),
      asset('bsc', 2_00, 'USDC'),
    ]);
  });

  test('an amount of a cent in its order, and one below a cent last', () => {
    const larger = asset('bsc', 5_00);
    expect(plan([asset('ethereum', 1), larger], 5_01, 'ethereum')?.takes).toEqual([asset('ethereum', 1), larger]);
    const dust = { ...asset('ethereum', 0), amount: 9_999n };
    const missing = { ...larger, amount: larger.amount - 10n ** 15n };
    expect(plan([dust, missing], 5_00, 'ethereum')?.takes).toEqual([missing, { ...dust, amount: 1_000n }]);
  });

  test('nothing of an asset whose base unit is larger than what is missing', () => {
    const almost = { ...asset('bsc', 10_00), amount: asset('bsc', 10_00).amount - 1n };
    expect(plan([almost, asset('ethereum', 5_00)], 10_00, 'bsc')?.takes).toEqual([almost]);
  });
});
