// How many deposit addresses are left in the pool of each environment that gives them out. Reads only.

import type { Context } from '@/lib/platform/context';
import type { Environment } from '@/lib/platform/ids';
import { environmentsOf } from '@/lib/treasury/wallets/address-pool';

export type PoolFill = {
  readonly environment: Environment;
  readonly held: number;
  readonly size: number;
  /** Below a quarter. The worker fills the pool from three quarters on. */
  readonly isLow: boolean;
};

export async function readPoolFill({ pool, config }: Pick<Context, 'pool' | 'config'>): Promise<readonly PoolFill[]> {
  const { rows } = await pool.query<{ environment: Environment; held: number }>({
    name: 'address-pool-fill',
    text: `SELECT environment, count(*)::int AS held FROM address_pool
           WHERE incarnation = (SELECT pool_incarnation()) AND xmin = written_by GROUP BY environment`,
    values: [],
  });
  const size = config.ADDRESS_POOL_SIZE;
  return environmentsOf(config).map((environment) => {
    const held = rows.find((row) => row.environment === environment)?.held ?? 0;
    return { environment, held, size, isLow: held * 4 < size };
  });
}
