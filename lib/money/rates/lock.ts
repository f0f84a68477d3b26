// The rate that a new session in another currency is locked at. Reads the observations at most once a second for each currency,
// however many sessions are created. Their age is checked on each use.

import { LRUCache } from 'lru-cache';
import type { Clock } from '@/lib/platform/clock';
import type { Context } from '@/lib/platform/context';
import { ServiceError } from '@/lib/platform/errors/errors';
import { STABLECOINS, type Stablecoin } from '@/lib/money/amounts';
import type { Reading } from './providers/provider';
import { pegState, quote, type Observation, type Quote, type RateRules } from './quote';
import { rateSources, type RateSource } from './sources';

/** Seconds after which a source will have been requested again. */
const RETRY_SECONDS = 15;
/** How long read observations are cached. */
const CACHED_MILLISECONDS = 1000;
const MAX_CURRENCIES = 200;

/** The stored facts about one currency: prices, and the sources that have ever responded. */
type Known = {
  readonly observations: readonly Observation[];
  readonly answered: ReadonlySet<string>;
  readonly readAt: Date;
};

/**
 * The rate for a session of this currency that is paid in the token. Throws INVALID_CURRENCY when no source quotes the currency,
 * and EXCHANGE_RATE_UNAVAILABLE when no rate can be trusted.
 */
export async function lockRate(
  context: Context,
  request: { currency: string; token: Stablecoin; spreadBasisPoints: number },
): Promise<Quote> {
  const { clock, config, log } = context;
  const { currency } = request;
  const known = await knownFor(context, currency);
  const offer = quote(known.observations, { ...request, now: clock.now(), rules: rulesOf(config) });
  if (!('refused' in offer)) return offer;
  if (!isQuoted(known, rateSources(config), currency)) {
    throw new ServiceError('INVALID_CURRENCY', {
      param: 'currency',
      message: `No exchange rate exists for ${currency}.`,
    });
  }
  log.warn({ currency, token: request.token, reason: offer.refused }, 'no trustworthy exchange rate');
  throw new ServiceError('EXCHANGE_RATE_UNAVAILABLE', { param: 'currency', retryAfter: RETRY_SECONDS });
}

/** Whether both tokens are close enough to a dollar to refund one in the other. */
export async function readPegs(context: Context): Promise<ReturnType<typeof pegState>> {
  const { clock, config } = context;
  // Every lookup reads both tokens; the dollar itself has no price.
  const { observations } = await knownFor(context, 'USD');
  const basisPoints = config.CONVERSION_PEG_BASIS_POINTS;
  return pegState(observations, { now: clock.now(), rules: rulesOf(config), basisPoints });
}

export const rulesOf = (config: Context['config']): RateRules => ({
  maxAgeSeconds: config.RATE_MAX_AGE,
  dailyMaxAgeSeconds: config.RATE_DAILY_MAX_AGE,
  leastSources: config.RATE_LEAST_SOURCES,
  agreementPercent: config.RATE_AGREEMENT_PERCENT,
  pegPercent: config.RATE_PEG_PERCENT,
});

/** A currency is unquoted only after every source that may quote it has responded. */
function isQuoted({ observations, answered }: Known, sources: readonly RateSource[], currency: string): boolean {
  if (observations.some((one) => one.currency === currency)) return true;
  const mayQuote = sources.filter(({ provider }) => provider.only?.includes(currency) ?? true);
  return mayQuote.some(({ provider }) => !answered.has(provider.source));
}

type Cache = LRUCache<string, Known>;

/** One cache per pool of connections, so that processes and tests do not share. */
const caches = new WeakMap<object, Cache>();

async function knownFor(context: Context, currency: string): Promise<Known> {
  let cache = caches.get(context.pool);
  if (!cache) {
    cache = openCache(context.clock, (code) => readKnown(context, [code]));
    caches.set(context.pool, cache);
  }
  const found = cache.get(currency);
  if (!found) return cache.forceFetch(currency);
  // After the clock is set back, the cache would keep the entry until the old time is reached again.
  return found.readAt <= context.clock.now() ? found : cache.forceFetch(currency, { forceRefresh: true });
}

const openCache = (clock: Clock, read: (currency: string) => Promise<Known>): Cache =>
  new LRUCache<string, Known>({
    max: MAX_CURRENCIES,
    ttl: CACHED_MILLISECONDS,
    // Read the given clock each time; otherwise the cache would keep its value by an internal timer.
    ttlResolution: 0,
    perf: { now: () => clock.now().getTime() },
    fetchMethod: (currency) => read(currency),
  });

/** A source without an observation has null in all columns of one. */
type Row = { source: string; answered: boolean } & (
  { currency: null } | { currency: string; price: string; per: Reading['per']; source_time: Date; fetched_at: Date }
);

const READ = {
  name: 'read-rates',
  text: `SELECT s.source, s.answered_at IS NOT NULL AS answered, o.currency, o.price, o.per, o.source_time, o.fetched_at
         FROM rate_sources s LEFT JOIN rate_observations o ON o.source = s.source AND o.currency = ANY($1)`,
};

/** The stored facts about these currencies and both tokens. */
export async function readKnown(
  { pool, config, clock }: Pick<Context, 'pool' | 'config' | 'clock'>,
  currencies: readonly string[],
): Promise<Known> {
  const readAt = clock.now();
  const { rows } = await pool.query<Row>({ ...READ, values: [[...currencies, ...STABLECOINS]] });
  const kinds = new Map<string, Observation['kind']>(
    rateSources(config).map(({ provider }) => [provider.source, provider.kind]),
  );
  const observations = rows.flatMap((row): Observation[] => {
    const kind = kinds.get(row.source);
    if (kind === undefined || row.currency === null) return [];
    const { source, currency: code, price, per, source_time: sourceTime, fetched_at: fetchedAt } = row;
    return [{ source, kind, currency: code, price, per, sourceTime, fetchedAt }];
  });
  return {
    observations,
    readAt,
    answered: new Set(rows.filter(({ answered }) => answered).map(({ source }) => source)),
  };
}
