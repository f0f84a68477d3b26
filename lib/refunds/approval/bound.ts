// The maximum that the worker attests: what a session's price or a payment exception allows, and never more than the transfers that the
// watcher proved. A compromised web process can write rows, so rows alone never lead to a payment.

import { baseUnitsToCents, commonToCents } from '@/lib/money/amounts';
import { assetEvidence } from '@/lib/signer/attestations/refund-evidence';
import { readProvenTransfers } from '@/lib/refunds/destination/payers';
import { transferEvidence, type ChainTransfer } from '@/lib/refunds/request/intent';
import type { MacKeys } from '@/lib/platform/crypto';
import type { Bound } from '@/lib/refunds/sending/sending-context';
import type { RefundWork } from '@/lib/refunds/sending/sending-context';
import { countsTowards, tokensOn } from '@/lib/refunds/request/tokens';

/**
 * Tokens that the operator does not offer may be worth nothing, so they pay back only themselves, under a separate name. Refunds of
 * exceptions from before exceptions were named by their transfers keep the name under which the signer knows them.
 */
export async function boundOf(work: RefundWork, key: MacKeys): Promise<Bound> {
  const { session, cents } = await allowed(work);
  const proven = await provenCents(work, key);
  const isApart = work.payment.caseId === null && !isOffered(work, work.payment);
  return {
    session: isApart ? assetEvidence(session, work.payment) : session,
    mostCents: String(proven < cents ? proven : cents),
  };
}

type Asset = { readonly network: string; readonly currency: string };

const isOffered = ({ context, payment: refund }: RefundWork, { network, currency }: Asset): boolean =>
  tokensOn(context.config, refund.environment)(network).includes(currency);

async function allowed({
  context,
  payment: refund,
}: RefundWork): Promise<{ readonly session: string; readonly cents: bigint }> {
  const { rows } = await context.pool.query<BoundRow>({
    name: 'refund-bound',
    text: `SELECT s.amount_due AS due, c.amount - c.counted AS amount, t.decimals, t.transaction_hash AS "transactionHash",
             t.ordinal, ch.genesis
           FROM sessions s LEFT JOIN payment_exceptions c ON c.id = $2 AND c.session_id = s.id
           LEFT JOIN transfers t ON t.id = c.transfer_id LEFT JOIN chains ch ON ch.id = t.chain_id
           WHERE s.id = $1`,
    values: [refund.sessionId, refund.caseId],
  });
  const [row] = rows;
  if (!row) throw new Error(`refund ${refund.id} is of no session`);
  if (refund.caseId === null) return { session: refund.sessionId, cents: BigInt(row.due) };
  if (row.amount === null) throw new Error(`refund ${refund.id} is of no case`);
  const session = numberedEvidence(refund.refundId) ?? transferEvidence(row);
  return { session, cents: baseUnitsToCents(BigInt(row.amount), row.decimals) };
}

async function provenCents(work: RefundWork, key: MacKeys): Promise<bigint> {
  const { context, payment: refund } = work;
  const proven = await readProvenTransfers(context.pool, refund, key);
  const counts = countsTowards(context.config, refund);
  const concerned = proven.filter((one) => one.isConcerned && counts(one));
  return commonToCents(concerned.reduce((sum, { amount }) => sum + amount, 0n));
}

/** The evidence name of a refund that was named by the number of its case; null for all others. */
function numberedEvidence(refundId: string): string | null {
  const [, number] = /^case_([0-9]+)(?:_[0-9]+)?$/.exec(refundId) ?? [];
  return number === undefined ? null : `case:${number}`;
}

type BoundRow = { due: string } & ({ amount: null } | (ChainTransfer & { amount: string; decimals: number }));
