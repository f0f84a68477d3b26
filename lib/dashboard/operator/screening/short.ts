// Frozen money that the balances of stores lack, because it was paid out or refunded or a payout holds it, as the screening page shows it.

import { readShortfalls } from '@/lib/ledger/frozen';
import { centsToText } from '@/lib/money/amounts';
import { networkSpec } from '@/lib/networks/networks';
import type { Context } from '@/lib/platform/context';
import type { Db } from '@/lib/platform/database/db';
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
  /** Decimal text: what payouts hold of the store's token that are not signed. It is the store's again when they are canceled; null if none. */
  readonly unsigned: string | null;
};

/** More are an attack or an error of a source, and the alarm counts them. */
const MAX_SHOWN = 100;

export async function listShortfalls({ pool, config }: Pick<Context, 'pool' | 'config'>): Promise<Shortfall[]> {
  const found = await readShortfalls(pool, MAX_SHOWN);
  if (found.length === 0) return [];
  const storeIds = found.map(({ storeId }) => storeId);
  const { rows } = await pool.query<{ id: string; name: string }>({
    name: 'screening-short-stores',
    text: 'SELECT id, name FROM stores WHERE id = ANY($1)',
    values: [storeIds],
  });
  const unsigned = await readUnsigned(pool, storeIds);
  return found.map(({ amount, ...of }) => ({
    ...of,
    storeName: rows.find(({ id }) => id === of.storeId)?.name ?? of.storeId,
    unsigned: unsigned.get(keyOf(of)) ?? null,
    amount: shortAmount(
      amount,
      networkSpec(of.environment, of.network, config.TEST_CHAINS)?.tokens[of.currency]?.decimals ?? 6,
    ),
  }));
}

type Of = Pick<Shortfall, 'storeId' | 'environment' | 'network' | 'currency'>;
const keyOf = ({ storeId, environment, network, currency }: Of): string =>
  [storeId, environment, network, currency].join(' ');

/** What payouts hold that no transaction can pay yet. */
async function readUnsigned(db: Db, storeIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const { rows } = await db.query<Of & { readonly cents: string }>({
    name: 'screening-short-unsigned',
    text: `SELECT p.store_id AS "storeId", p.environment, p.network, p.currency, sum(p.amount + p.fee + p.network_cost)::text AS cents
           FROM payouts p WHERE p.store_id = ANY($1) AND p.status IN ('pending', 'processing')
             AND NOT EXISTS (SELECT FROM refund_attempts a WHERE a.intent_id = p.id AND a.hash IS NOT NULL AND a.ended_at IS NULL)
           GROUP BY 1, 2, 3, 4`,
    values: [storeIds],
  });
  return new Map(rows.map((row) => [keyOf(row), centsToText(BigInt(row.cents))]));
}
