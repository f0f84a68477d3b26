import { describe, expect, it } from 'vitest';
import { agreeOnBalances, balancesOf, type FinalBalance, type Vote } from './balances-reader';

const block = (number: number) => ({ number, hash: `0x${number}`, parentHash: '0x', time: number * 10 });
const held = (amount: bigint, from: number, through = from): FinalBalance => ({
  amount,
  from: block(from),
  through: block(through),
});
const vote = (entries: Record<string, FinalBalance>, by = '') =>
  new Map(Object.entries(entries).map(([address, one]): [string, Vote] => [address, { ...one, by }]));

describe('balances', () => {
  it('count once enough endpoints report them, at all blocks of their reports', () => {
    const agreed = agreeOnBalances([vote({ a: held(5n, 10, 12) }), vote({ a: held(5n, 8, 9) })], 2);
    expect(agreed.get('a')).toEqual(held(5n, 8, 12));
  });

  it('are unknown where endpoints differ, while other balances are known', () => {
    const agreed = agreeOnBalances(
      [vote({ a: held(5n, 10), b: held(1n, 10) }), vote({ a: held(6n, 10), b: held(1n, 11) })],
      2,
    );
    expect([...agreed.keys()]).toEqual(['b']);
  });

  it('follow the majority, and are unknown when two sides have enough reports', () => {
    const three = [held(5n, 1), held(5n, 2), held(9n, 3)].map((one) => vote({ a: one }));
    expect(agreeOnBalances(three, 2).get('a')?.amount).toBe(5n);
    expect(agreeOnBalances(three, 1).size).toBe(0);
  });

  it('throw when too few endpoints answered', () => {
    expect(() => agreeOnBalances([vote({ a: held(5n, 1) })], 2)).toThrow('1 endpoints reported balances, and 2 must');
  });
});

describe('balances for the proof that no payment was missed', () => {
  const completeness = (amounts: readonly bigint[], needed: number) => {
    const votes = amounts.map((amount, index) => vote({ a: held(amount, 10 + index) }, `endpoint ${index + 1}`));
    return balancesOf(votes, needed, { forCompleteness: true }).get('a');
  };

  it('are the highest with enough reports, so that one endpoint neither hides nor invents a payment', () => {
    expect(completeness([7n, 0n, 7n], 2)).toMatchObject(held(7n, 10));
    expect(completeness([0n, 1n, 0n], 2)).toMatchObject(held(0n, 10));
    expect(completeness([5n, 5n], 2)).toMatchObject(held(5n, 10));
  });

  it('are disputed where endpoints differ and neither side has enough reports', () => {
    expect(completeness([0n, 7n], 2)).toMatchObject({ ...held(7n, 11), disputedBy: ['endpoint 2'] });
    expect(completeness([1n, 2n, 3n], 2)).toMatchObject({ ...held(3n, 12), disputedBy: ['endpoint 3'] });
  });

  it('are known while an endpoint is away, and the highest if one endpoint is enough', () => {
    expect(completeness([4n], 2)).toMatchObject(held(4n, 10));
    expect(completeness([4n, 6n], 1)).toMatchObject(held(6n, 11));
  });
});
