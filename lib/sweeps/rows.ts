// Rows of sweeps: one transaction each, with the deposit addresses that it is for. Every change names the state that it expects, so
// that two workers on one sweep change it once.

import type { NetworkSpec } from '@/lib/networks/networks';
import { SqlState, sqlState, transaction, type Db, type Pool } from '@/lib/platform/database/db';
import { isSweepBarred } from '@/lib/screening/sender-sql';
import type { SweepParams } from '@/lib/signer/client';
import type { Candidate } from './rules';

export type SweepStatus = 'planned' | 'signed' | 'mined' | 'final' | 'reverted' | 'lapsed' | 'canceled';

/**
 * What bounds the validity and the cost of a transaction, as the family writes it (evm/terms.ts and others). Amounts are decimal
 * text.
 */
type Terms = Readonly<Record<string, string | number>>;

export type Sweep = {
  readonly id: string;
  readonly status: 'planned' | 'signed' | 'mined';
  readonly currency: string | null;
  readonly sender: string;
  readonly request: SweepParams['transaction'];
  readonly terms: Terms;
  /** The newest signed variant; null while it is only planned. */
  readonly bytes: string | null;
  /** Of all variants, oldest first. On EVM networks any of them may land. */
  readonly hashes: readonly string[];
  /** When the newest variant was signed. */
  readonly signedAt: Date | null;
};

export type NewSweep = Pick<Sweep, 'sender' | 'request' | 'terms' | 'currency'> & {
  readonly spec: NetworkSpec;
  readonly chainId: number;
  readonly items: readonly Candidate[];
  readonly now: Date;
};

const COLUMNS = 'id::text AS id, status, currency, sender, request, terms, bytes, hashes, signed_at AS "signedAt"';

/** The sweeps of a chain that have not ended, oldest first. */
export async function readOpenSweeps(db: Db, chainId: number): Promise<readonly Sweep[]> {
  const { rows } = await db.query<Sweep>({
    name: 'sweeps-open',
    text: `SELECT ${COLUMNS} FROM sweeps WHERE chain_id = $1 AND ended_at IS NULL ORDER BY id`,
    values: [chainId],
  });
  return rows;
}

const IS_FROZEN = isSweepBarred({
  sessionId: 'i.session_id',
  chainId: 'i.chain_id',
  address: 'i.address',
  environment: '$2::"Environment"',
  isScreened: 'false',
});

/**
 * Null when another worker has planned a sweep of this account or of one of these addresses, or when one of them was frozen since it was
 * chosen.
 */
export async function insertSweep(pool: Pool, sweep: NewSweep): Promise<Sweep | null> {
  const { spec, chainId, currency, items, now, sender, request, terms } = sweep;
  const rows = items.map((one) => ({
    address: one.address,
    address_index: one.addressIndex,
    session_id: one.sessionId,
    currency: one.currency,
    decimals: one.decimals,
    amount: one.amount.toString(),
  }));
  try {
    return await transaction(pool, async (tx) => {
      const inserted = await tx.query<Sweep>({
        name: 'sweep-insert',
        text: `INSERT INTO sweeps (environment, network, chain_id, kind, currency, sender, request, terms, created_at)
               VALUES ($1::"Environment", $2, $3, $4, $5, $6, $7, $8, $9) RETURNING ${COLUMNS}`,
        values: [
          spec.environment,
          spec.network,
          chainId,
          request.kind,
          currency,
          sender,
          JSON.stringify(request),
          JSON.stringify(terms),
          now,
        ],
      });
      const [row] = inserted.rows;
      if (!row) throw new Error('PostgreSQL returned no row for a new sweep');
      await tx.query({
        name: 'sweep-items-insert',
        text: `INSERT INTO sweep_items (sweep_id, chain_id, address, address_index, session_id, currency, decimals, amount)
               SELECT $1, $2, address, address_index, session_id, currency, decimals, amount
               FROM json_populate_recordset(NULL::sweep_items, $3)`,
        values: [row.id, chainId, JSON.stringify(rows)],
      });
      if (items.length > 0 && (await isFrozen(tx, row, spec))) throw new Frozen();
      return row;
    });
  } catch (error) {
    if (sqlState(error) === SqlState.uniqueViolation || error instanceof Frozen) return null;
    throw error;
  }
}

/** Rolls the plan back. */
class Frozen extends Error {}

/** Whether one of its addresses has a sender with a hit now. */
export async function isFrozen(
  db: Db,
  { id }: Pick<Sweep, 'id'>,
  { environment }: Pick<NetworkSpec, 'environment'>,
): Promise<boolean> {
  const { rowCount } = await db.query({
    name: 'sweep-frozen-items',
    text: `SELECT 1 FROM sweep_items i WHERE i.sweep_id = $1 AND ${IS_FROZEN} LIMIT 1`,
    values: [id, environment],
  });
  return rowCount !== 0;
}

export type Variant = { readonly bytes: string; readonly hash: string; readonly terms: Terms };

/**
 * Stores a signed variant before it is broadcast. Null when another worker stored one meanwhile: then this one is forgotten. A sweep
 * that a reorg removed from its block stays `mined`, because the account may have a later one outside a block.
 */
export async function storeVariant(
  db: Db,
  sweep: Sweep,
  { bytes, hash, terms }: Variant,
  now: Date,
): Promise<Sweep | null> {
  const { rows } = await db.query<Sweep>({
    name: 'sweep-signed',
    text: `UPDATE sweeps SET status = CASE status WHEN 'planned' THEN 'signed' ELSE status END, bytes = $3, hashes = hashes || $4::text, terms = $5, signed_at = $6
           WHERE id = $1 AND ended_at IS NULL AND cardinality(hashes) = $2 RETURNING ${COLUMNS}`,
    values: [sweep.id, sweep.hashes.length, bytes, hash, JSON.stringify(terms), now],
  });
  return rows[0] ?? null;
}

/** A block has it, so the next sweep of the account may go. */
export async function markMined(db: Db, { id }: Sweep): Promise<void> {
  await db.query({
    name: 'sweep-mined',
    text: `UPDATE sweeps SET status = 'mined' WHERE id = $1 AND status = 'signed'`,
    values: [id],
  });
}
