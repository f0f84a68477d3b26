// Frozen money that stores have paid out or refunded before the hit was found, as the screening page shows it.

import { readShortfalls } from '@/lib/ledger/frozen';
import { networkSpec } from '@/lib/networks/networks';
import type { Context } from '@/lib/platform/context';
import type { Environment } from '@/lib/platform/ids';
import { shortAmount } from '../amounts';

export type Shortfall = {
  readonly storeId: string;
  readonly storeName: string;
  readonly environment: Environment;
  readonly network: string;
  readonly currency: string;
  /** Decimal text: what is missing of the frozen money. */
  readonly amount: string;
};

/** More are an attack or an error of a source, and the alarm counts them. */
const MAX_SHOWN = 100;

export async function listShortfalls({ pool, config }: Pick<Context, 'pool' | 'config'>): Promise<Shortfall[]> {
  const found = await readShortfalls(pool, MAX_SHOWN);
  if (found.length === 0) return [];
  const { rows } = await pool.query<{ id: string; name: string }>({
    name: 'screening-short-stores',
    text: 'SELECT id, name FROM stores WHERE id = ANY($1)',
    values: [found.map(({ storeId }) => storeId)],
  });
  return found.map(({ amount, ...of }) => ({
    ...of,
    storeName: rows.find(({ id }) => id === of.storeId)?.name ?? of.storeId,
    amount: shortAmount(
      amount,
      networkSpec(of.environment, of.network, config.TEST_CHAINS)?.tokens[of.currency]?.decimals ?? 6,
    ),
  }));
}
