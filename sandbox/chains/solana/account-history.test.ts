import type { Address, EncodedAccount } from '@solana/kit';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { AccountHistory, type AccountState } from './account-history';

const ADDRESSES = ['a', 'b', 'c'] as Address[];
const stateOf = (number: number): AccountState =>
  number === 0 ? null : ({ address: 'x', lamports: BigInt(number) } as unknown as EncodedAccount);

/** The reference: a chain that keeps every state of every slot. */
type Model = { slot: number; final: number; states: Map<number, Map<Address, AccountState>> };
type Step =
  | { kind: 'change'; address: Address; to: number }
  | { kind: 'slot' }
  | { kind: 'settle' }
  | { kind: 'drop'; depth: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('change' as const),
      address: fc.constantFrom(...ADDRESSES),
      to: fc.nat(5),
    }),
  },
  { weight: 4, arbitrary: fc.constant({ kind: 'slot' as const }) },
  fc.constant({ kind: 'settle' as const }),
  fc.record({ kind: fc.constant('drop' as const), depth: fc.integer({ min: 1, max: 3 }) }),
);

test('keeps every state since finality, and restores exactly the earlier state after a dropped fork', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const history = new AccountHistory();
      const live = new Map<Address, AccountState>(ADDRESSES.map((address) => [address, null]));
      const model: Model = { slot: 1, final: 0, states: new Map([[0, new Map(live)]]) };
      for (const one of steps) take(one, history, live, model);
      model.states.set(model.slot, new Map(live));
      for (let slot = model.final; slot <= model.slot; slot++) {
        for (const address of ADDRESSES) {
          const remembered = history.at(address, slot);
          const expected = model.states.get(slot)?.get(address);
          if (expected !== undefined) expect(remembered === undefined ? live.get(address) : remembered).toBe(expected);
        }
      }
    }),
    { numRuns: 500 },
  );
});

function take(one: Step, history: AccountHistory, live: Map<Address, AccountState>, model: Model): void {
  switch (one.kind) {
    case 'change': {
      const after = stateOf(one.to);
      history.record(one.address, model.slot, live.get(one.address) ?? null, after);
      live.set(one.address, after);
      return;
    }
    case 'slot':
      model.states.set(model.slot, new Map(live));
      model.slot++;
      return;
    case 'settle':
      model.final = Math.max(model.final, model.slot - 4);
      history.forgetBefore(model.final);
      return;
    case 'drop': {
      const kept = Math.max(model.final, model.slot - one.depth);
      if (!model.states.has(kept)) return;
      for (const [address, state] of history.rollBackTo(kept)) live.set(address, state);
      // The slots of the dropped blocks are skipped: their state is that of the block before.
      for (let slot = kept + 1; slot <= model.slot; slot++) model.states.set(slot, new Map(model.states.get(kept)));
      model.slot++;
      return;
    }
  }
  one satisfies never;
}

test('does not keep accounts that did not change after finality', () => {
  const history = new AccountHistory();
  history.record('a' as Address, 5, null, stateOf(1));
  history.record('b' as Address, 9, stateOf(1), stateOf(2));
  history.forgetBefore(7);
  expect([...history.addresses()]).toEqual(['b']);
  history.forgetBefore(9);
  expect([...history.addresses()]).toEqual([]);
});
