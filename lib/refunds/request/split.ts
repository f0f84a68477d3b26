// Pays back each payer of a session: one refund per payer, token and network, which can go only to that payer and adds up to at most
// what they paid. All of them are made in one transaction, or none.

import type { Context } from '@/lib/platform/context';
import type { Tx } from '@/lib/platform/database/db';
import { ServiceError } from '@/lib/platform/errors/errors';
import { centsToText } from '@/lib/money/amounts';
import { createIn, inTransaction, type RefundMaker } from './create';
import { readPayerParts } from '@/lib/refunds/destination/payer-parts';
import { REFUND_COLUMNS, refundFacts, type RefundRow } from '@/lib/refunds/read';
import type { CreateRefundRequest } from './schema';
import { sharesOf, type Share } from './shares';
import type { RefundFacts } from '@/lib/refunds/view';

/** Enough for people who share a bill. A session with more senders got dust or was paid by a crowd, and needs the claim link. */
const MAX_PAYERS = 20;

/**
 * Splits `request.amount` among the payers; each gets the token that they paid. The refunds are named by the request's refund_id and a
 * number, so that the same request finds them again. Throws INVALID_PARAMETER for a session with no recorded payers or too many,
 * REFUND_AMOUNT_EXCEEDED above what the payers have left, and the errors of creating a refund.
 */
export async function createSplit(
  context: Context,
  maker: RefundMaker,
  request: CreateRefundRequest,
): Promise<readonly RefundFacts[]> {
  return inTransaction(context, async (tx) => {
    const { id: sessionId } = await maker.lock(tx, request.session_id);
    if (sessionId === null) throw new ServiceError('SESSION_NOT_FOUND', { param: 'session_id' });
    const existing = await findSplit(tx, maker, request);
    if (existing.length > 0) return sameRequest(existing, request);
    const shares = await shareOut(tx, maker, request);
    const made: RefundFacts[] = [];
    for (const [index, { network, address, currency, cents }] of shares.entries()) {
      const part = { ...request, refund_id: partName(request, index), amount: Number(cents), currency };
      made.push(await createIn(context, tx, maker, { request: part, payer: { network, address } }));
    }
    return made;
  });
}

/** Throws REFUND_ID_CONFLICT when the refunds under this name have a different total. */
function sameRequest(existing: readonly RefundFacts[], request: CreateRefundRequest): readonly RefundFacts[] {
  const total = existing.reduce((sum, { amount }) => sum + amount, 0n);
  if (total === BigInt(request.amount)) return existing;
  throw new ServiceError('REFUND_ID_CONFLICT', { param: 'refund_id' });
}

const partName = ({ refund_id }: CreateRefundRequest, index: number): string => `${refund_id}-${index + 1}`;

async function shareOut(tx: Tx, maker: RefundMaker, request: CreateRefundRequest): Promise<readonly Share[]> {
  const { parts } = await readPayerParts(tx, { ...maker, sessionId: request.session_id });
  if (parts.length === 0 || parts.length > MAX_PAYERS) {
    const message = `Only a payment of one to ${MAX_PAYERS} payers can be paid back to each of them. Make a refund with a claim link.`;
    throw new ServiceError('INVALID_PARAMETER', { param: 'to', message });
  }
  const shares = sharesOf(BigInt(request.amount), parts);
  if (shares) return shares;
  const left = parts.reduce((total, part) => total + part.remaining, 0n);
  throw new ServiceError('REFUND_AMOUNT_EXCEEDED', {
    param: 'amount',
    message: `The payers have ${centsToText(left)} left to get back.`,
  });
}

/** The refunds that the same request made before. */
async function findSplit(
  tx: Tx,
  { storeId, environment }: RefundMaker,
  request: CreateRefundRequest,
): Promise<readonly RefundFacts[]> {
  const names = Array.from({ length: MAX_PAYERS }, (_, index) => partName(request, index));
  const { rows } = await tx.query<RefundRow>({
    name: 'refund-split-existing',
    text: `SELECT ${REFUND_COLUMNS} FROM refunds r
           WHERE r.store_id = $1 AND r.environment = $2::"Environment" AND r.session_id = $3 AND r.payer IS NOT NULL
             AND r.refund_id = ANY($4) ORDER BY array_position($4, r.refund_id)`,
    values: [storeId, environment, request.session_id, names],
  });
  return rows.map(refundFacts);
}
