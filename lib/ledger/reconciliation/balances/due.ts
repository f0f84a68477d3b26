// Chooses the sessions to compare next on a chain. The requests for it are limited (request budget `proof`), so stores
// take turns and a store with many sessions does not delay the others. Pending sessions cannot wait long, so the daily
// round gets only a fifth of the comparisons while sessions are about to expire. It never gets none.

import { FAMILIES } from '@/lib/networks/families/family';
import type { FollowedChain } from '@/lib/networks/registry';
import { unixSeconds } from '@/lib/platform/clock';
import type { Pool } from '@/lib/platform/database/db';
import { isDueAlone } from '@/lib/platform/database/quarantine';
import { IS_UNEXPLAINED } from '@/lib/payments/sessions/expire/balance-hold';
import { pairName } from '@/lib/payments/sessions/settle/judge';
import { READ_THRESHOLD } from '@/lib/payments/sessions/settle/read-threshold';

/** A session past its expiry, or ended, on a network. Times are Unix seconds. */
export type DueCheck = {
  readonly sessionId: string;
  readonly address: string;
  readonly expiresAt: number;
  /** The tokens of the network whose balances are compared. */
  readonly currencies: readonly string[];
  /** On a network that is read by account, small amounts below this may be unread; in common units. */
  readonly readThreshold: bigint;
};

/** A balance that could not be judged is read again after this time. */
const RETRY_SECONDS = 10;

/** The id of a session's comparison in the quarantine (step.ts). */
export const checkId = (chainId: number, sessionId: string): string => `${chainId} ${sessionId}`;
const IS_DUE = isDueAlone('address', `$1::int || ' ' || s.id`, '$3');

/** SQL: the deposit address of session `s` on a network of family `$2`. */
export const ADDRESS = `CASE $2 ${Object.entries(FAMILIES)
  .map(([family, { addressColumn }]) => `WHEN '${family}' THEN s.${addressColumn}`)
  .join(' ')} END AS address`;

/**
 * Within a store, sessions that may have been paid come first. Sessions that strangers opened through payment links
 * come last, so that they do not delay the others.
 */
const MAY_BE_PAID = `s.exception <> 'none' OR EXISTS (SELECT FROM unconfirmed_transfers f WHERE f.session_id = s.id AND f.orphaned_at IS NULL)`;
const RANK = `CASE WHEN ${MAY_BE_PAID} THEN 0 WHEN s.budget = 'links' THEN 2 ELSE 1 END`;
/**
 * Pending sessions per session of the daily round, while both wait. The random part preserves the round's share even
 * where one address is compared at a time.
 */
const PENDING_PER_ENDED = 4;
const ORDER = `(place - random()) * CASE WHEN is_pending THEN 1 ELSE ${PENDING_PER_ENDED} END`;

/**
 * The watcher is stuck. A balance above the stored transfers then puts the session on hold
 * (sessions/expire/balance-hold).
 */
const IS_STUCK = `c.scanned_at <= $3::timestamptz - interval '5 minutes'`;

/** Leases at most `most` sessions whose address is to be compared on the chain. Stores take turns. */
export async function takeDue(pool: Pool, { chain, chainId, most, now }: DueRequest): Promise<DueCheck[]> {
  // Random order within a rank, so that sessions whose balance cannot be judged never block others.
  const { rows } = await pool.query<DueColumns>({
    name: 'balance-checks-due',
    text: `WITH ending AS (SELECT s.id, s.store_id, true AS is_pending, ${RANK} AS rank FROM sessions s
               JOIN chains c ON c.id = $1 AND c.environment = s.environment AND c.network = ANY(s.networks)
               LEFT JOIN balance_checks b ON b.session_id = s.id AND b.chain_id = c.id
             WHERE s.status = 'pending' AND s.expires_at <= $3::timestamptz AND (s.expires_at <= c.final_time OR ${IS_STUCK})
               AND (b.state IS NULL OR b.next_at <= $3 AND (b.state = 'due' OR b.state = 'differs' AND ${IS_UNEXPLAINED}))
               AND ${IS_DUE}),
           ended AS (SELECT s.id, s.store_id, false AS is_pending, 0 AS rank FROM balance_checks b
               JOIN sessions s ON s.id = b.session_id AND s.status <> 'pending'
             WHERE b.chain_id = $1 AND b.state = 'due' AND b.next_at <= $3 AND ${IS_DUE}),
           queue AS (SELECT *, row_number() OVER (PARTITION BY is_pending, store_id ORDER BY rank, random()) AS turn
             FROM (SELECT * FROM ending UNION ALL SELECT * FROM ended) AS both_kinds),
           placed AS (SELECT *, row_number() OVER (PARTITION BY is_pending ORDER BY turn, rank, random()) AS place FROM queue),
           due AS (SELECT * FROM placed ORDER BY ${ORDER} LIMIT $4),
           leased AS (INSERT INTO balance_checks AS b (session_id, chain_id, next_at)
             SELECT id, $1, $3::timestamptz + interval '${RETRY_SECONDS} seconds' FROM due
             ON CONFLICT (session_id, chain_id) DO UPDATE SET next_at = excluded.next_at
               WHERE b.state IN ('due', 'differs') AND b.next_at <= $3 RETURNING session_id)
           SELECT s.id, ${ADDRESS}, s.expires_at, s.offered_pairs, is_pending,
             ${READ_THRESHOLD}::text AS read_threshold FROM due JOIN leased ON session_id = due.id
             JOIN sessions s ON s.id = due.id`,
    values: [chainId, chain.spec.family, now, most],
  });
  return rows.map((row) => ({
    sessionId: row.id,
    address: row.address,
    expiresAt: unixSeconds(row.expires_at),
    currencies: currenciesOf(chain, row),
    readThreshold: BigInt(row.read_threshold),
  }));
}

/** Only the offered tokens can pay a pending session. After its end every token is compared, also one that was sent by mistake. */
function currenciesOf(
  { network, spec }: FollowedChain,
  { is_pending: isPending, offered_pairs: pairs }: DueColumns,
): string[] {
  return Object.keys(spec.tokens).filter((currency) => !isPending || pairs.includes(pairName({ network, currency })));
}

type DueRequest = {
  readonly chain: FollowedChain;
  readonly chainId: number;
  readonly most: number;
  readonly now: Date;
};

type DueColumns = {
  id: string;
  address: string;
  expires_at: Date;
  offered_pairs: string[];
  is_pending: boolean;
  read_threshold: string;
};
