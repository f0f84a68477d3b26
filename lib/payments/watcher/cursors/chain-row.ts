// The row of a followed chain: its two cursors and the lease on them. A cursor moves only if it still is where the caller read it. If two
// scanners did the same work, the second one stores nothing. The lease only avoids duplicate work.

import type { Db, Pool, Tx } from '@/lib/platform/database/db';
import type { Environment } from '@/lib/platform/ids';
import type { BlockRef } from '@/lib/networks/chain';
import { fromUnixSeconds } from '@/lib/platform/clock';

export type Cursor = { readonly number: number; readonly hash: string };

export type AgreedCursor = Cursor & { readonly time: Date };

export type ChainRow = {
  readonly id: number;
  readonly genesis: string;
  readonly tip: Cursor;
  readonly final: Cursor;
  /** The last final cursor that several endpoints agreed on; null before the first. */
  readonly agreed: AgreedCursor | null;
  readonly trouble: string | null;
  /** When a pass last finished without trouble. */
  readonly scannedAt: Date;
  /** On networks read by account: addresses up to this derivation index were read in the current rotation. */
  readonly rotatedThrough: number;
};

type Columns = {
  id: number;
  genesis: string;
  tip_number: string;
  tip_hash: string;
  final_number: string;
  final_hash: string;
  agreed_number: string | null;
  agreed_hash: string | null;
  agreed_time: Date | null;
  trouble: string | null;
  scanned_at: Date;
  owners_through: number;
};

const COLUMNS = `id, genesis, tip_number, tip_hash, final_number, final_hash, agreed_number, agreed_hash, agreed_time,
  trouble, scanned_at, owners_through`;
/** A worker that is silent for this long loses its lease. */
const LEASE_SECONDS = 5;

const read = (row: Columns): ChainRow => ({
  id: row.id,
  genesis: row.genesis,
  tip: { number: Number(row.tip_number), hash: row.tip_hash },
  final: { number: Number(row.final_number), hash: row.final_hash },
  agreed:
    row.agreed_hash && row.agreed_time
      ? { number: Number(row.agreed_number), hash: row.agreed_hash, time: row.agreed_time }
      : null,
  trouble: row.trouble,
  scannedAt: row.scanned_at,
  rotatedThrough: row.owners_through,
});

/** Whether several endpoints agreed on the block of the final cursor. */
export const isAgreed = ({ agreed, final }: ChainRow): boolean =>
  agreed?.number === final.number && agreed.hash === final.hash;

/** The row that is followed now, or null when the network was never followed. */
export async function findChainRow(db: Db, environment: Environment, network: string): Promise<ChainRow | null> {
  const text = `SELECT ${COLUMNS} FROM chains
    WHERE environment = $1::"Environment" AND network = $2 AND retired_at IS NULL`;
  const { rows } = await db.query<Columns>({ name: 'chain_followed', text, values: [environment, network] });
  return rows[0] ? read(rows[0]) : null;
}

/** No pause and no lease is longer. A later time was set by a clock that ran ahead. */
const LONGEST_PAUSE_SECONDS = 600;

export type Lease = { readonly row: ChainRow; readonly epoch: number; readonly isOpen: boolean };

/**
 * Takes the lease of a due chain and reads the row under it. Null while another worker holds the lease, and when the chain is
 * not due or its row is retired. `isOpen`: a pending session offers the network; that makes an idle chain due at once.
 */
