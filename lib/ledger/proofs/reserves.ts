// Proof of reserves: what the chains hold beside what the ledger owes, for each token of each network. One statement.

import { deliveryWallets, type DirectWallet } from '@/lib/networks/direct-settlement';
import { networkSpec } from '@/lib/networks/networks';
import type { Config } from '@/lib/platform/config/config';
import type { Db } from '@/lib/platform/database/db';
import type { Environment } from '@/lib/platform/ids';
import { formerWallets } from '@/lib/ledger/reconciliation/former-wallets';

/** Base units, with the block up to which it was read. Null: it was not read. */
export type Held = { readonly amount: bigint; readonly block: number } | null;

export type Reserve = {
  readonly network: string;
  readonly currency: string;
  /** At deposit addresses, by their final transfers. A comparison with the chain runs over all of them in rotation. */
  readonly deposits: { readonly amount: bigint; readonly block: number };
  /** In the refund wallet, with what former ones still hold, and in the treasury wallet, as the chain reported it. */
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
  /** Readings of all wallets that were the refund wallet, the present one first. Null before the first. */
  readonly refund_wallets: readonly WalletReading[] | null;
  readonly treasury: string | null;
  readonly treasury_block: string | null;
  readonly cold: string | null;
  readonly cold_block: string | null;
  readonly owed: string;
};

type WalletReading = { readonly address: string; readonly amount: string; readonly block: number };

/**
 * SQL: what direct settlement has delivered in an environment $1, which is what sweeps brought to the wallets $3 on the networks $2. A sweep
 * into another wallet, such as a treasury that the operator had before, has not reached the merchant. Without wallets it reads nothing.
 */
export const DELIVERED = `SELECT o.network, o.currency, sum(o.amount) AS amount
             FROM outgoing_transfers o JOIN ledger_entries e ON e.outgoing_transfer_id = o.id AND e.kind = 'sweep'
               JOIN (SELECT DISTINCT * FROM unnest($2::text[], $3::text[]) AS of (network, address)) AS wallet
                 ON wallet.network = o.network AND wallet.address = o.recipient
             WHERE e.environment = $1::"Environment" AND cardinality($2::text[]) > 0 GROUP BY 1, 2`;

/** The values of DELIVERED. */
export const deliveredTo = (environment: Environment, wallets: readonly DirectWallet[]) => [
  environment,
  wallets.map(({ network }) => network),
  wallets.map(({ address }) => address),
];

type Settings = Pick<Config, 'DIRECT_SETTLEMENT' | 'TREASURY_WALLETS' | 'COLD_WALLETS' | 'TEST_CHAINS'>;

/**
 * The reserves of an environment on the chains that are followed now, by network and currency. Where the treasury is the merchant's own
 * wallet, what was swept to it counts and not what it holds.
 */
