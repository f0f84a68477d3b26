// The worker's step for exchange rates: requests every due source in parallel, so that a slow one delays no other, and stores the
// prices. A failing source is retried after a growing pause; only its own vote is missing.

import type { Context, Step } from '@/lib/platform/context';
import { readSource, SourceError } from './fetch';
import { leaseSources, addMissingSources, recordFailure, type Lease } from './lease';
import { storeCoinPrices } from './coin-prices';
import { clearOldRates, storeReadings } from './store';
import type { RateSource } from './sources';
import { rateSources } from './sources';

/** By default a market price is renewed four times before it is too old; far below every source's limits. */
const LIVE_SECONDS = 15;
const TIMES_WITHIN_AGE = 4;
/** While the installation is quiet: a second request after a failed one, and its answer, still come before a price is too old. */
const QUIET_PART_OF_AGE = 0.4;
/** A daily reference changes once a day; an hour is the shortest interval that the strictest source allows. */
const DAILY_SECONDS = 3600;
/** Pauses after failures double from the first to the longest. */
const FIRST_PAUSE_SECONDS = 5;
const LONGEST_PAUSE_SECONDS = { live: 60, daily: 1800 };
/** A longer Retry-After is capped at this. */
const LONGEST_SILENCE_SECONDS = 3600;

/** The pause of the step while no session is pending. The first one then still finds prices that are not too old. */
export const quietRatesMilliseconds = ({ RATE_MAX_AGE: seconds }: Pick<Context['config'], 'RATE_MAX_AGE'>): number =>
  Math.min(60, seconds * QUIET_PART_OF_AGE) * 1000;

/** The step for the configured sources. Throws when the settings name an unknown source. */
export function ratesStep(config: Context['config']): Step {
  const sources = new Map(rateSources(config).map((one) => [one.provider.source, one]));
  const names = [...sources.keys()];
  let known = false;
  return async (context) => {
    if (!known) await addMissingSources(context.pool, names);
    known = true;
    const now = context.clock.now();
    const leases = await leaseSources(context.pool, names, now);
    if (leases.length === 0) return { more: false };
    const requests = leases.map((lease) => readOne(context, sources.get(lease.source) as RateSource, lease));
    // An unexpected error of one source must not end the step before the others finish.
    const faults = (await Promise.allSettled(requests)).filter((one) => one.status === 'rejected');
    await clearOldRates(context.pool, now);
    await storeCoinPrices(context);
    if (faults[0]) throw faults[0].reason;
    return { more: false };
  };
}

async function readOne(context: Context, source: RateSource, lease: Lease): Promise<void> {
  const { clock, config, log, pool } = context;
  const { kind } = source.provider;
  const requestedAt = clock.now();
  const after = (seconds: number) => new Date(requestedAt.getTime() + seconds * 1000);
  try {
    const readings = await readSource(source, clock);
    const live = Math.min(LIVE_SECONDS, Math.max(1, Math.floor(config.RATE_MAX_AGE / TIMES_WITHIN_AGE)));
    await storeReadings(context, lease, {
      readings,
      requestedAt,
      nextAt: after(kind === 'live' ? live : DAILY_SECONDS),
    });
    if (lease.failures > 0)
      log.info({ source: lease.source, failures: lease.failures }, 'the rate source responds again');
  } catch (error) {
    if (!(error instanceof SourceError)) throw error;
    if (lease.failures === 0) log.warn({ source: lease.source }, error.message);
    const pause = Math.min(FIRST_PAUSE_SECONDS * 2 ** Math.min(lease.failures, 12), LONGEST_PAUSE_SECONDS[kind]);
    const silence = Math.min(error.retryAfter ?? 0, LONGEST_SILENCE_SECONDS);
    await recordFailure(pool, lease, { trouble: error.message, nextAt: after(Math.max(pause, silence)) });
  }
}
