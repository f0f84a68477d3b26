// Completes or fails a payment that was processed, in one transaction with its attempts and what follows from it by its rules: the ledger
// entries, the released reserve, and the event. A second caller is a no-op.

import type { BlockRef } from '@/lib/networks/chain';
import type { AttemptOutcome } from '@/lib/networks/sending/send';
import { crashpoint } from '@/lib/platform/crash-point';
import type { Tx } from '@/lib/platform/database/db';
import { newReceiptNumber } from '@/lib/platform/ids';
import { moveAttempts, movePayment } from '@/lib/refunds/states';
import { underLease } from './lease';
import type { Work } from './sending-context';

/** The payee has the money, and the transaction is final. */
export async function completePayment(
  work: Work,
  { hash, block, fee, rent }: Extract<AttemptOutcome, { kind: 'landed' }>,
): Promise<void> {
  const { context, payment, rules } = work;
  crashpoint('before-finish');
  await underLease(context.pool, payment, async (tx) => {
    const now = context.clock.now();
    await closeAttempts(tx, work, { hash, move: 'land', outcome: 'it is final', block, fee, rent, now });
    const receipt = payment.table === 'refunds' ? { receiptNumber: newReceiptNumber() } : {};
    const completedBy = { transactionHash: hash, ...receipt };
    await requireMoved(movePayment(tx, payment, 'complete', { at: now, completedBy }), work);
    await rules.complete(tx, work, { hash, fee, now });
  });
  crashpoint('after-finish');
}

/**
 * Fails a payment that did not pay. `reverted`: the hash of the final transaction that moved nothing; `fee`: what it cost. `abandoned`: the
 * attempts whose chain no longer exists. `isUnpayable`: every open attempt was judged unable to pay (ambiguous-attempt.ts). Without any of
 * these, nothing was ever signed or every attempt has lapsed. The reserve is released here, and the signer is notified later.
 */
export async function failPayment(
  work: Work,
  {
    reason,
    reverted,
    fee,
    abandoned,
    isUnpayable = false,
  }: {
    readonly reason: string;
    readonly reverted?: string;
    readonly fee?: bigint | undefined;
    readonly abandoned?: readonly string[];
    readonly isUnpayable?: boolean;
  },
): Promise<void> {
  const { context, payment, rules } = work;
  const { table, id } = payment;
  crashpoint('before-finish');
  await underLease(context.pool, payment, async (tx) => {
    const now = context.clock.now();
    if (reverted !== undefined)
      await closeAttempts(tx, work, { hash: reverted, move: 'revert', outcome: reason, fee, now });
    if (abandoned) await closeAbandoned(tx, abandoned, now);
    if (isUnpayable) await closeUnpayable(tx, work, now);
    await requireNoLiveAttempt(tx, work);
    await requireMoved(movePayment(tx, payment, 'fail', { at: now, failureReason: reason }), work);
    await rules.fail(tx, work, { reason, fee, now });
    await tx.query({
      name: `${table}-to-release`,
      text: `UPDATE ${table} SET next_at = $2,
               to_release = EXISTS (SELECT FROM refund_attempts WHERE intent_id = $1 AND hash IS NOT NULL) WHERE id = $1`,
      values: [id, now],
    });
  });
  crashpoint('after-finish');
}

type End = {
  readonly hash: string;
  readonly move: 'land' | 'revert';
  readonly outcome: string;
  readonly block?: BlockRef;
  readonly fee: bigint | undefined;
  /** Of an account that it opened. The payee may have closed it after the draft, which then names none. */
  readonly rent?: bigint | undefined;
  readonly now: Date;
};

/** One of the variants is final, so the others never will be. */
async function closeAttempts(
  tx: Tx,
  { payment }: Work,
  { hash, move, outcome, block, fee, rent, now }: End,
): Promise<void> {
  const final = await moveAttempts(tx, {
    name: `refund-attempt-${move}`,
    move,
    set: 'outcome = $3, block_number = $4, block_hash = $5, ended_at = $6, fee = $7, rent = coalesce($8, rent)',
    where: 'intent_id = $1 AND hash = $2',
    values: [
      payment.id,
      hash,
      outcome,
      block?.number ?? null,
      block?.hash ?? null,
      now,
      fee?.toString() ?? null,
      rent?.toString() ?? null,
    ],
  });
  if (final.length !== 1) throw new Error(`payment ${payment.id} has no open attempt with the hash that is final`);
  await moveAttempts(tx, {
    name: 'refund-attempts-replaced',
    move: { refuse: 'hash IS NULL', replace: 'hash IS NOT NULL' },
    set: `outcome = 'another transaction with its nonce is final', ended_at = $2`,
    where: 'intent_id = $1 AND ended_at IS NULL',
    values: [payment.id, now],
  });
}

async function closeAbandoned(tx: Tx, ids: readonly string[], now: Date): Promise<void> {
  await moveAttempts(tx, {
    name: 'refund-attempts-gone',
    move: { refuse: 'hash IS NULL', lapse: 'hash IS NOT NULL' },
    set: `outcome = 'its local chain was started afresh', ended_at = $2`,
    where: 'id = ANY($1) AND ended_at IS NULL',
    values: [ids, now],
  });
}

async function closeUnpayable(tx: Tx, { payment }: Work, now: Date): Promise<void> {
  await moveAttempts(tx, {
    name: 'refund-attempts-unpayable',
    move: { replace: `judged = 'nonce_taken'`, lapse: `judged = 'moved_otherwise'` },
    set: `ended_at = $2, outcome = CASE judged WHEN 'nonce_taken' THEN 'another transaction with its nonce is final'
            ELSE 'it is final and moved something else' END`,
    where: 'intent_id = $1 AND judged IS NOT NULL',
    values: [payment.id, now],
  });
}

/** A payment never fails while one of its attempts may still land. */
async function requireNoLiveAttempt(tx: Tx, { payment }: Work): Promise<void> {
  const { rowCount } = await tx.query({
    name: 'refund-need-dead',
    text: 'SELECT 1 FROM refund_attempts WHERE intent_id = $1 AND ended_at IS NULL LIMIT 1',
    values: [payment.id],
  });
  if (rowCount !== 0) throw new Error(`payment ${payment.id} cannot fail: an attempt of it may still land`);
}

async function requireMoved(moving: Promise<boolean>, { payment }: Work): Promise<void> {
  if (!(await moving)) throw new Error(`payment ${payment.id} was not processed any more`);
}
