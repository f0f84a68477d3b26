// Stores a discrepancy between the ledger and a chain for the operator. At most one is open per chain, address and
// token. discrepancies.ts closes it.

import type { Db } from '@/lib/platform/database/db';
import type { Environment } from '@/lib/platform/ids';

const LONGEST_NOTE = 500;

/** The place of a discrepancy. */
export type Place = { readonly chainId: number; readonly address: string; readonly currency: string };

/** `expected` and `found`: base units according to the ledger and on the chain. */
export type FoundDiscrepancy = Place & {
  readonly environment: Environment;
  readonly network: string;
  readonly expected: bigint;
  readonly found: bigint;
  readonly now: Date;
  /** A note for the operators. */
  readonly note?: string | null;
};

/** Stores a discrepancy, or updates the amounts of one that is open. True when it is new. */
export async function reportDiscrepancy(db: Db, found: FoundDiscrepancy): Promise<boolean> {
  const { rows } = await db.query<{ is_new: boolean }>({
    name: 'difference-report',
    text: `INSERT INTO discrepancies (environment, network, chain_id, currency, address, expected, found, found_at, note)
             VALUES ($1::"Environment", $2, $3, $4, $5, $6, $7, $8, $9)
           ON CONFLICT (chain_id, address, currency) WHERE ended_at IS NULL
             DO UPDATE SET expected = EXCLUDED.expected, found = EXCLUDED.found, note = coalesce(EXCLUDED.note, discrepancies.note)
               WHERE discrepancies.explained_at IS NULL
           RETURNING xmax = 0 AS is_new`,
    values: [
      found.environment,
      found.network,
      found.chainId,
      found.currency,
      found.address,
      found.expected.toString(),
      found.found.toString(),
      found.now,
      found.note?.slice(0, LONGEST_NOTE) ?? null,
    ],
  });
  return rows[0]?.is_new === true;
}

/** The number of open discrepancies of a chain. */
export async function countOpenDiscrepancies(db: Db, chainId: number): Promise<number> {
  const { rows } = await db.query<{ count: number }>({
    name: 'discrepancies-open',
    text: 'SELECT count(*)::int AS count FROM discrepancies WHERE chain_id = $1 AND ended_at IS NULL',
    values: [chainId],
  });
  return rows[0]?.count ?? 0;
}