export async function leaseChain(pool: Pool, id: number, now: Date): Promise<Lease | null> {
  const open = `EXISTS (SELECT FROM sessions s WHERE s.status = 'pending' AND s.environment = chains.environment
    AND chains.network = ANY(s.networks))`;
  const text = `UPDATE chains SET lease_until = $2::timestamptz + interval '${LEASE_SECONDS} seconds', epoch = epoch + 1
    WHERE id = $1 AND retired_at IS NULL AND (lease_until IS NULL OR lease_until <= $2
        OR lease_until > $2::timestamptz + interval '${LONGEST_PAUSE_SECONDS} seconds')
      AND (next_scan_at IS NULL OR next_scan_at <= $2 OR (is_idle AND ${open})
        OR next_scan_at > $2::timestamptz + interval '${LONGEST_PAUSE_SECONDS} seconds')
    RETURNING ${COLUMNS}, epoch, ${open} AS is_open`;
  const { rows } = await pool.query<Columns & { epoch: number; is_open: boolean }>({
    name: 'chain_lease',
    text,
    values: [id, now],
  });
  return rows[0] ? { row: read(rows[0]), epoch: rows[0].epoch, isOpen: rows[0].is_open } : null;
}

/** Extends the lease. False when another worker has taken it. */
export async function extendLease(pool: Pool, id: number, epoch: number, now: Date): Promise<boolean> {
  const text = `UPDATE chains SET lease_until = $3::timestamptz + interval '${LEASE_SECONDS} seconds'
    WHERE id = $1 AND epoch = $2`;
  const { rowCount } = await pool.query({ name: 'chain_lease_extend', text, values: [id, epoch, now] });
  return rowCount === 1;
}

/** The result of a pass apart from its transfers. `lag` is null when the head could not be read. */
export type PassReport = {
  readonly lag: number | null;
  readonly trouble: string | null;
  readonly isIdle: boolean;
  /** When the chain is due again; null means at once. */
  readonly nextAt: Date | null;
  readonly now: Date;
};

/** Releases the lease and records the result of the pass. A pass with trouble does not move `scanned_at`. */
export async function releaseChain(pool: Pool, id: number, epoch: number, report: PassReport): Promise<void> {
  const text = `UPDATE chains SET lease_until = NULL, trouble = $3, final_lag = COALESCE($4::int, final_lag),
      is_idle = $6, next_scan_at = $7,
      scanned_at = CASE WHEN $3::text IS NULL AND $4::int IS NOT NULL THEN $5::timestamptz ELSE scanned_at END
    WHERE id = $1 AND epoch = $2`;
  const values = [id, epoch, report.trouble, report.lag, report.now, report.isIdle, report.nextAt];
  await pool.query({ name: 'chain_release', text, values });
}

/** Records trouble on a chain that could not be leased. */
export async function recordTrouble(db: Db, id: number, trouble: string): Promise<void> {
  await db.query({
    name: 'chain_trouble',
    text: 'UPDATE chains SET trouble = $2 WHERE id = $1',
    values: [id, trouble],
  });
}

/** Whether an unconfirmed transfer is final by now but not credited yet. */
export async function awaitsCredit(db: Db, id: number, final: number): Promise<boolean> {
  const text = `SELECT FROM unconfirmed_transfers WHERE chain_id = $1 AND block_number <= $2 AND orphaned_at IS NULL LIMIT 1`;
  const { rowCount } = await db.query({ name: 'chain_awaits_credit', text, values: [id, final] });
  return rowCount === 1;
}

/** The lowest block above finality that contains an unconfirmed transfer; null when there is none. */
export async function awaitedBlock(db: Db, id: number, final: number): Promise<number | null> {
  const text = `SELECT min(block_number) AS next FROM unconfirmed_transfers
    WHERE chain_id = $1 AND block_number > $2 AND orphaned_at IS NULL`;
  const { rows } = await db.query<{ next: string | null }>({ name: 'chain_awaited', text, values: [id, final] });
  const next = rows[0]?.next ?? null;
  return next === null ? null : Number(next);
}

/**
 * On networks read by account: notes the end of a rotation over all addresses ($7 is -1). Each was read at or after the block
 * at which the rotation began.
 */
const ROTATION = `accounts_read_from = CASE WHEN $7 = -1 THEN coalesce(rotation_from, accounts_read_from) ELSE accounts_read_from END,
      rotation_from = CASE WHEN $7 = -1 THEN $4 ELSE rotation_from END`;

/**
 * Moves the final cursor, and the tip cursor if it is behind. False when the final cursor is not where the caller read it.
 * `agreed`: several endpoints hold the block that it moves to.
 */
