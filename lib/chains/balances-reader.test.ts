import { describe, expect, it } from 'vitest';
import { agreeOnBalances, type Held } from './balances-reader';

const block = (number: number) => ({ number, hash: `0x${number}`, parentHash: '0x', time: number * 10 });
const held = (amount: bigint, from: number, through = from): Held => ({
  amount,
  from: block(from),
  through: block(through),
});
const vote = (entries: Record<string, Held>) => new Map(Object.entries(entries));

describe('balances', () => {
  it('count when as many endpoints tell them as are needed, as of all blocks at which they did', () => {
    const agreed = agreeOnBalances([vote({ a: held(5n, 10, 12) }), vote({ a: held(5n, 8, 9) })], 2);
    expect(agreed.get('a')).toEqual(held(5n, 8, 12));
  });

  it('are not known when endpoints differ, while others are', () => {
    const agreed = agreeOnBalances(
      [vote({ a: held(5n, 10), b: held(1n, 10) }), vote({ a: held(6n, 10), b: held(1n, 11) })],
      2,
    );
    expect([...agreed.keys()]).toEqual(['b']);
  });

  it('are what most tell, and nobody’s when two sides are as many as needed', () => {
    const three = [held(5n, 1), held(5n, 2), held(9n, 3)].map((one) => vote({ a: one }));
    expect(agreeOnBalances(three, 2).get('a')?.amount).toBe(5n);
    expect(agreeOnBalances(three, 1).size).toBe(0);
  });

  it('are not read at all when too few endpoints answered', () => {
    expect(() => agreeOnBalances([vote({ a: held(5n, 1) })], 2)).toThrow('1 endpoints told balances, and 2 must');
  });
});
