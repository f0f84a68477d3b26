// Writes the ledger entries for the network cost of refunds. The maximum cost is reserved before the refund is signed.
// When the refund ends, the actual cost passes to the operator and the rest is released. Each is one statement, once
// per refund.

import type { Db, Tx } from '@/lib/platform/database/db';
import type { Environment } from '@/lib/platform/ids';
import { lockSpendable } from './frozen';
import { COST_RECOVERY, refundAccount, storeAccount } from './postings';

/** A refund whose network cost its store bears. `network` and `currency` are those that the customer is paid in. */
export type CostedRefund = {
  readonly intentId: string;
  readonly storeId: string;
  readonly environment: Environment;
  readonly network: string;
  readonly currency: string;
};

/** A token on a network, and the number of its base units in a cent. */
export type CentAsset = { readonly network: string; readonly currency: string; readonly unitsPerCent: bigint };

/**
 * `no_price`: the coin never had a price, so the operator bears this cost. `short`: amounts in cents, and nothing is
 * written.
 */
export type CostReservation =
  | { readonly kind: 'reserved' | 'no_price' }
  | { readonly kind: 'short'; readonly quoted: bigint; readonly missing: bigint };

type CostToReserve = {
  readonly coin: string;
  readonly hundredths: string;
  readonly assets: readonly CentAsset[];
  readonly now: Date;
};

/**
 * Reserves the cost in the asset of the refund or, if the store has too little of it, in the asset of `assets` with the
 * largest balance. `coin` is the coin of the fee, and `hundredths` of it, as decimal text, are the maximum. Rounded up
 * to a cent. Frozen money pays no costs. Call it once per refund, under the lock of the refund's row: a second call would overwrite the
 * stored quote.
 */
export async function reserveRefundCost(
  tx: Tx,
  refund: CostedRefund,
  { coin, hundredths, assets, now }: CostToReserve,
): Promise<CostReservation> {
  const spendable = await lockSpendable(tx, refund);
  const { rows } = await tx.query<{ quoted: string | null; reserved: boolean; available: string }>({
    name: 'refund-cost-reserve',
    text: RESERVE,
    values: [
      refund.intentId,
      refund.environment,
      refund.storeId,
      storeAccount(refund.storeId),
      refundAccount(refund.storeId),
      refund.network,
      refund.currency,
      assets.map(({ network }) => network),
      assets.map(({ currency }) => currency),
      assets.map(({ unitsPerCent }) => unitsPerCent.toString()),
      coin,
      hundredths,
      now,
      spendable.map(({ network }) => network),
      spendable.map(({ currency }) => currency),
      spendable.map(({ amount }) => amount.toString()),
    ],
  });
  const [row] = rows;
  if (!row || row.quoted === null) return { kind: 'no_price' };
  const quoted = BigInt(row.quoted);
  return row.reserved ? { kind: 'reserved' } : { kind: 'short', quoted, missing: quoted - BigInt(row.available) };
}

// The entry has no session, because a cost does not reduce what can be refunded of a session. The minimum is a cent, so that an entry
// always has postings.
const RESERVE = `
  WITH quote AS (SELECT price, GREATEST(1, ceil($12::numeric * price))::bigint AS cents FROM coin_prices WHERE coin = $11),
    usable AS (SELECT network, currency, held.amount, asset.cent, (network, currency) = ($6::text, $7::text) AS is_paid
      FROM unnest($14::text[], $15::text[], $16::numeric[]) AS held (network, currency, amount) JOIN unnest($8::text[], $9::text[], $10::numeric[]) AS asset (network, currency, cent) USING (network, currency)),
    source AS (SELECT network, currency, cents * cent AS cost FROM usable, quote WHERE amount >= cents * cent
      ORDER BY is_paid DESC, amount / cent DESC, network, currency LIMIT 1),
    noted AS (UPDATE refunds SET cost_bearer = 'store', cost_quoted = cents, cost_price = price FROM quote, source WHERE id = $1),
    short AS (UPDATE refunds SET cost_short = cents, cost_short_at = $13 FROM quote
      WHERE id = $1 AND NOT EXISTS (SELECT FROM source)),
    unpriced AS (UPDATE refunds SET cost_bearer = 'operator_no_price' WHERE id = $1 AND NOT EXISTS (SELECT FROM quote)),
    entry AS (INSERT INTO ledger_entries (kind, store_id, environment, intent_id)
      SELECT 'refund_cost_reserved', $3, $2::"Environment", $1 FROM source RETURNING id),
    posted AS (INSERT INTO ledger_postings (entry_id, account, network, currency, amount)
      SELECT entry.id, line.account, network, currency, line.amount
      FROM entry, source, LATERAL (VALUES ($4::text, cost), ($5::text, -cost)) AS line (account, amount))
  SELECT quote.cents AS quoted, EXISTS (SELECT FROM source) AS reserved,
    COALESCE((SELECT floor(amount / cent) FROM usable WHERE is_paid), 0)::bigint AS available
  FROM (VALUES (1)) AS one LEFT JOIN quote ON true`;

