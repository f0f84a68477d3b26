import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  COST_RECOVERY,
  conversionPostings,
  FEES,
  OPERATOR,
  RECEIVED,
  REFUND_WALLET,
  fundingPostings,
  isSameAsset,
  movePostings,
  outflowPostings,
  paidPostings,
  refundAccount,
  reservationPostings,
  shortfallOf,
  storeAccount,
  transferPostings,
  TREASURY,
  unresolvedAccount,
  type AssetAmount,
  type Posting,
} from './postings';

const usdt = (amount: bigint): AssetAmount => ({ network: 'ethereum', currency: 'USDT', amount });
const usdc = (amount: bigint): AssetAmount => ({ network: 'ethereum', currency: 'USDC', amount });
const onBsc = (amount: bigint): AssetAmount => ({ network: 'bsc', currency: 'USDT', amount });
const sum = (postings: readonly Posting[]): bigint => postings.reduce((total, { amount }) => total + amount, 0n);
const amounts = fc.bigInt({ min: 0n, max: 10n ** 30n });

test('each account has its own name, which stored entries contain, so that no two kinds of money share one', () => {
  expect([RECEIVED, TREASURY, REFUND_WALLET, OPERATOR, COST_RECOVERY, FEES]).toEqual([
    'received',
    'treasury',
    'refund_wallet',
    'operator',
    'cost_recovery',
    'fees',
  ]);
  expect([storeAccount('st_1'), unresolvedAccount('st_1'), refundAccount('st_1')]).toEqual([
    'store:st_1',
    'unresolved:st_1',
    'refund:st_1',
  ]);
});

describe('a transfer', () => {
  test('is an asset, of which the store is owed its share and the rest is unresolved', () => {
    expect(transferPostings({ storeId: 's', amount: 100n, toStore: 60n })).toEqual([
      { account: 'received', amount: 100n },
      { account: 'store:s', amount: -60n },
      { account: 'unresolved:s', amount: -40n },
    ]);
  });

  test('that is undivided has no posting of zero', () => {
    expect(transferPostings({ storeId: 's', amount: 100n, toStore: 100n })).toEqual([
      { account: 'received', amount: 100n },
      { account: 'store:s', amount: -100n },
    ]);
    expect(transferPostings({ storeId: 's', amount: 100n, toStore: 0n })).toEqual([
      { account: 'received', amount: 100n },
      { account: 'unresolved:s', amount: -100n },
    ]);
  });
});

test('an unresolved amount becomes the store’s, or is owed to a customer', () => {
  expect(movePostings({ storeId: 's', amount: 5n, to: 'store' })).toEqual([
    { account: 'unresolved:s', amount: 5n },
    { account: 'store:s', amount: -5n },
  ]);
  expect(movePostings({ storeId: 's', amount: 5n, to: 'refund' })).toEqual([
    { account: 'unresolved:s', amount: 5n },
    { account: 'refund:s', amount: -5n },
  ]);
});

test('two amounts are of the same asset only when network and token agree', () => {
  expect(isSameAsset(usdt(1n), usdt(2n))).toBe(true);
  expect(isSameAsset(usdt(1n), usdc(1n))).toBe(false);
  expect(isSameAsset(usdt(1n), onBsc(1n))).toBe(false);
});

test('a reservation moves each asset from the store to its refunds', () => {
  expect(reservationPostings('s', [usdt(3n), onBsc(4n)])).toEqual([
    { ...usdt(3n), account: 'store:s' },
    { ...usdt(-3n), account: 'refund:s' },
    { ...onBsc(4n), account: 'store:s' },
    { ...onBsc(-4n), account: 'refund:s' },
  ]);
});

test('the shortfall is what is missing in the paid asset, and nothing when nothing was reserved', () => {
  expect(shortfallOf(usdt(10n), [])).toBe(0n);
  expect(shortfallOf(usdt(10n), [usdt(10n)])).toBe(0n);
  expect(shortfallOf(usdt(10n), [usdt(2n), usdt(3n), usdc(5n), onBsc(9n)])).toBe(5n);
  expect(shortfallOf(usdt(10n), [usdc(10n)])).toBe(10n);
});

test('a conversion gives the operator the other assets, and the operator provides the paid one', () => {
  expect(conversionPostings('s', { paid: usdt(10n), reserved: [usdt(4n), usdc(5n), onBsc(6n)] })).toEqual([
    { ...usdc(5n), account: 'refund:s' },
    { ...usdc(-5n), account: 'operator' },
    { ...onBsc(6n), account: 'refund:s' },
    { ...onBsc(-6n), account: 'operator' },
    { ...usdt(6n), account: 'operator' },
    { ...usdt(-6n), account: 'refund:s' },
  ]);
});

test('a paid refund reduces the wallet and what the customer is owed', () => {
  expect(paidPostings({ storeId: 's', paid: usdt(7n) })).toEqual([
    { ...usdt(-7n), account: 'refund_wallet' },
    { ...usdt(7n), account: 'refund:s' },
  ]);
});

test('a deposit of the operator is the operator’s money in the wallet', () => {
  expect(fundingPostings(usdt(7n))).toEqual([
    { ...usdt(7n), account: 'refund_wallet' },
    { ...usdt(-7n), account: 'operator' },
  ]);
});

test.each([
  ['sweep', 'treasury'],
  ['withdrawal', 'operator'],
  ['token_fee', 'operator'],
] as const)('a %s takes money from the deposit addresses to the account %s, and no store is owed less', (kind, to) => {
  expect(outflowPostings(kind, 7n)).toEqual([
    { account: to, amount: 7n },
    { account: 'received', amount: -7n },
  ]);
});

test('every entry sums to zero per asset, for any amounts', () => {
  const reserved = fc.array(fc.oneof(amounts.map(usdt), amounts.map(usdc), amounts.map(onBsc)), { maxLength: 5 });
  fc.assert(
    fc.property(amounts, amounts, reserved, (one, other, assets) => {
      const [amount, toStore] = one > other ? [one, other] : [other, one];
      expect(sum(transferPostings({ storeId: 's', amount, toStore }))).toBe(0n);
      for (const to of ['store', 'refund'] as const) expect(sum(movePostings({ storeId: 's', amount, to }))).toBe(0n);
      for (const postings of [
        reservationPostings('s', assets),
        conversionPostings('s', { paid: usdt(amount), reserved: assets }),
        fundingPostings(usdt(amount)),
        paidPostings({ storeId: 's', paid: usdt(amount) }),
      ]) {
        for (const asset of [usdt(0n), usdc(0n), onBsc(0n)]) {
          expect(sum(postings.filter((posting) => isSameAsset(posting, asset)))).toBe(0n);
        }
      }
    }),
  );
});
