import { describe, expect, test } from 'vitest';
import { cheapestByWorth, withWorth, worthTexts, type ShownFee } from './fee-worth';

const PRICES = { BNB: '1000', ETH: '4000', TRX: '0.3', SOL: '200' };
const order = (over: object = {}) => ({ currency: 'USD', exchange_rate: null, coin_prices: PRICES, ...over });
const texts = (network: string, from: string, to: string | null = null, over: object = {}) => {
  const { worth } = withWorth(network, { from, to }, order(over));
  return worth && worthTexts(worth);
};

describe('the fee of a network in the currency of the order', () => {
  test('is its coins at the price of the coin, rounded up to the minor unit', () => {
    expect(texts('tron', '13.4')).toEqual(['4.02']);
    expect(texts('bsc', '0.000003')).toEqual(['0.01']);
    expect(texts('ethereum', '0.00003', '0.0013')).toEqual(['0.12', '5.20']);
  });

  test('uses the rate of the order and the digits of its currency', () => {
    expect(texts('tron', '13.4', null, { currency: 'EUR', exchange_rate: '1.16' })).toEqual(['3.47']);
    expect(texts('tron', '13.4', null, { currency: 'JPY', exchange_rate: '0.0064' })).toEqual(['629']);
  });

  test('is not shown when the price of the coin is unknown', () => {
    expect(texts('tron', '13.4', null, { coin_prices: null })).toBeNull();
    expect(texts('tron', '13.4', null, { coin_prices: { ETH: '4000' } })).toBeNull();
    expect(texts('polygon', '13.4')).toBeNull();
  });
});

describe('the cheapest network', () => {
  const fees = (of: Record<string, string>, over: object = {}): ReadonlyMap<string, ShownFee> =>
    new Map(
      Object.entries(of).map(([network, from]) => [network, withWorth(network, { from, to: null }, order(over))]),
    );

  test('is the one with the lowest fee by current worth', () => {
    const now = fees({ ethereum: '0.00003', tron: '13.4', solana: '0.0015' });
    expect(cheapestByWorth(['ethereum', 'solana', 'tron'], now)).toBe('ethereum');
    expect(cheapestByWorth(['solana', 'tron'], now)).toBe('solana');
  });

  test('comes from the fixed ranking when a price is missing', () => {
    const unknown = fees({ bsc: '0.001', ethereum: '0.00003' }, { coin_prices: null });
    expect(cheapestByWorth(['bsc', 'ethereum'], unknown)).toBe('bsc');
    expect(cheapestByWorth(['ethereum', 'tron'], unknown)).toBeNull();
    expect(cheapestByWorth(['ethereum'], unknown)).toBeNull();
  });
});
