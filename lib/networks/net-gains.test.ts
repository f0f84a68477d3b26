// The amounts in and out of an address in one transaction, for any movements: together they are the change of its balance.

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { netGains, netLosses, type Move } from './net-gains';

const TOKENS = ['usdt', 'usdc'];
const PEOPLE = ['ann', 'bob', 'cid', 'dan'];
type Placed = Move & { readonly ordinal: number };
/** Decoders drop transfers of zero and from an address to itself before. */
const movements = fc
  .array(
    fc.record({
      contract: fc.constantFrom(...TOKENS),
      from: fc.constantFrom(...PEOPLE),
      to: fc.constantFrom(...PEOPLE),
      value: fc.bigInt({ min: 1n, max: 1n << 200n }),
    }),
    { maxLength: 12 },
  )
  .map((all) => all.filter(({ from, to }) => from !== to).map((one, ordinal): Placed => ({ ...one, ordinal })));
const watchedSome = fc.subarray(PEOPLE);

const read = (all: readonly Placed[], watched: readonly string[]) => ({
  gains: netGains(
    all.filter(({ to }) => watched.includes(to)),
    all,
  ),
  losses: netLosses(
    all.filter(({ from }) => watched.includes(from)),
    all,
  ),
});
const sum = (all: readonly Move[]) => all.reduce((total, { value }) => total + value, 0n);

it('amounts in minus amounts out equal the change of the balance of every watched address', () => {
  fc.assert(
    fc.property(movements, watchedSome, (all, watched) => {
      const { gains, losses } = read(all, watched);
      for (const us of watched) {
        for (const token of TOKENS) {
          const of = (list: readonly Placed[], side: 'from' | 'to') =>
            sum(list.filter((one) => one.contract === token && one[side] === us));
          expect(of(gains, 'to') - of(losses, 'from')).toBe(of(all, 'to') - of(all, 'from'));
          // Never both: what an address receives and sends on in the same transaction counts as neither.
          expect(of(gains, 'to') === 0n || of(losses, 'from') === 0n).toBe(true);
        }
      }
    }),
  );
});

it('every gain and loss is a part of its own movement', () => {
  fc.assert(
    fc.property(movements, watchedSome, (all, watched) => {
      const { gains, losses } = read(all, watched);
      for (const side of [gains, losses]) {
        expect(new Set(side.map(({ ordinal }) => ordinal)).size).toBe(side.length);
        for (const { value, ...rest } of side) {
          expect(all[rest.ordinal]).toMatchObject(rest);
          expect(value > 0n && value <= all[rest.ordinal]!.value).toBe(true);
        }
      }
    }),
  );
});

it('deducts what was received from the first outgoing transfer', () => {
  const move = (from: string, to: string, value: bigint): Move => ({ contract: 'usdt', from, to, value });
  const all = [move('ann', 'bob', 5n), move('ann', 'cid', 7n), move('cid', 'ann', 6n)];
  expect(netLosses(all.slice(0, 2), all)).toEqual([move('ann', 'cid', 6n)]);
});
