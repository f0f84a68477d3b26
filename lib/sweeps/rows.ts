// Rows of sweeps: one transaction each, with the deposit addresses that it is for. Every change names the state that it expects, so
// that two workers on one sweep change it once.

import type { NetworkSpec } from '@/lib/networks/networks';
import { SqlState, sqlState, transaction, type Db, type Pool } from '@/lib/platform/database/db';
import type { SweepParams } from '@/lib/signer/client';
import type { Candidate } from './rules';

export type SweepStatus = 'planned' | 'signed' | 'mined' | 'final' | 'reverted' | 'lapsed' | 'canceled';

/** Prices in wei per gas. */
export type Sweep = {
  readonly id: string;
  readonly status: 'planned' | 'signed' | 'mined';
  readonly currency: string | null;
  readonly sender: string;
  readonly nonce: number;
  readonly request: SweepParams['transaction'];
  readonly gasLimit: bigint;
  readonly maxFeePerGas: bigint;
  readonly maxPriorityFeePerGas: bigint;
  /** The newest signed variant; null while it is only planned. */
  readonly bytes: string | null;
  /** Of all variants, oldest first. Any of them may land. */
  readonly hashes: readonly string[];
  /** When the newest variant was signed. */
  readonly signedAt: Date | null;
};

export type NewSweep = Pick<
  Sweep,
  'sender' | 'nonce' | 'request' | 'gasLimit' | 'maxFeePerGas' | 'maxPriorityFeePerGas'
> & {
  readonly spec: NetworkSpec;
  readonly chainId: number;
  readonly currency: string | null;
  readonly items: readonly Candidate[];
  readonly now: Date;
};

type Row = Omit<Sweep, 'nonce' | 'gasLimit' | 'maxFeePerGas' | 'maxPriorityFeePerGas'> & {
  readonly nonce: string;
  readonly gasLimit: string;
  readonly maxFeePerGas: string;
  readonly maxPriorityFeePerGas: string;
};

const COLUMNS = `id::text AS id, status, currency, sender, nonce::text AS nonce, request, gas_limit::text AS "gasLimit",
  max_fee_per_gas::text AS "maxFeePerGas", max_priority_fee_per_gas::text AS "maxPriorityFeePerGas", bytes, hashes, signed_at AS "signedAt"`;

const sweepOf = (row: Row): Sweep => ({
  ...row,
  nonce: Number(row.nonce),
  gasLimit: BigInt(row.gasLimit),
  maxFeePerGas: BigInt(row.maxFeePerGas),
  maxPriorityFeePerGas: BigInt(row.maxPriorityFeePerGas),
});

/** The sweeps of a chain that have not ended, oldest first. */
export async function readOpenSweeps(db: Db, chainId: number): Promise<readonly Sweep[]> {
  const { rows } = await db.query<Row>({
    name: 'sweeps-open',
    text: `SELECT ${COLUMNS} FROM sweeps WHERE chain_id = $1 AND ended_at IS NULL ORDER BY id`,
    values: [chainId],
  });
  return rows.map(sweepOf);
}

/** Null when another worker has planned a sweep of this account or of one of these addresses. */
export async function insertSweep(pool: Pool, sweep: NewSweep): Promise<Sweep | null> {
  const { spec, chainId, currency, items, now, sender, nonce, request, gasLimit, ...prices } = sweep;
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
      const inserted = await tx.query<Row>({
        name: 'sweep-insert',
        text: `INSERT INTO sweeps (environment, network, chain_id, kind, currency, sender, nonce, request, gas_limit, max_fee_per_gas,
                 max_priority_fee_per_gas, created_at)
               VALUES ($1::"Environment", $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) RETURNING ${COLUMNS}`,
        values: [
          spec.environment,
          spec.network,
          chainId,
          request.kind,
          currency,
          sender,
          nonce,
          JSON.stringify(request),
          gasLimit.toString(),
          prices.maxFeePerGas.toString(),
          prices.maxPriorityFeePerGas.toString(),
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
      return sweepOf(row);
    });
  } catch (error) {
    if (sqlState(error) === SqlState.uniqueViolation) return null;
    throw error;
  }
}

export type Variant = {
  readonly bytes: string;
  readonly hash: string;
  readonly maxFeePerGas: bigint;
  readonly maxPriorityFeePerGas: bigint;
};

/** Stores a signed variant before it is broadcast. Null when another worker stored one meanwhile: then this one is forgotten. */
export async function storeVariant(db: Db, sweep: Sweep, variant: Variant, now: Date): Promise<Sweep | null> {
  const { rows } = await db.query<Row>({
    name: 'sweep-signed',
    text: `UPDATE sweeps SET status = 'signed', bytes = $3, hashes = hashes || $4::text, max_fee_per_gas = $5,
             max_priority_fee_per_gas = $6, signed_at = $7
           WHERE id = $1 AND status IN ('planned', 'signed') AND cardinality(hashes) = $2 RETURNING ${COLUMNS}`,
    values: [
      sweep.id,
      sweep.hashes.length,
      variant.bytes,
      variant.hash,
      variant.maxFeePerGas.toString(),
      variant.maxPriorityFeePerGas.toString(),
      now,
    ],
  });
  return rows[0] ? sweepOf(rows[0]) : null;
}

/** A block has it, so the next sweep of the account may go. */
export async function markMined(db: Db, { id }: Sweep): Promise<void> {
  await db.query({
    name: 'sweep-mined',
    text: `UPDATE sweeps SET status = 'mined' WHERE id = $1 AND status = 'signed'`,
    values: [id],
  });
}