export async function moveFinal(
  tx: Tx,
  row: ChainRow,
  { to, agreed }: { to: BlockRef; agreed: boolean },
): Promise<boolean> {
  const text = `UPDATE chains SET final_number = $4, final_hash = $5, final_time = greatest(final_time, $6), owners_through = $7, ${ROTATION},
      tip_number = GREATEST(tip_number, $4), tip_hash = CASE WHEN tip_number <= $4 THEN $5 ELSE tip_hash END,
      agreed_number = CASE WHEN $8 THEN $4 ELSE agreed_number END, agreed_hash = CASE WHEN $8 THEN $5 ELSE agreed_hash END,
      agreed_time = CASE WHEN $8 THEN $6 ELSE agreed_time END
    WHERE id = $1 AND final_number = $2 AND final_hash = $3 AND retired_at IS NULL`;
  const at = [to.number, to.hash, fromUnixSeconds(to.time), row.rotatedThrough, agreed];
  const values = [row.id, row.final.number, row.final.hash, ...at];
  const { rowCount } = await tx.query({ name: 'chain_move_final', text, values });
  return rowCount === 1;
}

/**
 * Locks the cursors of a scan that left out addresses, until the transaction ends. Returns the final cursor, or null when it has
 * moved.
 */
export async function holdCursors(tx: Tx, row: ChainRow): Promise<{ final: number } | null> {
  const text = `UPDATE chains SET owners_through = $4, rotation_from = NULL
    WHERE id = $1 AND final_number = $2 AND final_hash = $3 AND retired_at IS NULL RETURNING final_number`;
  const values = [row.id, row.final.number, row.final.hash, row.rotatedThrough];
  const { rows } = await tx.query<{ final_number: string }>({ name: 'chain_hold', text, values });
  return rows[0] ? { final: Number(rows[0].final_number) } : null;
}

/** Moves the tip cursor. Returns the final cursor, or null when the tip is not where the caller read it. */
export async function moveTip(tx: Tx, row: ChainRow, to: Cursor): Promise<{ final: number } | null> {
  const text = `UPDATE chains SET tip_number = $4, tip_hash = $5
    WHERE id = $1 AND tip_number = $2 AND tip_hash = $3 AND retired_at IS NULL AND final_number <= $4
    RETURNING final_number`;
  const values = [row.id, row.tip.number, row.tip.hash, to.number, to.hash];
  const { rows } = await tx.query<{ final_number: string }>({ name: 'chain_move_tip', text, values });
  return rows[0] ? { final: Number(rows[0].final_number) } : null;
}

/** Records that several endpoints agree on the final cursor. */
export async function recordAgreed(db: Db, { id, final }: ChainRow): Promise<void> {
  const text = `UPDATE chains SET agreed_number = final_number, agreed_hash = final_hash, agreed_time = final_time
    WHERE id = $1 AND final_number = $2 AND final_hash = $3`;
  await db.query({ name: 'chain_note_agreed', text, values: [id, final.number, final.hash] });
}

/** Sets both cursors and the chain time back. A rotation over accounts that did not read all of them (null) stays one. False when another worker has moved the final cursor. */
export async function setBack(db: Db, { id, final }: ChainRow, to: AgreedCursor): Promise<boolean> {
  const text = `UPDATE chains SET final_number = $4, final_hash = $5, final_time = $6, tip_number = $4, tip_hash = $5,
      rotation_from = CASE WHEN rotation_from > $4 THEN $4 ELSE rotation_from END,
      accounts_read_from = CASE WHEN accounts_read_from > $4 THEN $4 ELSE accounts_read_from END
    WHERE id = $1 AND final_number = $2 AND final_hash = $3 AND retired_at IS NULL`;
  const values = [id, final.number, final.hash, to.number, to.hash, to.time];
  const { rowCount } = await db.query({ name: 'chain_set_back', text, values });
  return rowCount === 1;
}
