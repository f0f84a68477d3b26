// Coinbase: units of every currency and coin for one dollar at live market prices, fiat and USDT alike. Its USDC is pegged to the
// dollar by definition, so it is no evidence of a peg.

import { z } from 'zod';
import { InvalidResponse, type Provider } from './provider';
import { parseResponse, readingsPerDollar } from './shapes';

const shape = z.object({ data: z.object({ currency: z.string(), rates: z.record(z.string(), z.string()) }) });

export const coinbase: Provider = {
  source: 'coinbase',
  address: 'https://api.coinbase.com',
  path: '/v2/exchange-rates?currency=USD',
  kind: 'live',
  only: null,
  parse: (text, answeredAt) => {
    const { currency, rates } = parseResponse(text, shape).data;
    if (currency !== 'USD') throw new InvalidResponse('the response is for another currency than the dollar');
    const { USDC: _, ...evidence } = rates;
    return readingsPerDollar(evidence, answeredAt);
  },
};
