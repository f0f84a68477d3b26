// Sets and removes the payout schedules of a store.

import { networkSpec } from '@/lib/networks/networks';
import type { Context } from '@/lib/platform/context';
import { transaction, type Tx } from '@/lib/platform/database/db';
import { LEAST_PAYOUT_CENTS } from '../payout';
import { firstRunOf, type ScheduleInterval, type ScheduleKey } from './rows';

export type Schedule = {
  readonly interval: ScheduleInterval;
  /** Cents. A smaller payout waits for the next period. A threshold pays as soon as it would be as much. */
  readonly least: bigint;
};

/** `unknown_asset`: the network does not exist here, or has no such token. `too_small`: `least` is below LEAST_PAYOUT_CENTS. */
type ScheduleRefusal = { readonly code: 'unknown_asset' | 'too_small' };
type Record = (tx: Tx) => Promise<void>;

/**
 * Sets the schedule of a token; the former one ends. With the same interval, the time of the next payout stays. What is kept for refunds is set
 * by reserve.ts.
 */
export async function setSchedule(
  { pool, clock, config }: Pick<Context, 'pool' | 'clock' | 'config'>,
  { storeId, environment, network, currency }: ScheduleKey,
  { interval, least }: Schedule,
  record: Record,
): Promise<{ readonly set: true } | { readonly refused: ScheduleRefusal }> {
  if (!networkSpec(environment, network, config.TEST_CHAINS)?.tokens[currency])
    return { refused: { code: 'unknown_asset' } };
  if (least < LEAST_PAYOUT_CENTS) return { refused: { code: 'too_small' } };
  const now = clock.now();
  await transaction(pool, async (tx) => {
    await tx.query({
      name: 'payout-schedule-set',
      text: `INSERT INTO payout_schedules AS s
               (store_id, environment, network, currency, interval, least, created_at, updated_at, next_run_at)
             VALUES ($1, $2::"Environment", $3, $4, $5::"PayoutInterval", $6, $7, $7, $8)
             ON CONFLICT (store_id, environment, network, currency) DO UPDATE SET
               interval = EXCLUDED.interval, least = EXCLUDED.least, updated_at = EXCLUDED.updated_at,
               next_run_at = CASE WHEN s.interval = EXCLUDED.interval THEN s.next_run_at ELSE EXCLUDED.next_run_at END,
               reason = CASE WHEN s.interval = EXCLUDED.interval THEN s.reason END`,
      values: [storeId, environment, network, currency, interval, least, now, firstRunOf(interval, now)],
    });
    await record(tx);
  });
  return { set: true };
}

/** False when there was none. A payout that it requested before goes on. */
export async function removeSchedule(
  { pool, clock }: Pick<Context, 'pool' | 'clock'>,
  { storeId, environment, network, currency }: ScheduleKey,
  record: Record,
): Promise<boolean> {
  return transaction(pool, async (tx) => {
    const { rowCount } = await tx.query({
      name: 'payout-schedule-remove',
      text: `UPDATE payout_schedules SET interval = 'manual', next_run_at = NULL, reason = NULL, updated_at = $5
             WHERE store_id = $1 AND environment = $2::"Environment" AND network = $3 AND currency = $4 AND interval <> 'manual'`,
      values: [storeId, environment, network, currency, clock.now()],
    });
    if (rowCount !== 1) return false;
    await record(tx);
    return true;
  });
}
