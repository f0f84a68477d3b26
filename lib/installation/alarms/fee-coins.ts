// The refund wallets' balances of the coins that pay fees, and whether they are low.

import { networkSpec } from '@/lib/networks/networks';
import { offers } from '@/lib/networks/registry';
import type { Context } from '@/lib/platform/context';
import type { Environment } from '@/lib/platform/ids';

export type CoinBalance = {
  readonly environment: Environment;
  readonly network: string;
  readonly amount: bigint;
  readonly isLow: boolean;
};

/** The last readings of the wallets. Omits networks that were never read or are not configured. */
export async function coinBalances({
  pool,
  config,
}: Pick<Context, 'pool' | 'config'>): Promise<readonly CoinBalance[]> {
  const { rows } = await pool.query<{ environment: Environment; network: string; amount: string }>({
    name: 'alarm-coins',
    text: `SELECT DISTINCT ON (c.id) c.environment, c.network, w.amount::text AS amount
           FROM wallet_balances w JOIN chains c ON c.id = w.chain_id AND c.retired_at IS NULL
           WHERE w.asset = 'fee' ORDER BY c.id, w.read_at DESC`,
    values: [],
  });
  const offered = new Set(offers(config).map(({ spec }) => `${spec.environment} ${spec.network}`));
  return rows.flatMap(({ environment, network, amount }): CoinBalance[] => {
    const spec = networkSpec(environment, network, config.TEST_CHAINS);
    if (!spec || !offered.has(`${environment} ${network}`)) return [];
    return [{ environment, network, amount: BigInt(amount), isLow: BigInt(amount) < spec.lowCoin }];
  });
}