export async function readReserves(db: Db, environment: Environment, config: Settings): Promise<readonly Reserve[]> {
  const direct = deliveryWallets(config, environment);
  const { rows } = await db.query<Row>({
    name: 'reserves',
    text: `WITH chain AS (SELECT id, network, final_number FROM chains WHERE environment = $1::"Environment" AND retired_at IS NULL),
             deposit AS (SELECT d.chain_id, d.currency, sum(d.amount) AS amount FROM deposit_balances d JOIN chain ON chain.id = d.chain_id
               GROUP BY 1, 2),
             wallet AS (SELECT w.chain_id, w.asset AS currency, json_agg(json_build_object('address', w.address,
                 'amount', w.amount::text, 'block', w.block_number) ORDER BY w.read_at DESC) AS readings
               FROM wallet_balances w JOIN chain ON chain.id = w.chain_id WHERE w.asset <> 'fee' GROUP BY 1, 2),
             present AS (SELECT DISTINCT ON (w.chain_id, w.asset) w.chain_id, w.address
               FROM wallet_balances w JOIN chain ON chain.id = w.chain_id ORDER BY w.chain_id, w.asset, w.read_at DESC),
             delivered AS (${DELIVERED}),
             treasury AS (SELECT t.chain_id, t.currency, t.amount, t.block_number FROM treasury_balances t JOIN chain ON chain.id = t.chain_id
                 WHERE chain.network <> ALL ($2::text[])
               UNION ALL SELECT chain.id, delivered.currency, delivered.amount, chain.final_number
                 FROM delivered JOIN chain USING (network)),
             owed AS (SELECT chain.id AS chain_id, b.currency, -sum(b.amount) AS amount FROM ledger_balances b JOIN chain USING (network)
               WHERE b.environment = $1::"Environment" AND split_part(b.account, ':', 1) IN ('store', 'unresolved', 'refund', 'payout', 'quarantined') GROUP BY 1, 2),
             cold AS (SELECT c.chain_id, c.currency, c.amount, c.block_number FROM cold_balances c JOIN chain ON chain.id = c.chain_id
               WHERE NOT EXISTS (SELECT FROM treasury_balances t WHERE t.chain_id = c.chain_id AND t.address = c.address)
                 AND NOT EXISTS (SELECT FROM present p WHERE p.chain_id = c.chain_id AND p.address = c.address)),
             asset AS (SELECT chain_id, currency FROM deposit UNION SELECT chain_id, currency FROM wallet
               UNION SELECT chain_id, currency FROM treasury UNION SELECT chain_id, currency FROM owed
               UNION SELECT chain_id, currency FROM cold)
           SELECT chain.network, asset.currency, chain.final_number::text, coalesce(deposit.amount, 0)::text AS deposits,
             wallet.readings AS refund_wallets, treasury.amount::text AS treasury,
             treasury.block_number::text AS treasury_block, cold.amount::text AS cold, cold.block_number::text AS cold_block, coalesce(owed.amount, 0)::text AS owed
           FROM asset JOIN chain ON chain.id = asset.chain_id LEFT JOIN deposit USING (chain_id, currency)
             LEFT JOIN wallet USING (chain_id, currency) LEFT JOIN treasury USING (chain_id, currency)
             LEFT JOIN owed USING (chain_id, currency) LEFT JOIN cold USING (chain_id, currency)
           ORDER BY 1, 2`,
    values: deliveredTo(environment, direct),
  });
  return rows.map((row) => ({
    network: row.network,
    currency: row.currency,
    deposits: { amount: BigInt(row.deposits), block: Number(row.final_number) },
    refundWallet: heldInWallets(row, environment, config),
    // Before the first sweep the ledger has no row.
    treasury: heldOf(
      row.treasury ?? (direct.some(({ network }) => network === row.network) ? '0' : null),
      row.treasury_block ?? row.final_number,
    ),
    cold: heldOf(row.cold, row.cold_block),
    owed: BigInt(row.owed),
  }));
}

/** In the present refund wallet, and in former ones that still count (reconciliation/former-wallets.ts). */
function heldInWallets(
  { network, currency, refund_wallets: readings }: Row,
  environment: Environment,
  config: Settings,
): Held {
  const [present, ...others] = readings ?? [];
  if (!present) return null;
  const spec = networkSpec(environment, network, config.TEST_CHAINS);
  const former = spec?.tokens[currency] ? formerWallets(others, present.address, { config, spec }) : [];
  const amount = former.reduce((sum, one) => sum + BigInt(one.amount), BigInt(present.amount));
  return { amount, block: present.block };
}

const heldOf = (amount: string | null, block: string | null): Held =>
  amount === null ? null : { amount: BigInt(amount), block: Number(block) };

/** What is held in all places together, in base units. */
export const heldTotal = ({ deposits, refundWallet, treasury, cold }: Reserve): bigint =>
  deposits.amount + (refundWallet?.amount ?? 0n) + (treasury?.amount ?? 0n) + (cold?.amount ?? 0n);
