// The customer's view of the transfers: which ones count, their confirmations, and the missing amount. Pure. It only displays; the
// status of a session comes from settling alone.

import { networkSpec } from '@/lib/networks/networks';
import { explorerUrl } from '@/lib/networks/payment-uri';
import type { Config } from '@/lib/platform/config/config';
import { baseUnitsToCents, centsToText, commonToCents, toCommon } from '@/lib/money/amounts';
import type { CheckoutFacts } from './facts';
import { isDust, objection } from '@/lib/payments/sessions/settle/judge';
import type { PaymentRow } from '@/lib/payments/sessions/payment-rows';

/** Whether a transfer counts towards the price, or why not. */
export type Verdict = 'counts' | 'late' | 'wrong_token' | 'wrong_network' | 'orphaned';

export type SeenPayment = {
  readonly network: string;
  readonly currency: string;
  /** Decimal text with two digits, rounded down. */
  readonly amount: string;
  /** Blocks since and including its own, capped at the required number. */
  readonly confirmations: number;
  readonly confirmations_required: number;
  /** Whether the transfer is irreversible. */
  readonly final: boolean;
  readonly transaction_hash: string;
  readonly explorer_url: string | null;
  readonly orphaned: boolean;
  readonly verdict: Verdict;
};

export type PaymentSum = {
  readonly seen: readonly SeenPayment[];
  /** Cents that no transfer covers so far. */
  readonly missing: bigint;
  /** Cents that count but are not final yet. */
  readonly underway: bigint;
};

/** Adds up the transfers. Unknown tokens are skipped, and amounts below a cent are not shown. */
export function sumPayments(facts: CheckoutFacts, config: Pick<Config, 'TEST_CHAINS'>): PaymentSum {
  let counted = 0n;
  const seen: SeenPayment[] = [];
  for (const row of facts.payments) {
    const spec = networkSpec(facts.environment, row.network, config.TEST_CHAINS);
    const decimals = spec?.tokens[row.currency]?.decimals;
    if (!spec || decimals === undefined) continue;
    const units = BigInt(row.amount);
    const verdict = verdictOf(row, facts);
    // A payment from before the session belongs to another customer. Only the merchant may see it.
    if (verdict === 'early') continue;
    if (verdict === 'counts') counted += toCommon(units, decimals);
    if (isDust({ amount: units, decimals })) continue;
    seen.push({
      network: row.network,
      currency: row.currency,
      amount: centsToText(baseUnitsToCents(units, decimals)),
      ...confirmationsOf(row),
      final: row.final,
      transaction_hash: row.transaction_hash,
      explorer_url: explorerUrl(spec, row.transaction_hash),
      orphaned: row.orphaned,
      verdict,
    });
  }
  const received = BigInt(facts.amount_received);
  const covered = max(received, commonToCents(counted));
  return { seen, missing: max(0n, BigInt(facts.amount_due) - covered), underway: covered - received };
}

/** What each final transfer paid: base units that count and are not returned. */
export const paidParts = (facts: CheckoutFacts): readonly { readonly row: PaymentRow; readonly units: bigint }[] =>
  facts.payments
    .filter((row) => row.final && verdictOf(row, facts) === 'counts')
    .map((row) => ({ row, units: BigInt(row.amount) - BigInt(row.returned) }))
    .filter(({ units }) => units > 0n);

function verdictOf(row: PaymentRow, facts: CheckoutFacts): Verdict | 'early' {
  if (row.orphaned) return 'orphaned';
  const session = {
    ...facts,
    acceptedFrom: facts.accepted_from,
    offeredPairs: facts.offered_pairs,
    createdAt: facts.created_at,
    expiresAt: facts.expires_at,
  };
  return objection(session, { ...row, blockTime: row.block_time }) ?? 'counts';
}

function confirmationsOf(row: PaymentRow): { confirmations: number; confirmations_required: number } {
  // The lag of finality varies a little; the latest value is the best estimate.
  const required = Math.max(1, row.final_lag);
  const since = Math.max(0, row.tip_number - row.block_number + 1);
  // Only a final transfer shows all confirmations: a page that shows "12 of 12" and still waits would be wrong.
  const shown = row.final ? required : Math.min(since, Math.max(required - 1, 0));
  return { confirmations: row.orphaned ? 0 : shown, confirmations_required: required };
}

const max = (a: bigint, b: bigint): bigint => (a > b ? a : b);
