// The worker's step that keeps the balances of the refund, treasury and cold wallets for the chart of the operator console. It copies what
// the reconciliation has read and sends no request. A wallet that is not read leaves a gap.

import { directWallets } from '@/lib/networks/direct-settlement';
import type { Context } from '@/lib/platform/context';

/** The reconciliation reads wallets every few minutes, and one reading of an hour is kept. */
export const WALLET_HISTORY_MILLISECONDS = 600_000;
/** Older rows are thinned to the first of each day, in UTC. */
const HOURLY_DAYS = 90;
/** An older reading is of no present wallet. It would come back after it was thinned. */
const RECENT_HOURS = 24;
/** Rows per deletion, far below the statement's time limit. */
const THINNED_AT_ONCE = 20_000;

const HOUR_MILLISECONDS = 3_600_000;

type Deps = Pick<Context, 'pool' | 'clock' | 'config'>;

/** The first reading of each hour is kept. Any number of workers may run it. */
export async function recordWalletHistory(deps: Deps): Promise<{ more: boolean }> {
  await keepReadings(deps);
  return { more: (await thin(deps)) === THINNED_AT_ONCE };
}

/** The merchant's own wallet of a direct settlement is no wallet of the operator's. A wallet in two roles counts once, as in the reserves. */
async function keepReadings({ pool, clock, config }: Deps): Promise<void> {
  const direct = (['live', 'test'] as const).flatMap((environment) =>
    directWallets(config, environment).map(({ network }) => `${environment}/${network}`),
  );
  await pool.query({
    name: 'wallet-history-keep',
    text: `WITH chain AS (SELECT id, environment || '/' || network AS name FROM chains WHERE retired_at IS NULL),
             refund AS (SELECT DISTINCT ON (w.chain_id, w.asset) w.chain_id, w.address, w.asset AS currency, w.amount, w.read_at
               FROM wallet_balances w JOIN chain ON chain.id = w.chain_id WHERE w.asset <> 'fee'
               ORDER BY w.chain_id, w.asset, w.read_at DESC),
             treasury AS (SELECT t.* FROM treasury_balances t JOIN chain ON chain.id = t.chain_id WHERE chain.name <> ALL ($1::text[])),
             cold AS (SELECT c.* FROM cold_balances c JOIN chain ON chain.id = c.chain_id
               WHERE NOT EXISTS (SELECT FROM treasury_balances t WHERE t.chain_id = c.chain_id AND t.address = c.address)
                 AND NOT EXISTS (SELECT FROM refund r WHERE r.chain_id = c.chain_id AND r.address = c.address)),
             reading AS (SELECT chain_id, currency, 'refund' AS wallet, amount, read_at FROM refund
               UNION ALL SELECT chain_id, currency, 'treasury', amount, read_at FROM treasury
               UNION ALL SELECT chain_id, currency, 'cold', amount, read_at FROM cold)
           INSERT INTO wallet_history (chain_id, currency, wallet, hour, amount)
           SELECT chain_id, currency, wallet, date_trunc('hour', read_at, 'UTC'), amount FROM reading WHERE read_at > $2
           ON CONFLICT DO NOTHING`,
    values: [direct, new Date(clock.now().getTime() - RECENT_HOURS * HOUR_MILLISECONDS)],
  });
}

/** Returns the number of deleted rows. The first of a day has none before it, so it stays whatever runs beside. */
async function thin({ pool, clock }: Deps): Promise<number> {
  const { rowCount } = await pool.query({
    name: 'wallet-history-thin',
    text: `DELETE FROM wallet_history WHERE ctid = ANY (ARRAY(SELECT h.ctid FROM wallet_history h
             WHERE h.hour < $1 AND EXISTS (SELECT FROM wallet_history e
               WHERE e.chain_id = h.chain_id AND e.currency = h.currency AND e.wallet = h.wallet
                 AND e.hour >= date_trunc('day', h.hour, 'UTC') AND e.hour < h.hour)
             LIMIT ${THINNED_AT_ONCE}))`,
    values: [new Date(clock.now().getTime() - HOURLY_DAYS * 24 * HOUR_MILLISECONDS)],
  });
  return rowCount ?? 0;
}
