import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decimalToText, parseDecimal } from '@/lib/money/amounts';
import { pegState, quote, rateText, type Observation, type RateRequest } from './quote';
import { compare, ratioOf } from './ratio';

const NOW = new Date('2026-11-21T10:00:00Z');
const ago = (seconds: number): Date => new Date(NOW.getTime() - seconds * 1000);
const rules = { maxAgeSeconds: 60, dailyMaxAgeSeconds: 345_600, leastSources: 2, agreementPercent: 2, pegPercent: 2 };
const request: RateRequest = { currency: 'EUR', token: 'USDT', spreadBasisPoints: 0, now: NOW, rules };

type Overrides = Partial<Observation>;
const live = (source: string, price: string, overrides: Overrides = {}): Observation => ({
  ...{ source, kind: 'live', currency: 'EUR', price, per: 'unit', sourceTime: ago(5), fetchedAt: ago(5) },
  ...overrides,
});
const daily = (source: string, price: string, overrides: Overrides = {}): Observation =>
  live(source, price, { kind: 'daily', sourceTime: ago(72_000), ...overrides });
const peg = (source: string, price: string, overrides: Overrides = {}) =>
  live(source, price, { currency: 'USDT', ...overrides });
const PEG = [peg('kraken', '0.9996'), peg('coinbase', '1.0004', { per: 'dollar' })];

const outcome = (observations: readonly Observation[], overrides: Partial<RateRequest> = {}): string => {
  const offer = quote(observations, { ...request, ...overrides });
  return 'refused' in offer ? offer.refused : rateText(offer);
};

describe('the rate is the median of the fresh markets', () => {
  test.each<[string, Observation[], string]>([
    ['three', [live('a', '1.15'), live('b', '1.16'), live('c', '1.17')], '1.16'],
    ['two: the exact mean', [live('a', '1.15'), live('b', '1.16')], '1.155'],
    ['one, confirmed by a reference that does not move it', [live('a', '1.15'), daily('ecb', '1.16')], '1.15'],
    [
      'one in units for a dollar, rounded up',
      [live('a', '0.8672', { per: 'dollar' }), daily('ecb', '1.16')],
      '1.153136532',
    ],
    [
      'three of which one is a thousand times too high',
      [live('a', '1.15'), live('b', '1.16'), live('c', '1160')],
      '1.155',
    ],
    ['three of which one is upside down', [live('a', '1.15'), live('b', '1.16'), live('c', '0.8621')], '1.155'],
    [
      'two that agree although the reference is of another time',
      [live('a', '1.15'), live('b', '1.16'), daily('ecb', '1.4')],
      '1.155',
    ],
  ])('of %s', (_, observations, rate) => {
    expect(outcome([...observations, ...PEG])).toBe(rate);
  });
});

describe('there is no rate', () => {
  test.each<[string, Observation[], string]>([
    ['of nothing', [], 'no fresh market price'],
    ['of one market alone', [live('a', '1.15')], 'too few sources'],
    ['of references alone, though they agree', [daily('ecb', '1.15'), daily('er', '1.15')], 'no fresh market price'],
    ['when two disagree', [live('a', '1.15'), live('b', '1.174')], 'sources disagree'],
    ['when one of two left is wrong', [live('a', '1.15'), live('b', '1150')], 'sources disagree'],
    ['when the reference contradicts the only market', [live('a', '1.15'), daily('ecb', '1.4')], 'sources disagree'],
    [
      'when references agree against the only market',
      [live('a', '1.5'), daily('ecb', '1.15'), daily('er', '1.15')],
      'sources disagree',
    ],
    [
      'when two sources disagree with two others',
      [live('a', '1.1'), live('b', '1.1'), live('c', '1.2'), live('d', '1.2')],
      'sources disagree',
    ],
    [
      'when one of two markets is old',
      [live('a', '1.15'), live('b', '1.15', { fetchedAt: ago(61) })],
      'too few sources',
    ],
    [
      'when every market is old',
      [live('a', '1.15', { fetchedAt: ago(61) }), live('b', '1.15', { sourceTime: ago(61) })],
      'no fresh market price',
    ],
    [
      'when the reference is old',
      [live('a', '1.15'), daily('ecb', '1.15', { sourceTime: ago(345_601) })],
      'too few sources',
    ],
    [
      'of prices from the future',
      [live('a', '1.15', { sourceTime: ago(-61) }), live('b', '1.15', { sourceTime: ago(-61) })],
      'no fresh market price',
    ],
    [
      'of other currencies',
      [live('a', '1.15', { currency: 'GBP' }), live('b', '1.15', { currency: 'CHF' })],
      'no fresh market price',
    ],
  ])('%s', (_, observations, refused) => {
    expect(outcome([...observations, ...PEG])).toBe(refused);
  });
});

describe('no price is converted into a token without a peg', () => {
  const fine = [live('a', '1.15'), live('b', '1.15')];
  test.each<[string, Observation[], string]>([
    ['no market has a price', [], 'peg unknown'],
    ['all prices are too old', [peg('kraken', '1', { fetchedAt: ago(61) })], 'peg unknown'],
    ['only the other token has a price', [peg('kraken', '1', { currency: 'USDC' })], 'peg unknown'],
    ['it is off', [peg('kraken', '0.97'), peg('coinbase', '0.97')], 'peg broken'],
    ['it is above', [peg('kraken', '1.03')], 'peg broken'],
    ['one of two says that it is off', [peg('kraken', '0.9'), peg('coinbase', '1')], 'peg broken'],
    ['a reference alone believes in it', [peg('er', '1', { kind: 'daily' })], 'peg unknown'],
  ])('%s', (_, pegs, refused) => {
    expect(outcome([...fine, ...pegs])).toBe(refused);
  });

  test('one wrong market of three does not matter, and neither does a price at the edge of the band', () => {
    expect(outcome([...fine, peg('a', '1'), peg('b', '0.999'), peg('c', '500')])).toBe('1.15');
    expect(outcome([...fine, peg('a', '1.02')])).toBe('1.15');
    expect(outcome([...fine, peg('a', '0.98')])).toBe('peg broken');
  });
});

