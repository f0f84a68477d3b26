// ExchangeRate-API's open access: about 165 currencies, once a day. Its terms require attribution, which the documentation gives.

import { z } from 'zod';
import { fromUnixSeconds } from '@/lib/platform/clock';
import type { Provider } from './provider';
import { anyNumber, parseResponse, readingsPerDollar } from './shapes';

/** The last second of the year 9999: ISO dates have four-digit years. */
const LATEST = 253_402_300_799;

const shape = z.object({
  result: z.literal('success'),
  base_code: z.literal('USD'),
  time_last_update_unix: z.int().positive().max(LATEST),
  rates: z.record(z.string(), anyNumber),
});

export const erApi: Provider = {
  source: 'er-api',
  address: 'https://open.er-api.com',
  path: '/v6/latest/USD',
  kind: 'daily',
  only: null,
  parse: (text) => {
    const { time_last_update_unix: updated, rates } = parseResponse(text, shape);
    return readingsPerDollar(rates, fromUnixSeconds(updated));
  },
};
