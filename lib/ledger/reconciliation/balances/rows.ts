// The rows of the balance checks: the next re-scan and the conclusions. Any number of workers can work in parallel,
// because each row is leased by its `next_at`. An ended session has a row only while the daily round (daily.ts)
// compares its address.

import type { FollowedChain } from '@/lib/networks/registry';
import type { Db, Pool } from '@/lib/platform/database/db';
import { moveSql } from '@/lib/platform/database/moves';
import { unixSeconds } from '@/lib/platform/clock';
import type { BalanceCheckState } from '@/prisma/generated/enums';
import { ADDRESS } from './due';
import { BALANCE_CHECKS } from './states';

export type RunningRescan = {
  readonly sessionId: string;
  readonly address: string;
  readonly createdAt: number;
  /** Re-scans completed before this one. */
  readonly rescans: number;
  /** The last block read; null before the first window. */
  readonly readThrough: number | null;
  readonly goal: number;
  readonly windowBlocks: number;
};

/** A worker that is silent for this long loses its lease on a re-scan. */
const RESCAN_LEASE_SECONDS = 60;
/** The first requests all transfers to the address, the others read each block individually (`methodOf`). */
const RESCANS = 3;
/** A balance that too few endpoints report gets only the first re-scan, which costs few requests. */
const RESCANS_DISPUTED = 1;
/** A re-scan that fails for this long is given up, so that the discrepancy is reported to the operators. */
const GIVEN_UP_AFTER = `interval '1 hour'`;
/** How long rows of ended sessions are kept, so that a lasting discrepancy is not re-scanned all the time. */
const KEPT = `interval '1 day'`;
const CLEARED_AT_ONCE = 500;

const PROVEN = moveSql(BALANCE_CHECKS, 'prove');
const POSTPONED = moveSql(BALANCE_CHECKS, 'compare');
const PROGRESSED = moveSql(BALANCE_CHECKS, { compare: '$4::bigint >= $5', rescan: 'true' });

/** Concludes that these sessions have no unstored transfer on the chain. Deletes the rows of ended sessions, which nothing reads. */
export async function markProven(pool: Db, chainId: number, sessionIds: readonly string[]): Promise<void> {
  if (sessionIds.length === 0) return;
  await pool.query({
    name: 'balance-checks-compared',
    text: `DELETE FROM balance_checks b USING sessions s WHERE b.chain_id = $1 AND b.session_id = ANY($2) AND b.state = 'due'
             AND s.id = b.session_id AND s.status <> 'pending'`,
    values: [chainId, sessionIds],
  });
  await pool.query({
    name: 'balance-checks-proven',
    text: `UPDATE balance_checks b SET state = ${PROVEN.to} WHERE chain_id = $1 AND session_id = ANY($2) AND ${PROVEN.isFrom}`,
    values: [chainId, sessionIds],
  });
}

export type RescanOutcome = {
  readonly state: 'rescan' | 'differs' | 'disputed';
  /** Why the re-scans were given up; null when they were completed. */
  readonly failure: string | null;
};

export type RescanRequest = {
  readonly chainId: number;
  readonly sessionId: string;
  readonly goal: number;
  /** Too few endpoints report the balance. */
  readonly isDisputed: boolean;
  readonly now: Date;
};

/** SQL: the row waits for the next day's block limit and then continues from its position. */
const WAITS = 'b.waits_until IS NOT NULL';
const IS_NEXT = `(b.state = 'rescan' OR CASE WHEN ${WAITS} THEN b.waits_until <= $3 ELSE b.rescans < $5 END)`;
const STARTED = moveSql(BALANCE_CHECKS, { rescan: IS_NEXT, dispute: '$6 AND b.failure IS NULL', differ: 'true' });
const CONTINUES = `b.state = 'rescan' OR ${WAITS}`;

/**
 * Starts the next re-scan of a session's address up to block `goal`, or continues one that waited. Returns `rescan`
 * while one runs. When all were completed or given up, it returns `differs`, or `disputed` if the re-scans could be
 * read and too few endpoints report the balance. A single endpoint does not end a hold either: `differs` stays.
 */
