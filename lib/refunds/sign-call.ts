// Speaking with the signer while a refund is worked on: what the order is, and what it means when nobody answers.

import type { PaymentOrder } from '@/lib/chains/send';
import { baseUnitsToCents } from '@/lib/money';
import { makeEvidence } from '@/lib/refund-evidence';
import type { RefundOrder } from '@/lib/signer/client';
import { AddressSourceError } from '@/lib/wallet/address-source';
import type { Destination } from './rows';
import { holdBack, holdOf, orderFor, type Work } from './send-line';

/** The answer, or null with the refund held back when the signer could not be asked. Whatever was asked may have been done. */
export async function orSignerHold<T>(work: Work, call: () => Promise<T>): Promise<T | null> {
  try {
    return await call();
  } catch (error) {
    if (!(error instanceof AddressSourceError)) throw error;
    await holdBack(work, holdOf('signer_unavailable'));
    return null;
  }
}

/** What the signer is asked to pay, with what vouches for it. */
export async function signerOrder(
  work: Work,
  { kind, reference, address }: Destination,
  evidenceKey: Uint8Array,
): Promise<RefundOrder> {
  const { line, refund } = work;
  const order: PaymentOrder = orderFor(work, address);
  const evidence = makeEvidence(evidenceKey, line.environment, {
    kind,
    session: refund.caseId === null ? refund.sessionId : `case:${refund.caseId}`,
    network: line.network,
    address: order.to,
    reference,
    mostCents: String(await mostCents(work)),
  });
  return {
    intentId: refund.id,
    environment: line.environment,
    network: line.network,
    currency: order.currency as RefundOrder['currency'],
    contract: order.contract,
    to: order.to,
    amount: String(order.amount),
    evidence,
  };
}

/** All that may ever be paid back of the session, or of the case. */
async function mostCents({ context, refund }: Work): Promise<bigint> {
  const { rows } = await context.pool.query<{ due: string; amount: string | null; decimals: number | null }>({
    name: 'refund-most',
    text: `SELECT s.amount_due AS due, c.amount, t.decimals FROM sessions s
           LEFT JOIN payment_cases c ON c.id = $2 AND c.session_id = s.id LEFT JOIN transfers t ON t.id = c.transfer_id
           WHERE s.id = $1`,
    values: [refund.sessionId, refund.caseId],
  });
  const [row] = rows;
  if (!row) throw new Error(`refund ${refund.id} is of no session`);
  if (refund.caseId === null) return BigInt(row.due);
  if (row.amount === null || row.decimals === null) throw new Error(`refund ${refund.id} is of no case`);
  return baseUnitsToCents(BigInt(row.amount), row.decimals);
}
