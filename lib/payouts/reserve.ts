// The refund reserve of a store: what stays in its balance of a token on a network when it is paid out, by hand, through the API or by a
// schedule. Refunds can take it.

import { networkSpec } from '@/lib/networks/networks';
import type { Context } from '@/lib/platform/context';
import { transaction, type Db, type Tx } from '@/lib/platform/database/db';
import type { Environment } from '@/lib/platform/ids';
import { LEAST_PAYOUT_CENTS } from './payout';
import type { ScheduleKey } from './schedules/rows';

export type Reserve = { readonly network: string; readonly currency: string; readonly cents: bigint };

/** One per token and network that has a reserve. */
export async function readRefundReserves(
  db: Db,
  { storeId, environment }: { readonly storeId: string; readonly environment: Environment },
): Promise<readonly Reserve[]> {
  const { rows } = await db.query<{ network: string; currency: string; cents: string }>({
    name: 'refund-reserves',
    text: `SELECT network, currency, keep::text AS cents FROM payout_schedules
           WHERE store_id = $1 AND environment = $2::"Environment" AND keep > 0 ORDER BY network, currency`,
    values: [storeId, environment],
  });
  return rows.map((row) => ({ ...row, cents: BigInt(row.cents) }));
}

/**
 * Payouts that are requested from now on leave this amount. Those that were requested before go on. The row is locked before the store, as when
 * a schedule is decided; the store is locked so that a request that has read the former reserve is over.
 */
export async function setReserve(
  { pool, clock, config }: Pick<Context, 'pool' | 'clock' | 'config'>,
  { storeId, environment, network, currency }: ScheduleKey,
  cents: bigint,
  record: (tx: Tx) => Promise<void>,
): Promise<{ readonly set: true } | { readonly refused: { readonly code: 'unknown_asset' } }> {
  if (!networkSpec(environment, network, config.TEST_CHAINS)?.tokens[currency])
    return { refused: { code: 'unknown_asset' } };
  await transaction(pool, async (tx) => {
    // A token without a schedule gets the row that a removed schedule has.
    await tx.query({
      name: 'refund-reserve-set',
      text: `INSERT INTO payout_schedules (store_id, environment, network, currency, interval, least, keep, created_at, updated_at)
             VALUES ($1, $2::"Environment", $3, $4, 'manual', ${LEAST_PAYOUT_CENTS}, $5, $6, $6)
             ON CONFLICT (store_id, environment, network, currency) DO UPDATE SET keep = EXCLUDED.keep, updated_at = EXCLUDED.updated_at`,
      values: [storeId, environment, network, currency, cents, clock.now()],
    });
    await tx.query({
      name: 'refund-reserve-lock-store',
      text: 'SELECT 1 FROM stores WHERE id = $1 FOR NO KEY UPDATE',
      values: [storeId],
    });
    await record(tx);
  });
  return { set: true };
}
