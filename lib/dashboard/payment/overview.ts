// A store's numbers over the last days, and its open work. One statement reads the payments of the period by day, network and token:
// the totals of past days, and the sessions of today.

import type { Context } from '@/lib/platform/context';
import { centsToText } from '@/lib/money/amounts';
import type { SessionStatus } from '@/prisma/generated/enums';
import type { StoreScope } from '@/lib/dashboard/lists/payments';

export const PERIODS = [7, 30, 90] as const;
export type Period = (typeof PERIODS)[number];

/** Amounts are decimal text of dollars: USDT and USDC count one for one. */
export type StoreOverview = {
  readonly volume: string;
  readonly refunded: string;
  readonly paid: number;
  readonly created: number;
  /** Share of the ended ones, from 0 to 1; null when none has ended. */
  readonly successRate: number | null;
  /** The same for the previous period, for comparison. */
  readonly before: {
    readonly volume: string;
    readonly paid: number;
    readonly successRate: number | null;
    /** Volumes by day, each as far into its period as the same day of `days`. */
    readonly days: readonly string[];
  };
  /** Every day of the period, the oldest first; `day` is its first moment. */
  readonly days: readonly {
    readonly day: Date;
    readonly volume: string;
    readonly paid: number;
    readonly unpaid: number;
  }[];
  /** The largest first. */
  readonly networks: readonly Share[];
  readonly tokens: readonly Share[];
  /** Each at most a hundred. */
  readonly waiting: { readonly exceptions: number; readonly refunds: number; readonly deliveries: number };
};

type Share = { readonly name: string; readonly volume: string; readonly paid: number };

type Bucket = {
  /** Days since the beginning; negative before the period. */
  readonly day: number;
  readonly status: SessionStatus;
  readonly network: string | null;
  readonly currency: string | null;
  readonly count: number;
  /** Cents. */
  readonly amount: string;
  readonly refunded: string;
};

const DAY_MILLISECONDS = 86_400_000;

export async function readStoreOverview(
  { pool, clock }: { readonly pool: Pick<Context['pool'], 'query'>; readonly clock: Context['clock'] },
  of: StoreScope,
  period: Period,
): Promise<StoreOverview> {
  const today = Math.floor(clock.now().getTime() / DAY_MILLISECONDS);
  const start = new Date((today - period + 1) * DAY_MILLISECONDS);
  const end = new Date((today + 1) * DAY_MILLISECONDS);
  const before = new Date(start.getTime() - period * DAY_MILLISECONDS);
  const [buckets, state] = await Promise.all([
    pool.query<Bucket>({ ...BUCKETS, values: [of.storeId, of.environment, before, end, start] }),
    pool.query<State>({ ...STATE, values: [of.storeId, of.environment, before] }),
  ]);
  return { ...overviewOf(buckets.rows, period, start), waiting: state.rows[0] as State };
}

/** Adds up the counted buckets. Pure. */
function overviewOf(buckets: readonly Bucket[], period: Period, start: Date): Omit<StoreOverview, 'waiting'> {
  const now = buckets.filter(({ day }) => day >= 0);
  const paid = now.filter(isPaid);
  const days = Array.from({ length: period }, (_, day) => {
    const ofDay = now.filter((bucket) => bucket.day === day);
    return {
      day: new Date(start.getTime() + day * DAY_MILLISECONDS),
      volume: centsToText(volumeOf(ofDay)),
      paid: countOf(ofDay.filter(isPaid)),
      unpaid: countOf(ofDay.filter((bucket) => isEnded(bucket) && !isPaid(bucket))),
    };
  });
  const former = buckets.filter(({ day }) => day < 0);
  return {
    volume: centsToText(volumeOf(now)),
    refunded: centsToText(paid.reduce((sum, { refunded }) => sum + BigInt(refunded), 0n)),
    paid: countOf(paid),
    created: countOf(now),
    successRate: rateOf(now),
    before: {
      volume: centsToText(volumeOf(former)),
      paid: countOf(former.filter(isPaid)),
      successRate: rateOf(former),
      days: days.map((_, day) => centsToText(volumeOf(former.filter((bucket) => bucket.day === day - period)))),
    },
    days,
    networks: sharesOf(paid, ({ network }) => network),
    tokens: sharesOf(paid, ({ currency }) => currency),
  };
}

