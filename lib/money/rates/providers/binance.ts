// Binance's public data mirror: last prices against USDT (api.binance.com itself refuses some regions). USDT counts as a dollar here:
// every conversion checks the peg, and a broken peg makes these votes disagree.

import { z } from 'zod';
import type { Provider } from './provider';
import { parseResponse, reading, requireReadings } from './shapes';

const SYMBOLS: Readonly<Record<string, string>> = {
  EURUSDT: 'EUR',
  USDCUSDT: 'USDC',
  ETHUSDT: 'ETH',
  BNBUSDT: 'BNB',
  TRXUSDT: 'TRX',
  SOLUSDT: 'SOL',
  // Trades since 13 September 2024. One unlisted symbol would make the source refuse the whole request.
  POLUSDT: 'POL',
};

const shape = z.array(z.object({ symbol: z.string(), price: z.string() }));

export const binance: Provider = {
  source: 'binance',
  address: 'https://data-api.binance.vision',
  path: `/api/v3/ticker/price?symbols=${encodeURIComponent(JSON.stringify(Object.keys(SYMBOLS)))}`,
  kind: 'live',
  only: Object.values(SYMBOLS),
  parse: (text, sourceTime) =>
    requireReadings(
      parseResponse(text, shape).map(({ symbol, price }) =>
        reading({ currency: SYMBOLS[symbol] ?? '', price, per: 'unit', sourceTime }),
      ),
    ),
};