describe('both pegs', () => {
  const usdc = (source: string, price: string, overrides: Overrides = {}) =>
    peg(source, price, { currency: 'USDC', ...overrides });
  const state = (...observations: Observation[]) => pegState(observations, { now: NOW, rules, basisPoints: 50 });

  test('hold while a majority of the markets of each token is within the basis points', () => {
    expect(state(peg('a', '0.996'), usdc('a', '1.005'))).toBe('holds');
    expect(state(peg('a', '1'), peg('b', '1'), peg('c', '0.9'), usdc('a', '1'))).toBe('holds');
  });

  test('are broken when one of them is', () => {
    expect(state(peg('a', '1'), usdc('a', '1.0051'))).toBe('broken');
    expect(state(peg('a', '0.99'), usdc('a', '1'))).toBe('broken');
    expect(state(peg('a', '1'), peg('b', '0.9'), usdc('a', '1'))).toBe('broken');
  });

  test('are unknown when one of them has no fresh market, even if the other one is broken', () => {
    expect(state()).toBe('unknown');
    expect(state(peg('a', '1'))).toBe('unknown');
    expect(state(usdc('a', '0.9'))).toBe('unknown');
    expect(state(peg('a', '1'), usdc('a', '1', { fetchedAt: ago(61) }))).toBe('unknown');
    expect(state(peg('a', '1'), usdc('er', '1', { kind: 'daily' }))).toBe('unknown');
  });
});

test('a price may be a minute ahead of the clock, by its source or by its arrival, and no second more', () => {
  const ahead = (seconds: number, field: 'sourceTime' | 'fetchedAt') =>
    outcome([live('a', '1.15', { [field]: ago(-seconds) }), live('b', '1.15', { [field]: ago(-seconds) }), ...PEG]);
  for (const field of ['sourceTime', 'fetchedAt'] as const) {
    expect([ahead(60, field), ahead(61, field)]).toEqual(['1.15', 'no fresh market price']);
  }
});

test('a stored price that is none is a fault, not a missing vote', () => {
  for (const price of ['0', 'x', '']) {
    expect(() => outcome([live('a', price), ...PEG])).toThrow('a stored price of EUR is not a price');
  }
});

test('a price counts until the last second of its maximum age', () => {
  const both = [live('a', '1.15', { fetchedAt: ago(60) }), live('b', '1.15', { sourceTime: ago(60) })];
  expect(outcome([...both, ...PEG])).toBe('1.15');
});

test('the configured number of sources must agree', () => {
  const two = [live('a', '1.15'), live('b', '1.15'), ...PEG];
  expect(outcome(two, { rules: { ...rules, leastSources: 3 } })).toBe('too few sources');
  expect(outcome([...two, daily('ecb', '1.16')], { rules: { ...rules, leastSources: 3 } })).toBe('1.15');
  expect(outcome([...two, daily('ecb', '1.4')], { rules: { ...rules, leastSources: 3 } })).toBe('sources disagree');
});

test('a spread raises the rate by exactly its percentage', () => {
  const two = [live('a', '1.15'), live('b', '1.15'), ...PEG];
  expect(outcome(two, { spreadBasisPoints: 150 })).toBe('1.16725');
});

test('the rate stores its inputs: the agreeing sources, the peg votes of the token, and no other', () => {
  const offer = quote([live('a', '1.15'), live('b', '1.16'), live('mad', '9'), daily('ecb', '1.16'), ...PEG], request);
  if ('refused' in offer) throw new Error(offer.refused);
  const { observations, spread_basis_points } = offer.basis;
  expect(observations.map(({ source, currency }) => `${source} ${currency}`)).toEqual([
    ...['a EUR', 'b EUR', 'ecb EUR', 'kraken USDT', 'coinbase USDT'],
  ]);
  expect(observations[0]).toMatchObject({ price: '1.15', per: 'unit', source_time: ago(5).toISOString() });
  expect(spread_basis_points).toBe(0);
});

test('one wrong source of three moves the rate by at most the difference of the other two', () => {
  const near = fc
    .integer({ min: 11_500, max: 11_600 })
    .map((units) => decimalToText({ units: BigInt(units), digits: 4 }));
  const wild = fc.bigInt({ min: 1n, max: 10n ** 12n }).map((units) => decimalToText({ units, digits: 6 }));
  fc.assert(
    fc.property(near, near, wild, fc.nat({ max: 2 }), (one, other, mad, place) => {
      const observations = [live('a', one), live('b', other)].toSpliced(place, 0, live('c', mad));
      const rate = outcome([...observations, ...PEG]);
      const of = (text: string) => ratioOf(parseDecimal(text) ?? { units: 0n, digits: 0 });
      const [low, high] = [one, other].toSorted((a, b) => compare(of(a), of(b))) as [string, string];
      // Up to the two percent at which a third one still agrees, and rounding.
      expect(Number(rate)).toBeGreaterThanOrEqual(Number(low) / 1.02);
      expect(Number(rate)).toBeLessThanOrEqual(Number(high) * 1.02);
    }),
  );
});