const isPaid = ({ status }: Bucket): boolean => status === 'completed';
const isEnded = ({ status }: Bucket): boolean => status !== 'pending';
const countOf = (buckets: readonly Bucket[]): number => buckets.reduce((sum, { count }) => sum + count, 0);
const volumeOf = (buckets: readonly Bucket[]): bigint =>
  buckets.filter(isPaid).reduce((sum, { amount }) => sum + BigInt(amount), 0n);

/** Canceled payments are excluded: they say nothing about customers who wanted to pay. */
function rateOf(buckets: readonly Bucket[]): number | null {
  const ended = countOf(buckets.filter((bucket) => isEnded(bucket) && bucket.status !== 'canceled'));
  return ended === 0 ? null : countOf(buckets.filter(isPaid)) / ended;
}

function sharesOf(buckets: readonly Bucket[], nameOf: (bucket: Bucket) => string | null): Share[] {
  const names = [...new Set(buckets.map(nameOf))].filter((name) => name !== null);
  return names
    .map((name) => {
      const of = buckets.filter((bucket) => nameOf(bucket) === name);
      return { name, cents: volumeOf(of), paid: countOf(of) };
    })
    .toSorted((a, b) => (a.cents < b.cents ? 1 : a.cents > b.cents ? -1 : 0))
    .map(({ name, cents, paid }) => ({ name, volume: centsToText(cents), paid }));
}

// A day is read from its totals (lib/payments/totals/roll-up) if they contain every change, else from the sessions. Both and the list of
// changes are of one snapshot.
const BUCKETS = {
  name: 'overview-buckets',
  text: `WITH wanted AS (SELECT day::date FROM generate_series(($3::timestamptz AT TIME ZONE 'UTC')::date,
             ($4::timestamptz AT TIME ZONE 'UTC')::date - 1, interval '1 day') AS day),
           added AS MATERIALIZED (SELECT d.day FROM session_total_days d WHERE d.environment = $2::"Environment"
             AND d.day IN (SELECT day FROM wanted) AND (d.is_done OR $1 <= d.through_store)
             AND NOT EXISTS (SELECT FROM session_total_changes c
               WHERE c.environment = $2::"Environment" AND c.day = d.day AND c.store_id = $1)),
           live AS (SELECT day FROM wanted EXCEPT SELECT day FROM added)
         SELECT t.day - ($5::timestamptz AT TIME ZONE 'UTC')::date AS day, t.status, nullif(t.network, '') AS network,
           nullif(t.currency, '') AS currency, t.count::int AS count, t.amount_due::text AS amount, t.amount_refunded::text AS refunded
         FROM session_totals t WHERE t.store_id = $1 AND t.environment = $2::"Environment" AND t.day IN (SELECT day FROM added)
         UNION ALL
         SELECT l.day - ($5::timestamptz AT TIME ZONE 'UTC')::date, s.* FROM live l CROSS JOIN LATERAL (
           SELECT status, completed_network, completed_currency, count(*)::int, sum(amount_due)::text, sum(amount_refunded)::text
           FROM sessions WHERE store_id = $1 AND environment = $2::"Environment"
             AND created_at >= l.day::timestamp AT TIME ZONE 'UTC' AND created_at < (l.day + 1)::timestamp AT TIME ZONE 'UTC'
           GROUP BY 1, 2, 3) s`,
};

type State = StoreOverview['waiting'];

const own = (rows: string): string =>
  `(SELECT count(*)::int FROM (SELECT 1 FROM ${rows} AND store_id = $1 AND environment = $2::"Environment" LIMIT 100) AS few)`;

const STATE = {
  name: 'overview-state',
  text: `SELECT ${own(`payment_exceptions WHERE state = 'open'`)} AS exceptions,
           ${own(`refunds WHERE hold IS NOT NULL AND status = 'processing'`)} AS refunds,
           ${own(`deliveries WHERE status = 'failed' AND finished_at >= $3`)} AS deliveries`,
};
