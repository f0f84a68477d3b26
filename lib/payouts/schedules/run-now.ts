// Runs a payout schedule before its time, in the test environment of a sandbox only: a person who tries a daily schedule does not wait for
// midnight.

import type { Config } from '@/lib/platform/config/config';
import type { Context } from '@/lib/platform/context';
import { transaction, type Tx } from '@/lib/platform/database/db';
import type { Environment } from '@/lib/platform/ids';
import type { ScheduleKey } from './rows';

export const canRunNow = ({ SANDBOX_ORIGIN }: Pick<Config, 'SANDBOX_ORIGIN'>, environment: Environment): boolean =>
  environment === 'test' && SANDBOX_ORIGIN !== undefined;

/** Makes the schedule due, so that the worker decides it next. False when there is none. */
export async function runScheduleNow(
  { pool, clock }: Pick<Context, 'pool' | 'clock'>,
  { storeId, environment, network, currency }: ScheduleKey,
  record: (tx: Tx) => Promise<void>,
): Promise<boolean> {
  return transaction(pool, async (tx) => {
    const { rowCount } = await tx.query({
      name: 'payout-schedule-run-now',
      text: `UPDATE payout_schedules SET next_run_at = $5, reason = NULL, updated_at = $5
             WHERE store_id = $1 AND environment = $2::"Environment" AND network = $3 AND currency = $4 AND interval <> 'manual'`,
      values: [storeId, environment, network, currency, clock.now()],
    });
    if (rowCount !== 1) return false;
    await record(tx);
    return true;
  });
}
