// The rows of screenings as the worker's jobs: registers senders, leases due rows and stores answers. The epoch detects a lease that has
// ended, and a sanctions list that was loaded while the sources were asked.

import type { Db } from '@/lib/platform/database/db';
import type { Environment } from '@/lib/platform/ids';
import type { Role } from './policy';
import { isSender } from './sender-sql';
import type { Combined } from './sources/answer';

/** Rows of one lease. The slowest sources take five seconds for eight of them. */
export const MAX_LEASED = 40;
const LEASE_MILLISECONDS = 60_000;
/** Transfers that are registered at once. */
const MAX_REGISTERED = 500;
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

const IS_UNKNOWN = `NOT EXISTS (SELECT FROM screenings x
  WHERE ${isSender({ screening: 'x', transfer: 't', environment: '$1::"Environment"' })})`;

const registering = (
  from: string,
): string => `INSERT INTO screenings (environment, network, address, role, transaction_hash, requested_at, next_at)
  SELECT DISTINCT $1::"Environment", network, payer, 'sender', transaction_hash, $3::timestamptz, $3::timestamptz
  FROM (SELECT t.network, t.payer, t.transaction_hash FROM chains c ${from}
    WHERE c.environment = $1::"Environment" AND c.network = $2 AND c.retired_at IS NULL AND ${IS_UNKNOWN}
    LIMIT ${MAX_REGISTERED}) AS missing
  ON CONFLICT DO NOTHING`;

/** Requests the answers about everyone who paid to a deposit address that holds something. Reads all such addresses. */
export async function registerHeld(db: Db, { environment, network, now }: Of): Promise<{ more: boolean }> {
  const { rowCount } = await db.query({
    name: 'screening-register-held',
    text: registering(`JOIN deposit_balances d ON d.chain_id = c.id
      JOIN transfers t ON t.session_id = d.session_id AND t.chain_id = d.chain_id AND t.recipient = d.address`),
    values: [environment, network, now],
  });
  return { more: rowCount === MAX_REGISTERED };
}

/** Requests the answers about the senders of transfers that were stored lately. Reads only those. */
export async function registerRecent(db: Db, { environment, network, now }: Of, since: Date): Promise<void> {
  await db.query({
    name: 'screening-register-recent',
    text: registering('JOIN transfers t ON t.chain_id = c.id AND t.created_at >= $4'),
    values: [environment, network, now, since],
  });
}

/** Payees first: anyone can make many senders, by many small payments. */
export async function leaseDue(db: Db, { environment, network, now }: Of): Promise<readonly LeasedScreening[]> {
  const { rows } = await db.query<LeasedScreening>({
    name: 'screening-lease',
    text: `UPDATE screenings s SET next_at = $4, epoch = s.epoch + 1
           FROM (SELECT id FROM screenings WHERE environment = $1::"Environment" AND network = $2 AND next_at <= $3
                 ORDER BY (role = 'sender'), next_at, id LIMIT ${MAX_LEASED} FOR UPDATE SKIP LOCKED) AS due
           WHERE s.id = due.id
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
