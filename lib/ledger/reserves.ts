// Proof of reserves: what the chains hold beside what the ledger owes, for each token of each network. One statement.

import type { Db } from '@/lib/platform/database/db';
import type { Environment } from '@/lib/platform/ids';

/** Base units, with the block up to which it was read. Null: it was not read. */
export type Held = { readonly amount: bigint; readonly block: number } | null;

export type Reserve = {
  readonly network: string;
  readonly currency: string;
  /** At deposit addresses, by their final transfers. A comparison with the chain runs over all of them in rotation. */
  readonly deposits: { readonly amount: bigint; readonly block: number };
  /** In the refund wallet and in the treasury wallet, as the chain reported it. */
  readonly refundWallet: Held;
  readonly treasury: Held;
  /** In the cold wallet that the settings name, as the chain reported it. */
  readonly cold: Held;
  /** Base units owed to stores: available, waiting for a decision, quarantined, and reserved for refunds and payouts. */
  readonly owed: bigint;
};

type Row = {
  readonly network: string;
  readonly currency: string;
  readonly deposits: string;
  readonly final_number: string;
  readonly refund_wallet: string | null;
  readonly refund_wallet_block: string | null;
  readonly treasury: string | null;
  readonly treasury_block: string | null;
  readonly cold: string | null;
  readonly cold_block: string | null;
  readonly owed: string;
};

/**
 * The reserves of an environment on the chains that are followed now, by network and currency. `direct`: networks on which the treasury is
 * the merchant's own wallet, so that what was swept counts and not what the wallet holds.
 */
export async function readReserves(
  db: Db,
  environment: Environment,
  direct: readonly string[] = [],
): Promise<readonly Reserve[]> {
  const { rows } = await db.query<Row>({
    name: 'reserves',
    text: `WITH chain AS (SELECT id, network, final_number FROM chains WHERE environment = $1::"Environment" AND retired_at IS NULL),
             deposit AS (SELECT d.chain_id, d.currency, sum(d.amount) AS amount FROM deposit_balances d JOIN chain ON chain.id = d.chain_id
               GROUP BY 1, 2),
             wallet AS (SELECT DISTINCT ON (w.chain_id, w.asset) w.chain_id, w.asset AS currency, w.amount, w.block_number
               FROM wallet_balances w JOIN chain ON chain.id = w.chain_id WHERE w.asset <> 'fee'
               ORDER BY w.chain_id, w.asset, w.read_at DESC),
             treasury AS (SELECT t.chain_id, t.currency, t.amount, t.block_number FROM treasury_balances t JOIN chain ON chain.id = t.chain_id
                 WHERE chain.network <> ALL ($2::text[])
               UNION ALL SELECT chain.id, b.currency, b.amount, chain.final_number FROM ledger_balances b JOIN chain USING (network)
                 WHERE b.environment = $1::"Environment" AND b.account = 'treasury' AND chain.network = ANY ($2::text[])),
             owed AS (SELECT chain.id AS chain_id, b.currency, -sum(b.amount) AS amount FROM ledger_balances b JOIN chain USING (network)
               WHERE b.environment = $1::"Environment" AND split_part(b.account, ':', 1) IN ('store', 'unresolved', 'refund', 'payout', 'quarantined') GROUP BY 1, 2),
             cold AS (SELECT c.chain_id, c.currency, c.amount, c.block_number FROM cold_balances c JOIN chain ON chain.id = c.chain_id
               WHERE NOT EXISTS (SELECT FROM treasury_balances t WHERE t.chain_id = c.chain_id AND t.address = c.address)
                 AND NOT EXISTS (SELECT FROM wallet_balances w WHERE w.chain_id = c.chain_id AND w.address = c.address)),
             asset AS (SELECT chain_id, currency FROM deposit UNION SELECT chain_id, currency FROM wallet
               UNION SELECT chain_id, currency FROM treasury UNION SELECT chain_id, currency FROM owed
               UNION SELECT chain_id, currency FROM cold)
           SELECT chain.network, asset.currency, chain.final_number::text, coalesce(deposit.amount, 0)::text AS deposits,
             wallet.amount::text AS refund_wallet, wallet.block_number::text AS refund_wallet_block, treasury.amount::text AS treasury,
             treasury.block_number::text AS treasury_block, cold.amount::text AS cold, cold.block_number::text AS cold_block, coalesce(owed.amount, 0)::text AS owed
           FROM asset JOIN chain ON chain.id = asset.chain_id LEFT JOIN deposit USING (chain_id, currency)
             LEFT JOIN wallet USING (chain_id, currency) LEFT JOIN treasury USING (chain_id, currency)
             LEFT JOIN owed USING (chain_id, currency) LEFT JOIN cold USING (chain_id, currency)
           ORDER BY 1, 2`,
    values: [environment, direct],
  });
  return rows.map((row) => ({
    network: row.network,
    currency: row.currency,
    deposits: { amount: BigInt(row.deposits), block: Number(row.final_number) },
    refundWallet: heldOf(row.refund_wallet, row.refund_wallet_block),
    // Before the first sweep the ledger has no row.
    treasury: heldOf(
      row.treasury ?? (direct.includes(row.network) ? '0' : null),
      row.treasury_block ?? row.final_number,
    ),
    cold: heldOf(row.cold, row.cold_block),
    owed: BigInt(row.owed),
  }));
}

const heldOf = (amount: string | null, block: string | null): Held =>
  amount === null ? null : { amount: BigInt(amount), block: Number(block) };

/** What is held in all places together, in base units. */
export const heldTotal = ({ deposits, refundWallet, treasury, cold }: Reserve): bigint =>
  deposits.amount + (refundWallet?.amount ?? 0n) + (treasury?.amount ?? 0n) + (cold?.amount ?? 0n);
