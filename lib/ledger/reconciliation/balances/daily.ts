// The daily round: the addresses of ended sessions of the last month become due for comparison, a few at a time. This
// finds late payments that an endpoint withheld. Stores take turns, one address at a time, newest first, so a store
// with many sessions does not delay the newest of the others. Older addresses are compared if they ever received a
// payment (lib/ledger/reconciliation/next-addresses). The database stores each store's position in the round.

import type { NetworkFamily } from '@/lib/networks/chain';
import type { FollowedChain } from '@/lib/networks/registry';
import type { Pool } from '@/lib/platform/database/db';

/** From the creation; a session lasts an hour at most. Late payments arrive hours or days after. Each address costs requests every day. */
const WATCHED = `interval '30 days'`;
const ROUND = `interval '1 day'`;
/**
 * On a network that is read by account, the watcher does not see payments to an address of the other environment. The
 * round compares those addresses too, and reports their balances.
 */
const ENVIRONMENTS = ['live', 'test'];
/** Addresses per batch. On Solana each takes two requests; 86,000 addresses a day. */
const AT_ONCE = 20;
/** On TRON each address is a request for each token: 7,200 addresses a day take at most a seventh of TronGrid's 100,000. */
const BETWEEN_SECONDS: Record<NetworkFamily, number> = { evm: 20, tron: 240, solana: 20 };
/**
 * SQL: reads a store's ended sessions in the order of the store's index. Stores are compared as parts of rows, not by
 * `=`. Otherwise PostgreSQL may choose the index of all ended sessions and read past every other store's.
 */
const NEWEST_OF_STORE = `closed_at IS NOT NULL ORDER BY store_id DESC, environment DESC, created_at DESC, id DESC`;

/**
 * Adds the next addresses if they are due. A round begins a day after the previous one, with the newest addresses, even
 * if that one is unfinished. The first begins a day after the chain was added.
 */
export async function addDaily(
  pool: Pool,
  { chain, chainId, now }: { chain: FollowedChain; chainId: number; now: Date },
): Promise<void> {
  const lease = await takePage(pool, { chainId, now, betweenSeconds: BETWEEN_SECONDS[chain.spec.family] });
  if (!lease) return;
  const environments = chain.adapter.readsBlocks ? [chain.environment] : ENVIRONMENTS;
  if (lease.begins) await beginRound(pool, { chainId, environments, now });
  await addPage(pool, chainId, now);
}

/** Leases the next page for one worker. Null when it is not due or another worker has it. */
async function takePage(
  pool: Pool,
  { chainId, now, betweenSeconds }: { chainId: number; now: Date; betweenSeconds: number },
): Promise<{ begins: boolean } | null> {
  const { rows } = await pool.query<{ begins: boolean }>({
    name: 'balance-round-lease',
    text: `INSERT INTO balance_rounds AS r (chain_id, started_at, next_at) VALUES ($1, $2, $2::timestamptz + ${ROUND})
           ON CONFLICT (chain_id) DO UPDATE SET next_at = $2::timestamptz + $3::int * interval '1 second' WHERE r.next_at <= $2
           RETURNING started_at + ${ROUND} <= $2 AS begins`,
    values: [chainId, now, betweenSeconds],
  });
  return rows[0] ?? null;
}

/**
 * Adds each store that has a session to compare to the round. Sessions that are created later belong to the next round. Stores
 * that the last round did not reach come first.
 */
async function beginRound(
  pool: Pool,
  { chainId, environments, now }: { chainId: number; environments: readonly string[]; now: Date },
): Promise<void> {
  await pool.query({
    name: 'balance-round-begin',
    text: `WITH begun AS (UPDATE balance_rounds SET started_at = $3 WHERE chain_id = $1)
           INSERT INTO balance_turns AS t (chain_id, store_id, environment, closed_before)
           SELECT $1, st.id, e.environment, $3 FROM stores st CROSS JOIN unnest($2::"Environment"[]) AS e (environment)
             CROSS JOIN LATERAL (SELECT FROM sessions
               WHERE (store_id, environment, created_at) > (st.id, e.environment, $3::timestamptz - ${WATCHED})
                 AND (store_id, environment, created_at) < (st.id, e.environment, $3::timestamptz) AND ${NEWEST_OF_STORE} LIMIT 1) s
           ON CONFLICT (chain_id, store_id, environment) DO UPDATE SET
             taken = least(0, t.taken - 1), closed_before = excluded.closed_before, before_id = ''`,
    values: [chainId, environments, now],
  });
}

/**
 * Adds the next addresses of the stores with the fewest addresses taken. Reads one more per store to recognize its
 * last.
 */
async function addPage(pool: Pool, chainId: number, now: Date): Promise<void> {
  await pool.query({
    name: 'balance-round-page',
    text: `WITH turns AS MATERIALIZED (SELECT * FROM balance_turns WHERE chain_id = $1
             ORDER BY taken, store_id, environment LIMIT ${AT_ONCE}),
           next AS (SELECT t.store_id, t.environment, s.id, s.created_at, t.taken + row_number() OVER own AS taken,
               lead(s.id) OVER own IS NULL AS is_last
             FROM turns t LEFT JOIN LATERAL (SELECT id, created_at FROM sessions
               WHERE (store_id, environment, created_at) > (t.store_id, t.environment, $2::timestamptz - ${WATCHED})
                 AND (store_id, environment, created_at, id) < (t.store_id, t.environment, t.closed_before, t.before_id)
                 AND ${NEWEST_OF_STORE} LIMIT ${AT_ONCE + 1}) s ON true
             WINDOW own AS (PARTITION BY t.store_id, t.environment ORDER BY s.created_at DESC, s.id DESC)),
           page AS MATERIALIZED (SELECT * FROM next ORDER BY taken, store_id, environment LIMIT ${AT_ONCE}),
           through AS MATERIALIZED (SELECT DISTINCT ON (store_id, environment) * FROM page
             ORDER BY store_id, environment, taken DESC),
           moved AS (UPDATE balance_turns t SET taken = p.taken, closed_before = p.created_at, before_id = p.id FROM through p
             WHERE t.chain_id = $1 AND t.store_id = p.store_id AND t.environment = p.environment AND NOT p.is_last),
           done AS (DELETE FROM balance_turns t USING through p
             WHERE t.chain_id = $1 AND t.store_id = p.store_id AND t.environment = p.environment AND p.is_last)
           INSERT INTO balance_checks (session_id, chain_id, next_at) SELECT id, $1, $2 FROM page WHERE id IS NOT NULL
           ON CONFLICT (session_id, chain_id) DO NOTHING`,
    values: [chainId, now],
  });
}