/** Whole cents that a store has available: in the refund's asset, and in the asset with the largest balance. */
export async function readBearable(
  db: Db,
  { environment, storeId, network, currency }: Omit<CostedRefund, 'intentId'>,
  assets: readonly CentAsset[],
): Promise<{ readonly paid: bigint; readonly most: bigint }> {
  const { rows } = await db.query<{ paid: string; most: string }>({
    name: 'refund-cost-bearable',
    text: `SELECT COALESCE(max(cents) FILTER (WHERE (network, currency) = ($3::text, $4::text)), 0)::text AS paid,
             COALESCE(max(cents), 0)::text AS most
           FROM (SELECT network, currency, floor(-b.amount / asset.cent) AS cents
             FROM ledger_balances b JOIN unnest($5::text[], $6::text[], $7::numeric[]) AS asset (network, currency, cent)
               USING (network, currency)
             WHERE b.environment = $1::"Environment" AND b.account = $2) AS held`,
    values: [
      environment,
      storeAccount(storeId),
      network,
      currency,
      assets.map((one) => one.network),
      assets.map((one) => one.currency),
      assets.map(({ unitsPerCent }) => unitsPerCent.toString()),
    ],
  });
  return { paid: BigInt(rows[0]?.paid ?? 0), most: BigInt(rows[0]?.most ?? 0) };
}

/**
 * Charges the actual cost of a refund, at the price of its quote and at most the quote, and releases the rest.
 * `hundredths` of the coin, as decimal text; 0 when none of its transactions became final. A no-op if nothing is
 * reserved or the cost was settled before.
 */
export async function settleRefundCost(
  tx: Tx,
  { intentId, storeId }: Pick<CostedRefund, 'intentId' | 'storeId'>,
  hundredths: string,
): Promise<void> {
  await tx.query({
    name: 'refund-cost-settle',
    text: SETTLE,
    values: [intentId, storeAccount(storeId), refundAccount(storeId), COST_RECOVERY, hundredths],
  });
}

// The reserved amount is the quote times the base units of a cent, so the division leaves no remainder.
const SETTLE = `
  WITH cost AS (SELECT r.id, r.store_id, r.environment, r.cost_quoted AS quoted,
      LEAST(r.cost_quoted, ceil($5::numeric * r.cost_price))::bigint AS charged, p.network, p.currency, -p.amount AS reserved
    FROM refunds r JOIN ledger_entries e ON e.intent_id = r.id AND e.kind = 'refund_cost_reserved'
      JOIN ledger_postings p ON p.entry_id = e.id AND p.account = $3
    WHERE r.id = $1 AND r.cost_charged IS NULL),
  noted AS (UPDATE refunds r SET cost_charged = cost.charged FROM cost WHERE r.id = cost.id),
  entry AS (INSERT INTO ledger_entries (kind, store_id, environment, intent_id)
    SELECT 'refund_cost_settled', store_id, environment, id FROM cost RETURNING id),
  part AS (SELECT network, currency, reserved, div(reserved, quoted) * charged AS charged FROM cost)
  INSERT INTO ledger_postings (entry_id, account, network, currency, amount)
  SELECT entry.id, line.account, network, currency, line.amount
  FROM entry, part, LATERAL (VALUES ($3::text, reserved), ($2::text, charged - reserved), ($4::text, -charged)) AS line (account, amount)
  WHERE line.amount <> 0`;
