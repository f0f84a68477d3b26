// The settings of exchange rates (lib/money/rates).

import { z } from 'zod';
import { count, isSafe, parts } from './setting-kinds';

/** `name` or `name=https://address`, separated by spaces or commas, or `off`. The rates module says which names exist. */
const rateSources = z.string().transform((text, context) => {
  const entries = parts(text);
  if (entries.length === 1 && entries[0] === 'off') return [];
  const sources = entries.map((entry): { name: string; address: string | null } => {
    const [, name = '', address = null] = /^([a-z][a-z0-9-]*)(?:=(https?:\/\/.+))?$/.exec(entry) ?? [];
    return { name, address: address?.replace(/\/+$/, '') ?? null };
  });
  const isFair = ({ name, address }: (typeof sources)[number]) => name !== '' && (address === null || isSafe(address));
  const isTwice = new Set(sources.map(({ name }) => name)).size < sources.length;
  if (sources.every(isFair) && !isTwice) return sources;
  context.addIssue({ code: 'custom', message: 'needs names like kraken or kraken=https://address, each once' });
  return z.NEVER;
});

export const RATE_SETTINGS = {
  /** Where exchange rates come from, and the limits within which a rate is trusted. */
  RATE_SOURCES: rateSources.prefault('coinbase kraken binance frankfurter er-api'),
  /** Seconds after which a market price is too old, and after which a daily reference is. */
  RATE_MAX_AGE: count(60, 5, 600),
  RATE_DAILY_MAX_AGE: count(345_600, 3600, 864_000),
  /** How many sources must agree, and within how many percent. */
  RATE_LEAST_SOURCES: count(2, 2, 5),
  RATE_AGREEMENT_PERCENT: count(2, 1, 20),
  /** Largest deviation of a token from a dollar, and of a new price from the former one before it must be confirmed. */
  RATE_PEG_PERCENT: count(2, 1, 20),
  RATE_BAND_PERCENT: count(10, 1, 50),
  /** Largest deviation of both tokens from a dollar, in hundredths of a percent, for refunds paid in the other token. */
  CONVERSION_PEG_BASIS_POINTS: count(50, 1, 500),
};
