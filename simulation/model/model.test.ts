// The model mode itself: its histories, that it notices each kind of difference, and the differences that are known.

import { describe, expect, it } from 'vitest';
import { NaiveSession } from '@/simulation/oracles/naive';
import type { NaiveTransfer, Terms } from '@/simulation/oracles/naive-types';
import { differences } from './compare';
import { MODEL_STEPS, runModel, shrinkModel } from './history';
import { openModel, settleBoth, type Model, type Payment } from './model';
import { ProductSession } from './product-session';

const HISTORIES = 200;
const ALL = Array.from({ length: MODEL_STEPS }, (_, index) => index + 1);
const CENT = 10_000n;

it('finds no difference between product and naive implementation', () => {
  const failed = [];
  for (let seed = 1; seed <= HISTORIES; seed++) {
    const { faults, failedAt } = runModel(seed, ALL);
    if (failedAt !== null) failed.push({ seed, failedAt, faults });
  }
  expect(failed).toEqual([]);
});

it('tells the same story for the same seed, and another one for another seed', () => {
  const [one, again, other] = [runModel(7, ALL), runModel(7, ALL), runModel(8, ALL)];
  expect(again.story).toEqual(one.story);
  expect(other.story).not.toEqual(one.story);
});

/** A completed session with a surplus, the same in both implementations. */
function completed(): Model {
  const model = openModel(1, false);
  const [pair] = model.terms.pairs;
  const amount = (model.terms.dueCents + 300n) * 10n ** 16n;
  const payment: Payment = {
    ...{ ...pair!, id: '1', amount, decimals: 18, blockTime: model.now, hash: '0x1', ordinal: 0, payer: 'Alice' },
  };
  for (const side of [model.product, model.naive]) side.find([payment]);
  settleBoth(model);
  return model;
}

describe('a difference is told', () => {
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
  // The known differences make a strict history fail.
  const failed = [...Array(40).keys()]
    .map((seed) => runModel(seed, ALL, true))
    .find(({ faults }) => faults.length > 0)!;
  const short = shrinkModel(failed, ALL, true);
  expect(short.steps.length).toBeLessThan(30);
  expect(runModel(failed.seed, short.steps, true).faults).toEqual(short.outcome.faults);
});

describe('a known difference is still there', () => {
  const terms: Terms = {
    ...{ dueCents: 1250n, pairs: [{ network: 'ethereum', currency: 'USDT' }], createdAt: 1000, expiresAt: 2000 },
    marginOf: () => 312,
  };
  const transfer = (id: string, amount: bigint, blockTime = 1500): NaiveTransfer => ({
    ...{ id, amount, blockTime, hash: `0x${id}`, ordinal: 0, network: 'ethereum', currency: 'USDT', decimals: 6 },
  });
  const after = (now: number) => ({ now, readThrough: { ethereum: now }, unconfirmed: [], holdSeconds: 0 });
  const both = () => [new ProductSession(terms), new NaiveSession(terms)] as const;

  it('dust above the price makes a session overpaid without an exception to decide about', () => {
    const [product, naive] = both();
    const transfers = [transfer('1', 1250n * CENT), transfer('2', 6000n), transfer('3', 6000n)];
    for (const side of [product, naive]) {
      side.find(transfers);
      side.settle(after(1600));
    }
    expect(product.stored.map(({ exception }) => exception)).toEqual([null, null, null]);
    expect([product.exception, naive.exception()]).toEqual(['over', 'none']);
  });

  it('canceling leaves amounts below a cent counted that are a cent together', () => {
    const [product, naive] = both();
    for (const side of [product, naive]) {
      side.find([transfer('1', 6000n), transfer('2', 6000n)]);
      side.settle(after(1600));
      expect(side.cancel(after(1600))).toBe(true);
    }
    expect([product.received, naive.receivedCents()]).toEqual([1n, 0n]);
    product.settle(after(1600));
    expect(product.received).toBe(0n);
  });

  it('the settling that completes a session counts an accepted payment that is open again', () => {
    const [product, naive] = both();
    for (const side of [product, naive]) {
      side.find([transfer('1', 1250n * CENT, 2000), transfer('2', 1249n * CENT, 2001)]);
      side.settle(after(2500));
      for (const id of ['2', '1']) {
        side.decide(id, 'accept');
        side.settle(after(2500));
      }
    }
    expect(product.stored.map(({ exception }) => exception?.state)).toEqual(['accepted', 'open']);
    expect([product.received, naive.receivedCents()]).toEqual([2499n, 1250n]);
    product.settle(after(2500));
    expect(product.received).toBe(1250n);
  });
});
