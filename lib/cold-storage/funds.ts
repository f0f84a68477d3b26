// What the refund wallet has of a token, and how much of it refunds and payouts need that are requested already. The lower of the
// ledger's balance and the last final reading counts: a payment that is in one and not in the other leaves less.

import { centsToBaseUnits, commonToCentsUp, toCommon } from '@/lib/money/amounts';
import { networkSpec, type NetworkSpec } from '@/lib/networks/networks';
import type { Db } from '@/lib/platform/database/db';

export type WalletAsset = { readonly spec: NetworkSpec; readonly currency: string };

/** Base units. */
export type Funds = {
  readonly chainId: number;
  /** The refund wallet's address. */
  readonly wallet: string;
  /** Null without a reading of the last minutes. */
  readonly balance: bigint | null;
  /**
   * Of refunds and payouts that have not ended, up to what the ledger has reserved for all of them: the web process writes their rows. It is
   * reserved in the assets that arrived, so the reserves of all networks count. What still waits for its store's balance cannot be paid.
   */
  readonly needed: bigint;
  /** Whether the wallet has an open discrepancy in the token. */
  readonly isDisputed: boolean;
  /** Why nothing goes to the cold wallet, as it is stored. */
  readonly hold: string | null;
};

/** Three readings of the wallet (lib/ledger/reconciliation/step). */
const READING_SECONDS = 900;

/**
 * Null until the wallet was read on the chain that is followed now. Of a cold transfer, `transfer`: what the other ones take that may be
 * signed does not count as the wallet's.
 */
export async function readFunds(
  db: Db,
  { spec, currency }: WalletAsset,
  now: Date,
  transfer: string | null = null,
): Promise<Funds | null> {
  const decimals = spec.tokens[currency]?.decimals ?? 0;
  const { rows } = await db.query<{
    chain_id: number;
    address: string;
    balance: string | null;
    needed: string;
    reserved: readonly Reserved[];
    is_disputed: boolean;
    cold_hold: string | null;
  }>({
    name: 'cold-funds',
    text: `SELECT w.chain_id, w.address, w.cold_hold,
             CASE WHEN w.read_at > $4::timestamptz - interval '${READING_SECONDS} seconds' THEN least(w.amount, coalesce((SELECT amount
               FROM ledger_balances WHERE environment = $1::"Environment" AND account = 'refund_wallet' AND network = $2 AND currency = $3), 0) - $6::numeric * (SELECT coalesce(sum(amount), 0)
                 FROM cold_transfers WHERE environment = $1::"Environment" AND network = $2 AND currency = $3 AND id <> $5
                   AND status = 'processing' AND signature_requested_at IS NOT NULL))
             END::text AS balance,
             (SELECT coalesce(sum(amount), 0) FROM (SELECT amount FROM refunds WHERE environment = $1::"Environment" AND network = $2
                 AND currency = $3 AND status IN ('pending', 'processing')
               UNION ALL SELECT amount FROM payouts WHERE environment = $1::"Environment" AND network = $2 AND currency = $3
                 AND status IN ('pending', 'processing')) AS open)::text AS needed,
             (SELECT coalesce(json_agg(r), '[]') FROM (SELECT network, currency, (-sum(amount))::text AS amount FROM ledger_balances
               WHERE environment = $1::"Environment" AND split_part(account, ':', 1) IN ('refund', 'payout') GROUP BY 1, 2) AS r) AS reserved,
             EXISTS (SELECT FROM discrepancies d WHERE d.chain_id = w.chain_id AND d.address = w.address AND d.currency = $3
               AND d.ended_at IS NULL) AS is_disputed
           FROM wallet_balances w JOIN chains c ON c.id = w.chain_id AND c.retired_at IS NULL
           WHERE c.environment = $1::"Environment" AND c.network = $2 AND w.asset = $3 ORDER BY w.read_at DESC LIMIT 1`,
    values: [spec.environment, spec.network, currency, now, transfer, centsToBaseUnits(1n, decimals)],
  });
  const [row] = rows;
  if (!row) return null;
  return {
    chainId: row.chain_id,
    wallet: row.address,
    balance: row.balance === null ? null : BigInt(row.balance),
    needed: centsToBaseUnits(lesser(BigInt(row.needed), reservedCents(spec, row.reserved)), decimals),
    isDisputed: row.is_disputed,
    hold: row.cold_hold,
  };
}

/** What the ledger owes to refunds and payouts of an asset, in its base units. */
type Reserved = { readonly network: string; readonly currency: string; readonly amount: string };

/** Rounded up to a cent. */
function reservedCents({ environment, chain }: NetworkSpec, reserved: readonly Reserved[]): bigint {
  const amounts = reserved.map(({ network, currency, amount }) => {
    const spec = networkSpec(environment, network, chain === 'local' ? 'local' : 'public');
    const decimals = spec?.tokens[currency]?.decimals;
    return decimals === undefined ? 0n : toCommon(BigInt(amount), decimals);
  });
  return commonToCentsUp(amounts.reduce((sum, amount) => sum + amount, 0n));
}

const lesser = (one: bigint, other: bigint): bigint => (one < other ? one : other);
