// The rows of reconciliation: which worker compares a chain now, and the last balances of its refund wallet. The result
// of a comparison is written only while the caller still holds the lease.

import type { Pool, Tx } from '@/lib/platform/database/db';
import type { FinalBalance } from '@/lib/networks/endpoints/balances-reader';
import { fromStoredCheck, toStoredCheck, type AddressCheckState, type StoredAddressCheck } from './addresses';

/** A lease for comparing a chain. `checkedThrough`: derivation index up to which deposit addresses were compared. */
export type Lease = {
  readonly chainId: number;
  readonly epoch: number;
  readonly checkedThrough: number;
  readonly state: AddressCheckState;
};

/** A worker that is silent for this long loses its lease. */
const LEASE_SECONDS = 120;

/** Takes the lease; null while another worker has it, or it is not due. */
export async function takeLease(pool: Pool, chainId: number, now: Date): Promise<Lease | null> {
  const { rows } = await pool.query<{
    epoch: number;
    checked_through: number;
    address_check: StoredAddressCheck | null;
  }>({
    name: 'reconcile-turn',
    text: `INSERT INTO reconciliations AS r (chain_id, next_at)
             VALUES ($1, $2::timestamptz + interval '${LEASE_SECONDS} seconds')
           ON CONFLICT (chain_id) DO UPDATE SET next_at = EXCLUDED.next_at, epoch = r.epoch + 1 WHERE r.next_at <= $2
           RETURNING epoch, checked_through, address_check`,
    values: [chainId, now],
  });
  const [row] = rows;
  if (!row) return null;
  const { epoch, checked_through: checkedThrough, address_check: stored } = row;
  return { chainId, epoch, checkedThrough, state: fromStoredCheck(stored) };
}

/** The result of a run. `trouble`: why something could not be read; null when everything was. */
export type RunReport = {
  readonly now: Date;
  readonly nextAt: Date;
  readonly trouble: string | null;
  readonly checkedThrough: number;
  readonly state: AddressCheckState;
};

/** Stores the result and releases the lease. Returns the trouble stored before. */
export async function releaseLease(pool: Pool, lease: Lease, report: RunReport): Promise<string | null> {
  const { rows } = await pool.query<{ trouble: string | null }>({
    name: 'reconcile-turn-end',
    text: `WITH before AS (SELECT trouble FROM reconciliations WHERE chain_id = $1)
           UPDATE reconciliations SET next_at = $3, trouble = $4, checked_through = $5,
             done_at = CASE WHEN $4::text IS NULL THEN $6::timestamptz ELSE done_at END, address_check = $7::jsonb
           WHERE chain_id = $1 AND epoch = $2 RETURNING (SELECT trouble FROM before) AS trouble`,
    values: [
      lease.chainId,
      lease.epoch,
      report.nextAt,
      report.trouble,
      report.checkedThrough,
      report.now,
      JSON.stringify(toStoredCheck(report.state)),
    ],
  });
  return rows[0]?.trouble ?? null;
}

/** Locks the lease until the transaction ends; false when another worker has taken it. */
export async function holdLease(tx: Tx, { chainId, epoch }: Lease): Promise<boolean> {
  const { rowCount } = await tx.query({
    name: 'reconcile-turn-hold',
    text: 'SELECT FROM reconciliations WHERE chain_id = $1 AND epoch = $2 FOR UPDATE',
    values: [chainId, epoch],
  });
  return rowCount === 1;
}

/** A reading as it was judged. `refilled`: what sweeps had brought by its block, as far as they were known. */
export type JudgedReading = { readonly unexplained: bigint; readonly block: number; readonly refilled: bigint };

/** The previous judged reading of one asset of the wallet. */
export async function earlierReading(
  tx: Tx,
  { chainId, address, asset }: { readonly chainId: number; readonly address: string; readonly asset: string },
): Promise<JudgedReading | null> {
  const { rows } = await tx.query<{ unexplained: string; block: string; refilled: string }>({
    name: 'wallet-balance-before',
    text: `SELECT unexplained, coalesce(judged_block, block_number) AS block, refilled
           FROM wallet_balances WHERE chain_id = $1 AND address = $2 AND asset = $3`,
    values: [chainId, address, asset],
  });
  const [row] = rows;
  return row
    ? { unexplained: BigInt(row.unexplained), block: Number(row.block), refilled: BigInt(row.refilled) }
    : null;
}

export type Reading = {
  readonly chainId: number;
  readonly address: string;
  /** USDT, USDC or `fee`. */
  readonly asset: string;
  readonly held: Pick<FinalBalance, 'amount'> & { readonly through: { readonly number: number } };
  /** The present reading, or an earlier one that cannot be decided yet. */
  readonly judged: JudgedReading;
  readonly now: Date;
};

/** Stores a reading. */
export async function storeReading(tx: Pick<Tx, 'query'>, reading: Reading): Promise<void> {
  const { chainId, address, asset, held, judged, now } = reading;
  await tx.query({
    name: 'wallet-balance-keep',
    text: `INSERT INTO wallet_balances (chain_id, address, asset, amount, unexplained, block_number, read_at, judged_block, refilled)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
           ON CONFLICT (chain_id, address, asset) DO UPDATE SET amount = EXCLUDED.amount,
             unexplained = EXCLUDED.unexplained, block_number = EXCLUDED.block_number, read_at = EXCLUDED.read_at,
             judged_block = EXCLUDED.judged_block, refilled = EXCLUDED.refilled`,
    values: [
      chainId,
      address,
      asset,
      held.amount.toString(),
      judged.unexplained.toString(),
      held.through.number,
      now,
      judged.block,
      judged.refilled.toString(),
    ],
  });
}
