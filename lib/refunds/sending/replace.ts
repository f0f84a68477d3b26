// Replaces a payment that no block includes by one with a higher fee (EVM). Both have the same nonce, so at most one of them can land. The
// sender decides the new fee and its cap.

import { SendRefused } from '@/lib/networks/sending/send';
import { AddressSourceError } from '@/lib/treasury/wallets/address-source';
import { isBehindAllowance } from './batch/allowance-rows';
import { replaceBatch } from './batch/replace-batch';
import type { Hold } from './lease';
import { requestSignature } from './draft/signature-request';
import type { HoldCode } from '@/lib/refunds/holds';
import { MAX_SIGNED } from './plan';
import type { SignedAttempt } from '@/lib/refunds/attempts';
import { orderFor, namedInLog, type Work } from './sending-context';

const OFFERS_EXHAUSTED: HoldCode = 'fee_too_high';
const OFFERS_EXHAUSTED_MESSAGE = `The payment was offered ${MAX_SIGNED} times, each time with a higher fee, and gets no higher offer. It is sent when the network’s fee has come down.`;

/**
 * Drafts a replacement of the newest of `live`, the signed variants of one payment, and requests its signature. `not_now`: an earlier
 * payment of the wallet has to land first, or another draft is open. A hold: the maximum number of replacements was signed. Throws SendHold
 * and ChainError.
 */
export async function replaceAttempt(
  work: Work,
  live: readonly SignedAttempt[],
): Promise<'requested' | 'not_now' | Hold> {
  const { sending, payment } = work;
  const { destination } = payment;
  const [newest] = live;
  if (newest?.validity.kind !== 'nonce' || !sending.signer || !destination) return 'not_now';
  const { validity, draft } = newest;
  if (draft.family !== 'evm' || !(await isLowestNonce(work, draft.from, validity.nonce))) return 'not_now';
  if (await isBehindAllowance(work, { wallet: draft.from, nonce: validity.nonce })) return 'not_now';
  if (live.length >= MAX_SIGNED) return offersExhausted(work);
  if (await isRequestPending(work)) return 'not_now';
  try {
    if (!(await work.rules.isProven(work))) return 'not_now';
    if (draft.item !== undefined) return await replaceBatch(work, newest);
    const replaces = draft;
    const next = await sending.sender.draft(orderFor(work, destination.address), draft.from, { replaces });
    const requested = await requestSignature(work, { draft: next, destination, isReplacement: true });
    return typeof requested === 'string' || 'code' in requested ? 'not_now' : 'requested';
  } catch (error) {
    // Even if the payment would be refused now, the existing attempt may still land. An unreachable signer signs no replacement.
    if (error instanceof SendRefused || error instanceof AddressSourceError) return 'not_now';
    throw error;
  }
}

/** Logs an error once, because this payment's nonce blocks all later payments of the wallet. */
function offersExhausted({ context, payment, sending }: Work): Hold {
  if (payment.hold !== OFFERS_EXHAUSTED) {
    context.log.error({ ...namedInLog(payment), network: sending.network }, OFFERS_EXHAUSTED_MESSAGE);
  }
  return { code: OFFERS_EXHAUSTED, message: OFFERS_EXHAUSTED_MESSAGE };
}

/** Whether a signature request is open, which is repeated unchanged, or the signer refused one so recently that it would refuse again. */
async function isRequestPending({ context, sending, payment }: Work): Promise<boolean> {
  const { rowCount } = await context.pool.query({
    name: 'refund-another-asked',
    text: `SELECT 1 FROM refund_attempts
           WHERE intent_id = $1 AND (status = 'drafted' OR (status = 'refused' AND ended_at > $2)) LIMIT 1`,
    values: [payment.id, new Date(context.clock.now().getTime() - sending.intervals.replaceAfter)],
  });
  return rowCount !== 0;
}

/**
 * A nonce can only be used after all lower ones of its wallet, so replacing a later nonce has no effect. A judged attempt and an attempt in a block do
 * not count as lower ones, because their nonces are used.
 */
export async function isLowestNonce(
  { context, chainId }: Pick<Work, 'context' | 'chainId'>,
  wallet: string,
  nonce: number,
): Promise<boolean> {
  const { rowCount } = await context.pool.query({
    name: 'refund-first-in-line',
    text: `SELECT intent_id FROM refund_attempts WHERE chain_id = $1 AND ended_at IS NULL AND judged IS NULL
             AND (validity->>'nonce')::bigint < $2 AND lower(draft->>'from') = lower($3) GROUP BY 1 HAVING bool_and(seen_at IS NULL) LIMIT 1`,
    values: [chainId, nonce, wallet],
  });
  return rowCount === 0;
}
