// The daily round: the addresses of sessions that ended within a month become due for comparison, a few at a time and the newest
// first, so that a payment after the end that an endpoint kept back is found as well. Older addresses are compared where they ever
// received something (lib/reconcile/round). How far the round is stands in the database, and one worker at a time adds to it.

import type { NetworkFamily } from '@/lib/chains/chain';
import type { FollowedChain } from '@/lib/chains/registry';
import type { Pool } from '@/lib/db';

/** People pay late by hours or days. Each address costs requests every day. */
const WATCHED = `interval '30 days'`;
const ROUND = `interval '1 day'`;
/**
 * Where a network is read by account, its watcher does not see what arrives at an address of the other environment. The round
 * compares those addresses too, and reports what they hold.
 */
const ENVIRONMENTS = ['live', 'test'];
/** So many addresses at once: on Solana, two requests each; 86,000 a day. */
const AT_ONCE = 20;
/** On TRON each address is a request for each token: 7,200 addresses a day take at most a seventh of TronGrid's 100,000. */
const BETWEEN_SECONDS: Record<NetworkFamily, number> = { evm: 20, tron: 240, solana: 20 };
const IS_FULL = `(SELECT count(*) FROM piece) = ${AT_ONCE}`;
/** A round that takes longer than a day ends, and the next one begins with the newest addresses again. */
const GOES_ON = `${IS_FULL} AND r.started_at + ${ROUND} > $3::timestamptz`;
const NEXT_ROUND = `greatest(r.started_at + ${ROUND}, $3::timestamptz)`;

/** Adds the next addresses of the round if they are due. The first round begins a day after the chain is taken up. */
export async function addDaily(
  pool: Pool,
  { chain, chainId, now }: { chain: FollowedChain; chainId: number; now: Date },
): Promise<void> {
  await pool.query({
    name: 'balance-round',
    text: `WITH piece AS MATERIALIZED (SELECT s.id, s.address_index FROM balance_rounds r
             JOIN sessions s ON s.environment = ANY($2::"Environment"[])
               AND (r.checked_through < 0 OR s.address_index < r.checked_through)
             WHERE r.chain_id = $1 AND r.next_at <= $3 AND s.closed_at > $3::timestamptz - ${WATCHED}
             ORDER BY s.address_index DESC LIMIT ${AT_ONCE}),
           moved AS (INSERT INTO balance_rounds AS r (chain_id, started_at, next_at)
             VALUES ($1, $3::timestamptz + ${ROUND}, $3::timestamptz + ${ROUND})
             ON CONFLICT (chain_id) DO UPDATE SET
               checked_through = CASE WHEN ${GOES_ON} THEN (SELECT min(address_index) FROM piece) ELSE -1 END,
               next_at = CASE WHEN ${GOES_ON} THEN $3::timestamptz + $4::int * interval '1 second' ELSE ${NEXT_ROUND} END,
               started_at = CASE WHEN ${GOES_ON} THEN r.started_at ELSE ${NEXT_ROUND} END
             WHERE r.next_at <= $3 RETURNING 1)
           INSERT INTO balance_checks (session_id, chain_id, next_at) SELECT id, $1, $3 FROM piece, moved
           ON CONFLICT (session_id, chain_id) DO NOTHING`,
    values: [
      chainId,
      chain.adapter.readsBlocks ? [chain.environment] : ENVIRONMENTS,
      now,
      BETWEEN_SECONDS[chain.spec.family],
    ],
  });
}
