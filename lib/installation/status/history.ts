// The last 90 UTC days of each network and service, for the bars of the status page. Time that the worker did not measure is
// unknown and never counts as good.

import type { Context } from '@/lib/platform/context';
import type { Pool } from '@/lib/platform/database/db';
import type { Environment } from '@/lib/platform/ids';

export const HISTORY_DAYS = 90;
const DAY_SECONDS = 86_400;
/** The page is public. Its history changes by only seconds a day, so answers may be cached. */
const KEPT_MS = 15_000;
/** Measuring begins some seconds into the day and pauses while a worker restarts. A shorter time is not a gap. */
const LEAST_GAP_SECONDS = 900;

export type Day = {
  /** For example 2026-11-24. */
  readonly date: string;
  readonly good: number;
  readonly impaired: number;
  readonly down: number;
  /** Unmeasured seconds of the day so far; 0 when only the start of the day or a restart was missed. */
  readonly unknown: number;
};

/** Days from the oldest to today by `environment subject`. A subject that was never measured is missing. */
export type History = { readonly dates: readonly string[]; readonly days: ReadonlyMap<string, readonly Day[]> };

type Deps = Pick<Context, 'pool' | 'clock'>;
type Row = Pick<Day, 'date' | 'good' | 'impaired' | 'down'> & { environment: Environment; subject: string };

const kept = new WeakMap<Pool, { readonly at: number; readonly history: Promise<History> }>();

/** The history, at most 15 seconds old. */
export function readHistory(deps: Deps): Promise<History> {
  const now = deps.clock.now().getTime();
  const known = kept.get(deps.pool);
  if (known && Math.abs(now - known.at) < KEPT_MS) return known.history;
  const history = read(deps);
  kept.set(deps.pool, { at: now, history });
  history.catch(() => kept.delete(deps.pool));
  return history;
}

/** The days of one subject; all unknown if it was never measured. */
export const daysOf = ({ dates, days }: History, environment: Environment, subject: string): readonly Day[] =>
  days.get(`${environment} ${subject}`) ?? dates.map((date) => ({ date, good: 0, impaired: 0, down: 0, unknown: 1 }));

/**
 * Share of the measured time in which the subject was good, in hundredths of a percent, rounded down. Null before a whole day
 * was measured.
 */
export function uptimeOf(days: readonly Day[]): number | null {
  const good = days.reduce((sum, day) => sum + day.good, 0);
  const measured = days.reduce((sum, day) => sum + day.good + day.impaired + day.down, 0);
  return measured < DAY_SECONDS ? null : Math.floor((good * 10_000) / measured);
}

async function read({ pool, clock }: Deps): Promise<History> {
  const now = Math.floor(clock.now().getTime() / 1000);
  const today = now - (now % DAY_SECONDS);
  const dates = Array.from({ length: HISTORY_DAYS }, (_, n) => dateOf(today - (HISTORY_DAYS - 1 - n) * DAY_SECONDS));
  const { rows } = await pool.query<Row>({
    name: 'status_history',
    text: `SELECT environment, subject, day::text AS date, good_seconds AS good, impaired_seconds AS impaired, down_seconds AS down
      FROM status_days WHERE day >= $1::date AND day <= $2::date`,
    values: [dates[0], dates.at(-1)],
  });
  const known = new Map(rows.map((row) => [`${row.environment} ${row.subject} ${row.date}`, row]));
  const subjects = new Set(rows.map(({ environment, subject }) => `${environment} ${subject}`));
  const dayOf = (subject: string, date: string): Day => {
    const { good, impaired, down } = known.get(`${subject} ${date}`) ?? { good: 0, impaired: 0, down: 0 };
    const passed = date === dateOf(today) ? now - today : DAY_SECONDS;
    const gap = passed - good - impaired - down;
    const isKnown = good + impaired + down > 0 && gap < LEAST_GAP_SECONDS;
    return { date, good, impaired, down, unknown: isKnown ? 0 : Math.max(1, gap) };
  };
  const days = new Map([...subjects].map((subject) => [subject, dates.map((date) => dayOf(subject, date))]));
  return { dates, days };
}

const dateOf = (unix: number): string => new Date(unix * 1000).toISOString().slice(0, 10);
