import { describe, expect, it } from 'vitest';
import { commitTo, debtOf, SHARES, type StoreDebt } from './liabilities';
import { NODE_BYTES, nodeFrom, siblingsOf, sumTree } from './tree';

const ASSET = { environment: 'test', network: 'ethereum', currency: 'USDT' };
const debt = (storeId: string, available: bigint, rest: Partial<StoreDebt> = {}): StoreDebt => ({
  ...{ storeId, available, unresolved: 0n, refunds: 0n, payouts: 0n },
  ...rest,
});

describe('the tree of a token', () => {
  it('has the sum of all balances, and every share where its store finds it', () => {
    const debts = Array.from({ length: 37 }, (_, at) => debt(`store_${at}`, BigInt(at * at), { payouts: BigInt(at) }));
    const { tree, stores } = commitTo(ASSET, debts);
    expect(tree.sum).toBe(debts.reduce((sum, one) => sum + debtOf(one), 0n));
    expect(tree.depth).toBe(8);
    for (const { shares, ...one } of stores) {
      expect(shares).toHaveLength(SHARES);
      expect(shares.reduce((sum, { amount }) => sum + amount, 0n)).toBe(debtOf(one));
      for (const { amount, index } of shares) {
        const node = (2 ** tree.depth + index) * NODE_BYTES;
        expect(nodeFrom(tree.nodes.subarray(node, node + NODE_BYTES)).sum).toBe(amount.toString());
      }
    }
    const places = stores.flatMap(({ shares }) => shares.map(({ index }) => index));
    expect(new Set(places).size).toBe(37 * SHARES);
  });

  it('has one depth for up to sixteen stores, so a path does not tell one store from sixteen', () => {
    const depthOf = (stores: number) =>
      commitTo(
        ASSET,
        Array.from({ length: stores }, (_, at) => debt(`store_${at}`, 5n)),
      ).tree.depth;
    expect([0, 1, 2, 16].map(depthOf)).toEqual([6, 6, 6, 6]);
    expect(depthOf(17)).toBe(7);
  });

  it('exists without stores and for empty balances, with the sum zero', () => {
    expect(commitTo(ASSET, []).tree.sum).toBe(0n);
    expect(commitTo(ASSET, [debt('store_a', 0n)]).tree.sum).toBe(0n);
  });

  it('has another root each time, because salts and shares are random', () => {
    const debts = [debt('store_a', 100n), debt('store_b', 100n)];
    expect(commitTo(ASSET, debts).tree.root).not.toBe(commitTo(ASSET, debts).tree.root);
  });

  it.each(['available', 'unresolved', 'refunds', 'payouts'] as const)(
    'refuses a store whose %s amount is negative, even if its other parts are larger',
    (part) => {
      const negative = { ...debt('store_a', 50n, { unresolved: 50n }), [part]: -1n };
      expect(() => commitTo(ASSET, [negative, debt('store_b', 10n)])).toThrow(/negative/);
    },
  );

  it('refuses amounts that are negative or do not fit, and a number of leaves that is not a power of two', () => {
    const hash = Buffer.alloc(32);
    expect(() => sumTree([{ hash, amount: -1n }])).toThrow(/negative or too large/);
    expect(() => sumTree([0, 1].map(() => ({ hash, amount: (1n << 255n) - 1n })))).toThrow(/too large/);
    expect(() => sumTree([0, 1, 2].map(() => ({ hash, amount: 1n })))).toThrow(/power of two/);
  });

  it('names the siblings from the leaf to the root', () => {
    expect(siblingsOf(5, 3)).toEqual([12, 7, 2]);
    expect(siblingsOf(0, 0)).toEqual([]);
  });
});
