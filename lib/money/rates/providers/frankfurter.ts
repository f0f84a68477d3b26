// Frankfurter: the European Central Bank's reference rates, about thirty currencies, each business day.

import { z } from 'zod';
import { InvalidResponse, type Provider } from './provider';
import { anyNumber, parseResponse, readingsPerDollar } from './shapes';

const shape = z.object({
  amount: anyNumber,
  base: z.literal('USD'),
  date: z.iso.date(),
  rates: z.record(z.string(), anyNumber),
});

/** The ECB fixes the rates of a day at about 14:15 in Frankfurt; in winter that is 13:15 UTC. */
const FIXED_AT = 'T13:15:00Z';

export const frankfurter: Provider = {
  source: 'frankfurter',
  address: 'https://api.frankfurter.dev',
  path: '/v1/latest?base=USD',
  kind: 'daily',
  only: null,
  parse: (text) => {
    const { amount, date, rates } = parseResponse(text, shape);
    const one = typeof amount === 'number' ? amount === 1 : /^1\.0+$/.test(amount.text);
    if (!one) throw new InvalidResponse('the response is for another amount than one dollar');
    return readingsPerDollar(rates, new Date(`${date}${FIXED_AT}`));
  },
};
