// The model mode itself: its histories, and that it notices each kind of difference.

import { describe, expect, it } from 'vitest';
import { differences } from './compare';
import { MODEL_STEPS, runModel, shrinkModel } from './history';
import { openModel, settleBoth, type Model, type Payment } from './model';

const HISTORIES = 200;
const ALL = Array.from({ length: MODEL_STEPS }, (_, index) => index + 1);

it('finds no difference between product and naive implementation', () => {
  const failed = [];
  for (let seed = 1; seed <= HISTORIES; seed++) {
    const { faults, failedAt } = runModel(seed, ALL);
    if (failedAt !== null) failed.push({ seed, failedAt, faults });
  }
  expect(failed).toEqual([]);
});

// The second conversion uses money that the first one brought; then the first one is undone.
it('agrees that a refund of the paid asset alone needs nothing of the operator', () => {
  expect(runModel(371_299, ALL).faults).toEqual([]);
});

it('gives the same trace for the same seed, and another one for another seed', () => {
  const [one, again, other] = [runModel(7, ALL), runModel(7, ALL), runModel(8, ALL)];
  expect(again.story).toEqual(one.story);
  expect(other.story).not.toEqual(one.story);
});

/** A completed session with a surplus, the same in both implementations. */
function completed(): Model {
  const model = openModel(1);
  const [pair] = model.terms.pairs;
  const amount = (model.terms.dueCents + 300n) * 10n ** 16n;
  const payment: Payment = {
    ...{ ...pair!, id: '1', amount, decimals: 18, blockTime: model.now, hash: '0x1', ordinal: 0, payer: 'Alice' },
  };
  for (const side of [model.product, model.naive]) side.find([payment]);
  settleBoth(model);
  return model;
}

describe('a difference is reported', () => {
  it('not while there is none', () => expect(differences(completed())).toEqual([]));

  const doctored: readonly (readonly [string, (model: Model) => void, RegExp])[] = [
    [
      'of the status',
      ({ product }) => (product.status = 'expired'),
      /^the session is expired, and should be completed$/,
    ],
    ['of the amount received', ({ product }) => (product.received += 1n), /^the cents received are \d+, and should be/],
    [
      'of the session’s exception',
      ({ product }) => (product.exception = 'none'),
      /^the exception of the session is none/,
    ],
    [
      'of what can be refunded',
      ({ product }) => (product.closedAt = new Date(0)),
      /^the cents that can be refunded are 0/,
    ],
    [
      'of the kind of an exception',
      (model) => change(model, { kind: 'late' }),
      /^what the exception is, of payment 1 late/,
    ],
    ['of a decision', (model) => change(model, { state: 'left' }), /^what the decision is, of payment 1 left/],
    ['of what waits', (model) => change(model, { counted: 1n }), /^what waits of payment 1 \d+, and should be/],
    [
      'of a balance',
      ({ product }) => product.book.balances.set('operator bsc-USDT', 1n),
      /^the balance of operator bsc-USDT 1/,
    ],
    [
      'of a missing balance',
      ({ product }) => product.book.balances.clear(),
      /^the balance of received .* 0, and should/,
    ],
  ];
  it.each(doctored)('%s', (_, doctor, sentence) => {
    const model = completed();
    doctor(model);
    expect(differences(model)[0]).toMatch(sentence);
  });
});

const change = ({ product }: Model, changes: object): void => {
  const [stored] = product.stored;
  stored!.exception = { ...stored!.exception!, ...changes };
};

it('shrinks a failed history to the steps that it needs', () => {
  const compare = ({ product }: Model): string[] =>
    product.status === 'completed' && product.exception === 'over' ? ['it is overpaid'] : [];
  const failed = [...Array(40).keys()]
    .map((seed) => runModel(seed, ALL, compare))
    .find(({ faults }) => faults.length > 0)!;
  const short = shrinkModel(failed, ALL, compare);
  expect(short.steps.length).toBeLessThan(30);
  expect(runModel(failed.seed, short.steps, compare).faults).toEqual(short.outcome.faults);
});
