// Prices at the bounds of what is believed: the most and the least that a currency may be worth, and the order books that have a price.

import { describe, expect, test } from 'vitest';
import { PROVIDERS } from '@/lib/money/rates/sources';
import { InvalidResponse } from './provider';

const AT = new Date('2026-11-21T10:00:00Z');
/** A second currency, because a response without any price is rejected. */
const OTHER = { binance: { symbol: 'USDCUSDT', price: '1' }, kraken: { a: ['1', '1', '1'], b: ['1', '1', '1'] } };

/** The price of a symbol such as EURUSDT, in dollars for a unit; undefined when it is not believed. */
const perUnit = (symbol: string, price: string): string | undefined =>
  PROVIDERS.binance
    .parse(JSON.stringify([OTHER.binance, { symbol, price }]), AT)
    .find(({ currency }) => currency === symbol.replace('USDT', ''))?.price;
/** The same for a currency in units for a dollar. */
const perDollar = (currency: string, price: string): string | undefined =>
  PROVIDERS.coinbase
    .parse(JSON.stringify({ data: { currency: 'USD', rates: { USDT: '1', [currency]: price } } }), AT)
    .find((one) => one.currency === currency)?.price;

describe('a price is believed', () => {
  test('up to a thousand dollars for a unit of a currency, and up to a million for a coin', () => {
    expect([perUnit('EURUSDT', '1000'), perUnit('EURUSDT', '1000.01')]).toEqual(['1000', undefined]);
    expect([perDollar('EUR', '0.001'), perDollar('EUR', '0.00099')]).toEqual(['0.001', undefined]);
    expect([perUnit('ETHUSDT', '1000000'), perUnit('ETHUSDT', '1000000.1')]).toEqual(['1000000', undefined]);
    expect([perDollar('ETH', '0.000001'), perDollar('ETH', '0.0000009')]).toEqual(['0.000001', undefined]);
  });

  test('down to a billionth of a dollar', () => {
    expect([perUnit('EURUSDT', '0.000000001'), perUnit('EURUSDT', '0.0000000009')]).toEqual(['0.000000001', undefined]);
    expect([perDollar('EUR', '1000000000'), perDollar('EUR', '1000000001')]).toEqual(['1000000000', undefined]);
  });
});

describe('the price of an order book', () => {
  const answer = (bid: readonly unknown[], ask: readonly unknown[]) =>
    PROVIDERS.kraken.parse(
      JSON.stringify({ error: [], result: { EURUSD: { b: bid, a: ask }, USDTUSD: OTHER.kraken } }),
      AT,
    );
  const middle = (bid: string, ask: string): string | undefined =>
    answer([bid, '1'], [ask, '1']).find(({ currency }) => currency === 'EUR')?.price;

  test('is the exact middle, however many digits either side has', () => {
    expect(middle('1.1', '1.11')).toBe('1.105');
    expect(middle('1.11', '1.1101')).toBe('1.11005');
    expect(middle('1', '1.000001')).toBe('1.0000005');
    expect(middle('1.1', '1.1')).toBe('1.1');
  });

  test('is missing when the bid is above the ask by the smallest step', () => {
    expect(middle('1.1001', '1.1')).toBeUndefined();
  });

  test('is missing when the ask is more than two percent above the bid', () => {
    expect([middle('1', '1.02'), middle('1', '1.0200001')]).toEqual(['1.01', undefined]);
  });

  test.each(['', '0', '0.000', '-1', 'x', '1,1'])(
    'is missing when one side is “%s”, and the others keep theirs',
    (side) => {
      expect([middle(side, '1.1'), middle('1.1', side), middle(side, side)]).toEqual([undefined, undefined, undefined]);
      expect(answer([side], ['1.1'])).toMatchObject([{ currency: 'USDT' }]);
    },
  );

  test('without one side makes the whole response malformed', () => {
    expect(() => answer([], ['1.1'])).toThrow(InvalidResponse);
    expect(() => answer(['1.1'], [])).toThrow(InvalidResponse);
  });
});

test('Frankfurter’s rates are for one dollar, however the one is written', () => {
  const price = (amount: string) =>
    PROVIDERS.frankfurter.parse(`{"amount":${amount},"base":"USD","date":"2026-11-20","rates":{"EUR":0.86}}`, AT)[0]
      ?.price;
  for (const one of ['1', '1.0', '1.00']) expect(price(one)).toBe('0.86');
  for (const other of ['0', '2', '10', '11.0', '1.01', '1.10', '0.1', '"1"'])
    expect(() => price(other)).toThrow(InvalidResponse);
});

test('a response that is no JSON is reported as that, and one of another shape by the place', () => {
  expect(() => PROVIDERS.coinbase.parse('<html>', AT)).toThrow(/not JSON/);
  expect(() => PROVIDERS.coinbase.parse('{"data":{"currency":"USD"}}', AT)).toThrow(/data\.rates/);
  expect(() => PROVIDERS.coinbase.parse('[]', AT)).toThrow(/its top/);
  expect(() => PROVIDERS.coinbase.parse('[]', AT)).toThrow(expect.objectContaining({ name: 'InvalidResponse' }));
});