export async function startRescan(
  pool: Db,
  { chainId, sessionId, goal, isDisputed, now }: RescanRequest,
): Promise<RescanOutcome> {
  const { rows } = await pool.query<{ state: BalanceCheckState; failure: string | null }>({
    name: 'balance-check-rescan',
    text: `INSERT INTO balance_checks AS b (session_id, chain_id, state, next_at, goal) VALUES ($1, $2, 'rescan', $3, $4)
           ON CONFLICT (session_id, chain_id) DO UPDATE SET
             state = ${STARTED.to},
             goal = CASE WHEN ${CONTINUES} THEN b.goal ELSE excluded.goal END,
             read_through = CASE WHEN ${CONTINUES} THEN b.read_through END,
             waits_until = CASE WHEN NOT ${IS_NEXT} THEN b.waits_until END, first_surplus = NULL,
             next_at = CASE WHEN b.state = 'rescan' THEN b.next_at ELSE excluded.next_at END
           RETURNING state, failure`,
    values: [sessionId, chainId, now, goal, isDisputed ? RESCANS_DISPUTED : RESCANS, isDisputed],
  });
  const { state = 'rescan', failure = null } = rows[0] ?? {};
  if (state === 'due' || state === 'proven') throw new Error(`no move of startRescan leads to ${state}`);
  return { state, failure };
}

/** A differing balance: base units of a token up to a block. */
export type FirstSurplus = { readonly currency: string; readonly amount: string; readonly through: number };
export type FirstReading = { readonly goal: number; readonly surplus: readonly FirstSurplus[] | null };

/**
 * Stores the first differing balances and their newest block, and returns them. Null when the row needs no comparison
 * any more. `surplus` is null where the block was stored for another reason.
 */
export async function storeFirstReading(
  pool: Pool,
  { chainId, sessionId, goal, surplus }: { chainId: number; sessionId: string } & FirstReading,
): Promise<FirstReading | null> {
  const { rows } = await pool.query<{ goal: string; surplus: FirstSurplus[] | null }>({
    name: 'balance-check-first',
    text: `UPDATE balance_checks SET goal = coalesce(goal, $3), first_surplus = CASE WHEN goal IS NULL THEN $4 ELSE first_surplus END
           WHERE session_id = $1 AND chain_id = $2 AND state = 'due' RETURNING coalesce(goal, $3) AS goal, first_surplus AS surplus`,
    values: [sessionId, chainId, goal, JSON.stringify(surplus)],
  });
  const [row] = rows;
  return row ? { goal: Number(row.goal), surplus: row.surplus } : null;
}

/** Leases the re-scan whose next window is due; null when none is. */
export async function takeRescan(
  pool: Pool,
  { chain, chainId, now }: { chain: FollowedChain; chainId: number; now: Date },
): Promise<RunningRescan | null> {
  const { rows } = await pool.query<RescanColumns>({
    name: 'balance-check-rescan-take',
    text: `WITH due AS (SELECT session_id FROM balance_checks WHERE chain_id = $1 AND state = 'rescan' AND next_at <= $3
             ORDER BY next_at, session_id LIMIT 1 FOR UPDATE SKIP LOCKED)
           UPDATE balance_checks b SET next_at = $3::timestamptz + interval '${RESCAN_LEASE_SECONDS} seconds'
           FROM due JOIN sessions s ON s.id = due.session_id WHERE b.session_id = due.session_id AND b.chain_id = $1
           RETURNING b.session_id, b.rescans, b.read_through, b.goal, b.window_blocks, s.created_at, ${ADDRESS}`,
    values: [chainId, chain.spec.family, now],
  });
  const [row] = rows;
  if (!row) return null;
  return {
    sessionId: row.session_id,
    address: row.address,
    createdAt: unixSeconds(row.created_at),
    rescans: row.rescans,
    readThrough: row.read_through === null ? null : Number(row.read_through),
    goal: Number(row.goal),
    windowBlocks: row.window_blocks,
  };
}

