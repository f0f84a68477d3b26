// The health of an endpoint: whether it is paused and why, the waiting deliveries, its attempts by the hour for a
// chart, and its settings for after the retries.

import type { Context } from '@/lib/platform/context';
import { prismaOn } from '@/lib/platform/database/prisma';
import type { PauseReason } from '@/prisma/generated/enums';
import { BUCKET_MILLISECONDS } from './chart-buckets';
import type { Endpoint } from '@/lib/webhooks/delivery/lease';

export type Pause = {
  readonly reason: PauseReason;
  readonly pausedAt: Date;
  /** Null when the service did it. */
  readonly pausedBy: string | null;
  readonly resumedAt: Date | null;
  readonly resumedBy: string | null;
  readonly replayed: number | null;
};

type HealthHour = {
  readonly hour: Date;
  /** Attempts with a 2xx response, and all others that ended. */
  readonly succeeded: number;
  readonly failed: number;
  /**
   * The number of attempts that took less than `below` milliseconds and at least the limit of the bucket before; null:
   * all slower ones.
   */
  readonly buckets: readonly { readonly below: number | null; readonly count: number }[];
};

export type EndpointHealth = {
  readonly pausedAt: Date | null;
  readonly slowLane: boolean;
  /** Failed deliveries since the last success, and the time of the first. */
  readonly failedInARow: number;
  readonly failingSince: Date | null;
  /** Pending deliveries, counted up to 10,000. */
  readonly waiting: number;
  /** Oldest first, the current hour last, including hours without attempts. */
  readonly hours: readonly HealthHour[];
  /** Newest first. */
  readonly pauses: readonly Pause[];
};

const HOUR = 3_600_000;
const MAX_WAITING = 10_000;
const MAX_PAUSES = 20;
export const MAX_HOURS = 24 * 14;

/** Null when the store has no endpoint there. `hours`: the length of the chart, at most two weeks. */
export async function readEndpointHealth(
  { pool, clock }: Pick<Context, 'pool' | 'clock'>,
  { storeId, environment, hours = 48 }: Endpoint & { readonly hours?: number },
): Promise<EndpointHealth | null> {
  const shown = Math.max(1, Math.min(MAX_HOURS, hours));
  const last = Math.floor(clock.now().getTime() / HOUR) * HOUR;
  const first = new Date(last - (shown - 1) * HOUR);
  const prisma = await prismaOn(pool);
  const [endpoint, counts, pauses] = await Promise.all([
    pool.query(
      `SELECT e.paused_at, e.slow_lane, e.failed_in_a_row, e.failing_since,
              (SELECT count(*)::int FROM (SELECT FROM deliveries d WHERE d.status = 'pending' AND d.store_id = e.store_id
                AND d.environment = e.environment LIMIT ${MAX_WAITING}) few) AS waiting
       FROM webhook_endpoints e WHERE e.store_id = $1 AND e.environment = $2`,
      [storeId, environment],
    ),
    prisma.webhookHour.findMany({
      where: { storeId, environment, hour: { gte: first } },
      select: { hour: true, bucket: true, succeeded: true, failed: true },
      orderBy: [{ hour: 'asc' }, { bucket: 'asc' }],
    }),
    prisma.webhookPause.findMany({
      where: { storeId, environment },
      select: { reason: true, pausedAt: true, pausedBy: true, resumedAt: true, resumedBy: true, replayed: true },
      orderBy: { id: 'desc' },
      take: MAX_PAUSES,
    }),
  ]);
  const [row] = endpoint.rows;
  if (!row) return null;
  return {
    pausedAt: row.paused_at,
    slowLane: row.slow_lane,
    failedInARow: row.failed_in_a_row,
    failingSince: row.failing_since,
    waiting: row.waiting,
    hours: Array.from({ length: shown }, (_, n) => hourOf(first.getTime() + n * HOUR, counts)),
    pauses,
  };
}

type Count = { hour: Date; bucket: number; succeeded: number; failed: number };

function hourOf(at: number, counts: readonly Count[]): HealthHour {
  const mine = counts.filter(({ hour }) => hour.getTime() === at);
  const sum = (of: (one: Count) => number, among = mine): number => among.reduce((total, one) => total + of(one), 0);
  return {
    hour: new Date(at),
    succeeded: sum(({ succeeded }) => succeeded),
    failed: sum(({ failed }) => failed),
    buckets: [...BUCKET_MILLISECONDS, null].map((below, bucket) => ({
      below,
      count: sum(
        ({ succeeded, failed }) => succeeded + failed,
        mine.filter((one) => one.bucket === bucket),
      ),
    })),
  };
}
