// The prices of the sandbox's rate source: invented, close to the real ones and slightly different by source, and the response
// format of each source. Pure.

import { COIN_SYMBOLS, type CoinSymbol } from '@/lib/networks/coins';
import { CURRENCY_CODES } from '@/lib/money/currencies';
import { unixSeconds } from '@/lib/platform/clock';
import type { SourceName } from '@/lib/money/rates/providers/provider';

/** Units of each currency for one dollar. */
const PER_DOLLAR: Readonly<Record<string, number>> = {
  ...{
    EUR: 0.8672,
    GBP: 0.7591,
    JPY: 156.42,
    KWD: 0.30712,
    CNY: 7.1184,
    CHF: 0.8061,
    CAD: 1.4043,
    AUD: 1.5388,
    AED: 3.6725,
  },
  ...{
    BRL: 5.3421,
    TRY: 42.361,
    INR: 88.59,
    MXN: 18.417,
    PLN: 3.6759,
    SEK: 9.5312,
    KRW: 1466.7,
    IDR: 16712,
    VND: 26355,
  },
  ...{
    ZAR: 17.263,
    SGD: 1.3052,
    HKD: 7.7814,
    NGN: 1447.5,
    BHD: 0.37702,
    CLP: 931.4,
    XOF: 568.9,
    THB: 32.44,
    SAR: 3.7504,
  },
};
/** Dollars for one coin: used to value the network fees of refunds on local chains (docs/operate.md#what-refunds-cost). */
const COIN_DOLLARS: Readonly<Record<CoinSymbol, number>> = { ETH: 2500, BNB: 700, TRX: 0.32, SOL: 150, POL: 0.2 };
/** Each source's deviation in millionths. */
const MILLIONTHS: Readonly<Record<SourceName, number>> = {
  coinbase: 0,
  kraken: 240,
  binance: -180,
  frankfurter: 910,
  'er-api': -760,
};
/** The European Central Bank fixes about thirty currencies; these are among them. */
const FIXED = 'EUR GBP JPY CNY CHF CAD AUD BRL TRY INR MXN PLN SEK KRW IDR ZAR SGD HKD THB'.split(' ');

export type ReportedPrices = {
  /** A factor on the units for one dollar, to report a wrong rate. */
  readonly factor: number;
  /** The value of both tokens, in dollars. */
  readonly peg: number;
  /** The time of the prices. */
  readonly at: Date;
};

/** The text of a source's response. */
export function answerOf(source: SourceName, reported: ReportedPrices): string {
  const units = (code: string): number =>
    (PER_DOLLAR[code] ?? 0) * (1 + MILLIONTHS[source] / 1_000_000) * reported.factor;
  const all = CURRENCY_CODES.filter((code) => code in PER_DOLLAR);
  const coin = (code: CoinSymbol): number =>
    (COIN_DOLLARS[code] * (1 + MILLIONTHS[source] / 1_000_000)) / reported.factor;
  const map = (codes: readonly string[], write: (value: number) => string) =>
    codes.map((code) => `"${code}":${write(units(code))}`).join(',');
  switch (source) {
    case 'coinbase':
      return `{"data":{"currency":"USD","rates":{"USD":"1","USDC":"1","USDT":"${text((1.0004 / reported.peg) * reported.factor)}",${map(all, (value) => `"${text(value)}"`)},${COIN_SYMBOLS.map((code) => `"${code}":"${(1 / coin(code)).toFixed(16)}"`).join(',')}}}}`;
    case 'kraken':
      return krakenText(units, coin, reported.peg / reported.factor);
    case 'binance':
      return `[{"symbol":"EURUSDT","price":"${text(1 / units('EUR'))}"},{"symbol":"USDCUSDT","price":"${text(1.0002 / reported.factor)}"},${COIN_SYMBOLS.map((code) => `{"symbol":"${code}USDT","price":"${text(coin(code))}"}`).join(',')}]`;
    case 'frankfurter':
      return `{"amount":1.0,"base":"USD","date":"${reported.at.toISOString().slice(0, 10)}","rates":{${map(FIXED, text)}}}`;
    case 'er-api':
      return `{"result":"success","base_code":"USD","time_last_update_unix":${unixSeconds(reported.at)},"rates":{"USD":1,${map(all, text)}}}`;
  }
}

function krakenText(units: (code: string) => number, coin: (code: CoinSymbol) => number, dollar: number): string {
  const books: [string, number][] = [
    ...['EUR', 'GBP', 'AUD'].map((code): [string, number] => [
      code === 'AUD' ? 'AUDUSD' : `Z${code}ZUSD`,
      1 / units(code),
    ]),
    ...['JPY', 'CAD'].map((code): [string, number] => [`ZUSDZ${code}`, units(code)]),
    ['USDCHF', units('CHF')],
    ['USDTZUSD', 0.9996 * dollar],
    ['USDCUSD', 0.9999 * dollar],
    ['XETHZUSD', coin('ETH')],
    ['SOLUSD', coin('SOL')],
    ['TRXUSD', coin('TRX')],
  ];
  const book = ([name, middle]: [string, number]) =>
    `"${name}":{"a":["${text(middle * 1.0001)}","1","1.000"],"b":["${text(middle * 0.9999)}","1","1.000"],"c":["${text(middle)}","1"]}`;
  return `{"error":[],"result":{${books.map(book).join(',')}}}`;
}

/** Seven decimal digits, like the real ones. */
const text = (value: number): string => value.toFixed(7);
