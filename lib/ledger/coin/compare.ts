// Compares the coin of the sponsor and of the refund wallet with the ledger. The ledger has what our transactions took and moved, so the
// rest of a change is not explained by them: what came is usually the operator's funding, what went should be nothing. It is shown to
// operators and stops nothing, because operators fund wallets by themselves.

import type { Coin } from '@/lib/networks/coins';
import type { Context } from '@/lib/platform/context';
import { storedWallet } from './facts';

/** An endpoint that lags may not have a transaction yet that another one reported as final. */
const MARGIN_SECONDS = 60;

/**
 * Compares readings that are newer than the last comparison. A reading counts only if every transaction of its wallet had ended a while
 * before it and is booked: then the reading and the ledger are about the same transactions. The first one is where the comparison begins.
 */
export async function compareCoins(
  { pool }: Pick<Context, 'pool'>,
  coins: ReadonlyMap<string, Pick<Coin, 'symbol'>>,
): Promise<void> {
  await pool.query({
    name: 'coin-compare',
    text: COMPARE,
    values: [[...coins.keys()], [...coins.values()].map(({ symbol }) => symbol)],
  });
}

// A sponsor's reading is of a network. One that is as old as the end of a former chain may be of that chain.
// A batch of payouts is booked whole once none of them is open. What is not booked yet may be of the wallet, and is soon booked.
// A wallet that stakes is compared only if the stake of the same response is booked. That entry has the time of the reading, so it does not count as newer.
const COMPARE = `WITH coin AS (SELECT * FROM unnest($1::text[], $2::text[]) AS c (network, symbol)),
  reading AS (SELECT DISTINCT ON (r.chain_id, r.address) r.*, c.environment, c.network, coin.symbol FROM (
      SELECT chain_id, ${storedWallet('address')} AS address, amount, read_at FROM wallet_balances WHERE asset = 'fee'
      UNION ALL SELECT o.id, ${storedWallet('s.sponsor')}, s.coin, s.read_at FROM sweep_states s
        JOIN chains o ON o.environment = s.environment AND o.network = s.network AND o.retired_at IS NULL WHERE s.coin IS NOT NULL
          AND NOT EXISTS (SELECT FROM chains f WHERE f.environment = s.environment AND f.network = s.network AND f.retired_at >= s.read_at)) AS r
      JOIN chains c ON c.id = r.chain_id AND c.retired_at IS NULL JOIN coin ON coin.network = c.network
    ORDER BY r.chain_id, r.address, r.read_at DESC),
  quiet AS (SELECT r.*, coalesce(b.amount, 0) AS booked FROM reading r
      LEFT JOIN ledger_balances b ON b.environment = r.environment AND b.account = 'fee_coin:' || r.address AND b.network = r.network
        AND b.currency = r.symbol
      LEFT JOIN coin_checks k ON k.chain_id = r.chain_id AND k.address = r.address
      LEFT JOIN coin_stakes t ON t.chain_id = r.chain_id AND t.address = r.address
    WHERE (k.read_at IS NULL OR r.read_at > k.read_at)
      AND (t.address IS NULL OR (t.read_at = r.read_at AND t.booked = t.staked + t.unstaking))
      AND NOT EXISTS (SELECT FROM refund_attempts a WHERE a.chain_id = r.chain_id AND a.ended_at IS NULL
        AND ${storedWallet("a.draft->>'from'")} = r.address)
      AND NOT EXISTS (SELECT FROM sweeps s WHERE s.chain_id = r.chain_id AND s.ended_at IS NULL AND ${storedWallet('s.sender')} = r.address)
      AND NOT EXISTS (SELECT FROM allowance_transactions a WHERE a.chain_id = r.chain_id AND a.settled_at IS NULL
        AND ${storedWallet('a.wallet')} = r.address)
      AND NOT EXISTS (SELECT FROM refund_attempts a WHERE a.chain_id = r.chain_id AND a.coin_booked_at IS NULL
        AND a.status IN ('landed', 'reverted') AND a.fee IS NOT NULL)
      AND NOT EXISTS (SELECT FROM sweeps s WHERE s.chain_id = r.chain_id AND s.coin_booked_at IS NULL AND s.status IN ('final', 'reverted'))
      AND NOT EXISTS (SELECT FROM allowance_transactions a WHERE a.chain_id = r.chain_id AND a.coin_booked_at IS NULL
        AND a.settled_at IS NOT NULL AND a.seen_at IS NOT NULL AND a.fee IS NOT NULL)
      AND NOT EXISTS (SELECT FROM ledger_entries e JOIN ledger_postings p ON p.entry_id = e.id
        WHERE e.environment = r.environment AND e.coin_source IS NOT NULL AND e.kind <> 'coin_stake'
          AND e.created_at > r.read_at - interval '${MARGIN_SECONDS} seconds'
          AND p.account = 'fee_coin:' || r.address AND p.network = r.network))
  INSERT INTO coin_checks AS k (chain_id, address, since, amount, booked, read_at)
    SELECT chain_id, address, read_at, amount, booked, read_at FROM quiet
  ON CONFLICT (chain_id, address) DO UPDATE SET amount = EXCLUDED.amount, booked = EXCLUDED.booked, read_at = EXCLUDED.read_at,
    came = k.came + greatest(0, EXCLUDED.amount - k.amount - (EXCLUDED.booked - k.booked)),
    went = k.went + greatest(0, EXCLUDED.booked - k.booked - (EXCLUDED.amount - k.amount))
    WHERE EXCLUDED.read_at > k.read_at`;
