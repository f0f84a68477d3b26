// The payout schedules of a store for display.

import type { Db } from '@/lib/platform/database/db';
import type { Environment } from '@/lib/platform/ids';
import type { PayoutInterval } from '@/prisma/generated/enums';
import type { ScheduleInterval, ScheduleReason } from './rows';

export type ListedSchedule = {
  readonly network: string;
  readonly currency: string;
  readonly interval: ScheduleInterval;
  /** Cents. */
  readonly least: bigint;
  /** The refund reserve of the token. */
  readonly keep: bigint;
  readonly nextRunAt: Date;
  readonly reason: ScheduleReason | null;
};

type Row = Omit<ListedSchedule, 'interval' | 'least' | 'keep' | 'nextRunAt'> & {
  readonly interval: PayoutInterval;
  readonly nextRunAt: Date | null;
  readonly least: string;
  readonly keep: string;
};

/** Without those that were removed. A store has at most one per token and network. */
export async function listSchedules(
  db: Db,
  { storeId, environment }: { readonly storeId: string; readonly environment: Environment },
): Promise<ListedSchedule[]> {
  const { rows } = await db.query<Row>({
    name: 'payout-schedules-of-store',
    text: `SELECT network, currency, interval, least, keep, next_run_at AS "nextRunAt", reason FROM payout_schedules
           WHERE store_id = $1 AND environment = $2::"Environment" AND interval <> 'manual' ORDER BY network, currency`,
    values: [storeId, environment],
  });
  return rows.flatMap(({ interval, nextRunAt, least, keep, ...row }) =>
    interval === 'manual' || nextRunAt === null
      ? []
      : [{ ...row, interval, nextRunAt, least: BigInt(least), keep: BigInt(keep) }],
  );
}
