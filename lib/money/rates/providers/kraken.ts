// Kraken: the order books of currencies, of both tokens and of coins against the dollar. The price is the middle between the best bid
// and the best ask. A crossed book, or one wider than two percent, has no price.

import { z } from 'zod';
import { parseDecimal, decimalToText, type Decimal } from '@/lib/money/amounts';
import { isWithin, ratioOf } from '@/lib/money/rates/ratio';
import { InvalidResponse, type Provider, type Reading } from './provider';
import { parseResponse, reading, requireReadings } from './shapes';

type Pair = { readonly currency: string; readonly per: Reading['per']; readonly names: readonly [string, ...string[]] };

/** The first name is requested; the response may use the longer one. */
const PAIRS: readonly Pair[] = [
  { currency: 'EUR', per: 'unit', names: ['EURUSD', 'ZEURZUSD'] },
  { currency: 'GBP', per: 'unit', names: ['GBPUSD', 'ZGBPZUSD'] },
  { currency: 'AUD', per: 'unit', names: ['AUDUSD', 'ZAUDZUSD'] },
  { currency: 'JPY', per: 'dollar', names: ['USDJPY', 'ZUSDZJPY'] },
  { currency: 'CAD', per: 'dollar', names: ['USDCAD', 'ZUSDZCAD'] },
  { currency: 'CHF', per: 'dollar', names: ['USDCHF', 'ZUSDZCHF'] },
  { currency: 'USDT', per: 'unit', names: ['USDTUSD', 'USDTZUSD'] },
  { currency: 'USDC', per: 'unit', names: ['USDCUSD', 'USDCZUSD'] },
  // Without BNB and POL: Kraken rejects the whole request if it does not list one pair.
  { currency: 'ETH', per: 'unit', names: ['ETHUSD', 'XETHZUSD'] },
  { currency: 'SOL', per: 'unit', names: ['SOLUSD', 'SOLZUSD'] },
  { currency: 'TRX', per: 'unit', names: ['TRXUSD', 'TRXZUSD'] },
];
const WIDEST_BOOK_PERCENT = 2;

const side = z.tuple([z.string()], z.string());
const shape = z.object({
  error: z.array(z.string()),
  result: z.record(z.string(), z.object({ a: side, b: side })).optional(),
});

export const kraken: Provider = {
  source: 'kraken',
  address: 'https://api.kraken.com',
  path: `/0/public/Ticker?pair=${PAIRS.map(({ names }) => names[0]).join(',')}`,
  kind: 'live',
  only: PAIRS.map(({ currency }) => currency),
  parse: (text, sourceTime) => {
    const { error, result } = parseResponse(text, shape);
    // Errors come with status 200.
    if (error.length > 0 || !result) throw new InvalidResponse('the source returned an error');
    return requireReadings(
      PAIRS.map(({ currency, per, names }) => {
        const book = names.map((name) => result[name]).find((one) => one !== undefined);
        const price = book ? middle(book.b[0], book.a[0]) : null;
        return reading({ currency, price, per, sourceTime });
      }),
    );
  },
};

/** Exact text of the middle, or null when the book has no valid price. */
function middle(bidText: string, askText: string): string | null {
  const [bid, ask] = [parseDecimal(bidText), parseDecimal(askText)];
  if (!bid || !ask || bid.units === 0n || ask.units === 0n) return null;
  const digits = Math.max(bid.digits, ask.digits);
  const at = (one: Decimal) => one.units * 10n ** BigInt(digits - one.digits);
  if (at(bid) > at(ask) || !isWithin(ratioOf(bid), ratioOf(ask), WIDEST_BOOK_PERCENT)) return null;
  // Half of an integer is a decimal with one digit more.
  return decimalToText({ units: (at(bid) + at(ask)) * 5n, digits: digits + 1 });
}