/** Stores the position of a re-scan. A re-scan that has reached its goal is complete, and the balance is compared again. */
export async function storeRescanPosition(
  pool: Pool,
  chainId: number,
  {
    sessionId,
    readThrough,
    goal,
    windowBlocks,
    nextAt,
  }: Omit<RunningRescan, 'rescans' | 'address' | 'createdAt'> & { nextAt: Date },
): Promise<void> {
  await pool.query({
    name: 'balance-check-rescan-keep',
    text: `UPDATE balance_checks b SET next_at = $3, read_through = $4, window_blocks = $6, state = ${PROGRESSED.to},
             goal = CASE WHEN $4::bigint >= $5 THEN NULL ELSE goal END,
             rescans = rescans + CASE WHEN $4::bigint >= $5 THEN 1 ELSE 0 END,
             failing_since = NULL, failure = NULL, waits_until = NULL
           WHERE session_id = $1 AND chain_id = $2 AND state = 'rescan'`,
    values: [sessionId, chainId, nextAt, readThrough, goal, windowBlocks],
  });
}

/** Counts a re-scan in which endpoints contradicted each other. The next one begins with the next method (`methodOf`). */
export async function skipRescan(
  pool: Pool,
  chainId: number,
  { sessionId, failure, now }: { sessionId: string; failure: string; now: Date },
): Promise<void> {
  await pool.query({
    name: 'balance-check-rescan-skip',
    text: `UPDATE balance_checks SET rescans = rescans + 1, read_through = NULL, failing_since = NULL, failure = $4, next_at = $3
           WHERE session_id = $1 AND chain_id = $2 AND state = 'rescan'`,
    values: [sessionId, chainId, now, failure],
  });
}

const IS_GIVEN_UP = `failing_since <= $3::timestamptz - ${GIVEN_UP_AFTER}`;
const FAILED = moveSql(BALANCE_CHECKS, { compare: IS_GIVEN_UP, rescan: 'true' });

/** Records that a window of a re-scan could not be read. After an hour of failures the re-scans are given up. */
export async function failRescan(
  pool: Pool,
  chainId: number,
  { sessionId, failure, nextAt, now }: { sessionId: string; failure: string; nextAt: Date; now: Date },
): Promise<void> {
  await pool.query({
    name: 'balance-check-rescan-fail',
    text: `UPDATE balance_checks b SET failing_since = coalesce(failing_since, $3), failure = $4, state = ${FAILED.to},
             rescans = CASE WHEN ${IS_GIVEN_UP} THEN ${RESCANS} ELSE rescans END,
             next_at = CASE WHEN ${IS_GIVEN_UP} THEN $3 ELSE $5 END
           WHERE session_id = $1 AND chain_id = $2 AND state = 'rescan'`,
    values: [sessionId, chainId, now, failure, nextAt],
  });
}

/**
 * Postpones a re-scan because the daily block limit is reached. The balance is still compared: the discrepancy is
 * reported now, and a hold ends as soon as the balance equals the stored transfers.
 */
export async function postponeRescan(
  pool: Pool,
  chainId: number,
  { sessionId, failure, until, now }: { sessionId: string; failure: string; until: Date; now: Date },
): Promise<void> {
  await pool.query({
    name: 'balance-check-rescan-postpone',
    text: `UPDATE balance_checks b SET state = ${POSTPONED.to}, waits_until = $5, failing_since = NULL, failure = $4, next_at = $3
           WHERE session_id = $1 AND chain_id = $2 AND ${POSTPONED.isFrom}`,
    values: [sessionId, chainId, now, failure, until],
  });
}

/** Deletes rows that are no longer needed. */
export async function clearChecks(pool: Pool, chainId: number, now: Date): Promise<void> {
  await pool.query({
    name: 'balance-checks-clear',
    text: `DELETE FROM balance_checks WHERE (session_id, chain_id) IN (SELECT b.session_id, b.chain_id FROM balance_checks b
             JOIN sessions s ON s.id = b.session_id
             WHERE b.next_at <= $2::timestamptz - ${KEPT} AND b.chain_id = $1 AND s.status <> 'pending'
             LIMIT ${CLEARED_AT_ONCE})`,
    values: [chainId, now],
  });
}

type RescanColumns = {
  session_id: string;
  address: string;
  created_at: Date;
  rescans: number;
  read_through: string | null;
  goal: string;
  window_blocks: number;
};
