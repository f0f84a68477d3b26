// Speaking with the signer while a refund is worked on: what the order is, and what it means when nobody answers.

import type { PaymentOrder } from '@/lib/chains/send';
import { baseUnitsToCents } from '@/lib/money';
import { makeEvidence } from '@/lib/refund-evidence';
import type { RefundOrder } from '@/lib/signer/client';
import { AddressSourceError } from '@/lib/wallet/address-source';
import { payersOf, provenCents } from './destination-payers';
import { transferEvidence, type ChainTransfer } from './intent';
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
  const { session, mostCents } = await boundOf(work);
  const evidence = makeEvidence(evidenceKey, line.environment, {
    kind,
    session,
    mostCents: String(kind === 'payer' ? await provenBound(work, mostCents, evidenceKey) : mostCents),
    network: line.network,
    address: order.to,
    reference,
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

/** Cents of a price that transfers below a cent may have made up: they name no payer (destination-payer.ts allows as much). */
const MOST_DUST = 1n;

/**
 * A payer is paid back at most what provably came from the payers. Without this bound, a web process that was taken over could pay
 * a small amount and raise the price of the session.
 */
async function provenBound({ context, refund }: Work, mostCents: bigint, evidenceKey: Uint8Array): Promise<bigint> {
  const proven = provenCents(await payersOf(context.pool, refund, evidenceKey)) + MOST_DUST;
  return proven < mostCents ? proven : mostCents;
}

/**
 * All that may ever be paid back under one name: of a session, or of the transfer that an exception is about. Refunds of exceptions
 * from before they were named by their transfers keep the name under which the signer knows them.
 */
async function boundOf({ context, refund }: Work): Promise<{ session: string; mostCents: bigint }> {
  const { rows } = await context.pool.query<BoundRow>({
    name: 'refund-bound',
    text: `SELECT s.amount_due AS due, c.amount - c.counted AS amount, t.decimals, t.transaction_hash AS "transactionHash",
             t.ordinal, ch.genesis
           FROM sessions s LEFT JOIN payment_cases c ON c.id = $2 AND c.session_id = s.id
           LEFT JOIN transfers t ON t.id = c.transfer_id LEFT JOIN chains ch ON ch.id = t.chain_id
           WHERE s.id = $1`,
    values: [refund.sessionId, refund.caseId],
  });
  const [row] = rows;
  if (!row) throw new Error(`refund ${refund.id} is of no session`);
  if (refund.caseId === null) return { session: refund.sessionId, mostCents: BigInt(row.due) };
  if (row.amount === null) throw new Error(`refund ${refund.id} is of no case`);
  const session = numberedEvidence(refund.refundId) ?? transferEvidence(row);
  return { session, mostCents: baseUnitsToCents(BigInt(row.amount), row.decimals) };
}

/** The evidence's name of a refund that was named by the number of its case; null for all others. */
function numberedEvidence(refundId: string): string | null {
  const [, number] = /^case_([0-9]+)(?:_[0-9]+)?$/.exec(refundId) ?? [];
  return number === undefined ? null : `case:${number}`;
}

type BoundRow = { due: string } & ({ amount: null } | (ChainTransfer & { amount: string; decimals: number }));
