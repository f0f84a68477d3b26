// The settings of the market that rents energy on TRON (lib/sweeps/tron/rent).

import { z } from 'zod';
import { count, isSafe } from './setting-kinds';

/** `tron@mainnet=https://address`. */
const market = z.string().transform((text, context) => {
  const [, chain = '', url = ''] = /^(tron@[a-z]+)=(https?:\/\/\S+)$/.exec(text) ?? [];
  if (isSafe(url)) return { chain, url };
  context.addIssue({ code: 'custom', message: 'must be like tron@mainnet=https://market.example' });
  return z.NEVER;
});

export const ENERGY_MARKET_SETTINGS = {
  ENERGY_MARKET: market.optional(),
  ENERGY_MARKET_KEY: z.string().optional(),
  ENERGY_MARKET_SECRET: z.string().min(16, 'needs at least 16 characters').optional(),
  /** Sun for a unit of energy at most. */
  ENERGY_MARKET_MAX_PRICE: count(50, 1, 1000),
  /** TRX for all orders of an hour at most. */
  ENERGY_MARKET_TRX_PER_HOUR: count(100, 1, 1_000_000),
};
