// The rows of screenings as the worker's jobs: leases due rows and stores answers. The epoch detects a lease that has
// ended, and a sanctions list that was loaded while the sources were asked.

import type { Db } from '@/lib/platform/database/db';
import type { Environment } from '@/lib/platform/ids';
import type { Role } from './policy';
import type { Combined } from './sources/answer';

/** Rows of one lease. The slowest sources take five seconds for eight of them. */
export const MAX_LEASED = 40;
const LEASE_MILLISECONDS = 60_000;
/** Seconds until an address without an answer is asked about again: 5, 10, 20 … and at most this. */
const FIRST_RETRY_SECONDS = 5;
const LONGEST_RETRY_SECONDS = 600;

export type LeasedScreening = {
  readonly id: string;
  readonly address: string;
  readonly role: Role;
  readonly transactionHash: string;
  readonly attempts: number;
  readonly epoch: number;
};

type Of = { readonly environment: Environment; readonly network: string; readonly now: Date };

const IS_WAITING = `environment = $1::"Environment" AND network = $2 AND next_at IS NOT NULL`;

/**
 * The queues with a row that waits, and when its first one is due: one for payees, and one for the senders of each store. They are found by
 * skipping along the index screenings_waiting, so a hundred thousand rows of one store cost no more than one.
 */
const QUEUES = `queue AS (
    (SELECT role, store_id, next_at FROM screenings WHERE ${IS_WAITING} ORDER BY role, store_id, next_at LIMIT 1)
    UNION ALL
    SELECT following.* FROM queue q CROSS JOIN LATERAL (
      SELECT s.role, s.store_id, s.next_at FROM screenings s WHERE ${IS_WAITING} AND (s.role, s.store_id) > (q.role, q.store_id)
      ORDER BY s.role, s.store_id, s.next_at LIMIT 1) following)`;

/**
 * Payees first, then the stores in turn, each with its oldest senders: anyone can make many senders, by many small payments. When more
 * stores wait than a lease has rows, the choice among them is random, so none waits for ever. A row that another worker leases at the same
 * moment is left to it, and this lease is smaller.
 */
export async function leaseDue(db: Db, { environment, network, now }: Of): Promise<readonly LeasedScreening[]> {
  const { rows } = await db.query<LeasedScreening>({
    name: 'screening-lease',
    text: `WITH RECURSIVE ${QUEUES},
           due AS (SELECT role, store_id FROM queue WHERE next_at <= $3 ORDER BY role, random() LIMIT ${MAX_LEASED}),
           place AS (SELECT one.id, one.next_at, due.role,
               row_number() OVER (PARTITION BY due.role, due.store_id ORDER BY one.next_at, one.id) AS turn
             FROM due CROSS JOIN LATERAL (SELECT s.id, s.next_at FROM screenings s
               WHERE ${IS_WAITING} AND s.role = due.role AND s.store_id = due.store_id AND s.next_at <= $3
               ORDER BY s.next_at, s.id LIMIT ${MAX_LEASED}) one),
           chosen AS (SELECT id FROM place ORDER BY role, turn, next_at, id LIMIT ${MAX_LEASED}),
           locked AS (SELECT s.id FROM screenings s WHERE s.id IN (SELECT id FROM chosen) AND s.next_at <= $3 FOR UPDATE SKIP LOCKED)
           UPDATE screenings s SET next_at = $4, epoch = s.epoch + 1 FROM locked WHERE s.id = locked.id
           RETURNING s.id::text AS id, s.address, s.role, s.transaction_hash AS "transactionHash", s.attempts, s.epoch`,
    values: [environment, network, now, new Date(now.getTime() + LEASE_MILLISECONDS)],
  });
  return rows;
}

/** False when another worker has the row by now, or a list that was loaded meanwhile has decided it. */
export async function storeAnswer(db: Db, row: LeasedScreening, answer: Combined, now: Date): Promise<boolean> {
  const seconds = Math.min(LONGEST_RETRY_SECONDS, FIRST_RETRY_SECONDS * 2 ** Math.min(row.attempts, 10));
  const { verdict } = answer;
  const { rowCount } = await db.query({
    name: 'screening-store',
    text: `UPDATE screenings SET verdict = $3, source = $4, entity = $5, reason = $6, checked_at = $7, next_at = $8,
             attempts = attempts + 1 WHERE id = $1 AND epoch = $2 AND verdict = 'unknown'`,
    values: [
      row.id,
      row.epoch,
      verdict,
      verdict === 'hit' ? answer.source : null,
      verdict === 'hit' ? answer.entity : null,
      verdict === 'unknown' ? answer.reason : null,
      now,
      verdict === 'unknown' ? new Date(now.getTime() + seconds * 1000) : null,
    ],
  });
  return rowCount === 1;
}
