// What each source is asked for, and that every price of a complete response reaches its currency the right way round: a swapped
// direction would price a payment in the inverse of its rate.

import { expect, test } from 'vitest';
import { PROVIDERS } from '@/lib/money/rates/sources';

const AT = new Date('2026-11-21T10:00:00Z');
const NO_FIXED_LIST = null;

test('each source is requested at its documented address, and is known to be live or daily', () => {
  const rows = Object.values(PROVIDERS).map(({ source, address, path, kind, only }) => [
    `${source} ${kind}`,
    decodeURIComponent(`${address}${path}`),
    only,
  ]);
  expect(rows).toEqual([
    ['coinbase live', 'https://api.coinbase.com/v2/exchange-rates?currency=USD', NO_FIXED_LIST],
    [
      'kraken live',
      'https://api.kraken.com/0/public/Ticker?pair=EURUSD,GBPUSD,AUDUSD,USDJPY,USDCAD,USDCHF,USDTUSD,USDCUSD,ETHUSD,SOLUSD,TRXUSD',
      ['EUR', 'GBP', 'AUD', 'JPY', 'CAD', 'CHF', 'USDT', 'USDC', 'ETH', 'SOL', 'TRX'],
    ],
    [
      'binance live',
      'https://data-api.binance.vision/api/v3/ticker/price?symbols=["EURUSDT","USDCUSDT","ETHUSDT","BNBUSDT","TRXUSDT","SOLUSDT","POLUSDT"]',
      ['EUR', 'USDC', 'ETH', 'BNB', 'TRX', 'SOL', 'POL'],
    ],
    ['frankfurter daily', 'https://api.frankfurter.dev/v1/latest?base=USD', NO_FIXED_LIST],
    ['er-api daily', 'https://open.er-api.com/v6/latest/USD', NO_FIXED_LIST],
  ]);
});

/** Kraken's short and long name of each pair, its price, and the reading that follows. */
const KRAKEN_PAIRS: readonly (readonly [short: string, long: string, price: string, reading: string])[] = [
  ['EURUSD', 'ZEURZUSD', '1.16', 'EUR 1.16 per unit'],
  ['GBPUSD', 'ZGBPZUSD', '1.33', 'GBP 1.33 per unit'],
  ['AUDUSD', 'ZAUDZUSD', '0.65', 'AUD 0.65 per unit'],
  ['USDJPY', 'ZUSDZJPY', '156.2', 'JPY 156.2 per dollar'],
  ['USDCAD', 'ZUSDZCAD', '1.4', 'CAD 1.4 per dollar'],
  ['USDCHF', 'ZUSDZCHF', '0.8', 'CHF 0.8 per dollar'],
  ['USDTUSD', 'USDTZUSD', '1.0003', 'USDT 1.0003 per unit'],
  ['USDCUSD', 'USDCZUSD', '0.9999', 'USDC 0.9999 per unit'],
  ['ETHUSD', 'XETHZUSD', '2500.1', 'ETH 2500.1 per unit'],
  ['SOLUSD', 'SOLZUSD', '150', 'SOL 150 per unit'],
  ['TRXUSD', 'TRXZUSD', '0.32', 'TRX 0.32 per unit'],
];

test.each(['short', 'long'] as const)('Kraken’s pairs are read in their direction by their %s names', (which) => {
  const books = KRAKEN_PAIRS.map(([short, long, price]) => [
    which === 'short' ? short : long,
    { a: [price, '1', '1.000'], b: [price, '1', '1.000'] },
  ]);
  const text = JSON.stringify({ error: [], result: Object.fromEntries(books) });
  const readings = PROVIDERS.kraken
    .parse(text, AT)
    .map(({ currency, price, per }) => `${currency} ${price} per ${per}`);
  expect(readings).toEqual(KRAKEN_PAIRS.map(([, , , reading]) => reading));
});

test('every symbol that Binance is asked for is read as the price of its currency', () => {
  const symbols = ['EURUSDT', 'USDCUSDT', 'ETHUSDT', 'BNBUSDT', 'TRXUSDT', 'SOLUSDT', 'POLUSDT'];
  const text = JSON.stringify(symbols.map((symbol, n) => ({ symbol, price: `0.${n + 1}` })));
  const readings = PROVIDERS.binance.parse(text, AT).map(({ currency, price }) => [currency, price]);
  expect(readings).toEqual([
    ...[
      ['EUR', '0.1'],
      ['USDC', '0.2'],
      ['ETH', '0.3'],
      ['BNB', '0.4'],
      ['TRX', '0.5'],
      ['SOL', '0.6'],
      ['POL', '0.7'],
    ],
  ]);
});
