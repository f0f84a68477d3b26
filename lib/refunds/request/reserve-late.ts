// Reserves a refund that was created while its store's balance was too small, as soon as the balance suffices. Until then nothing is
// reserved for it, and it is not converted, drafted or signed.

import type { Tx } from '@/lib/platform/database/db';
import { readReservation, readSessionFunds, reserveOrShortfall } from '@/lib/ledger/post-refund';
import type { AssetAmount } from '@/lib/ledger/postings';
import { planRefund } from '@/lib/ledger/sources';
import { centsToText, COMMON_DECIMALS, divideUp, toCommon } from '@/lib/money/amounts';
import { underLease, type Hold } from '@/lib/refunds/sending/lease';
import { remainingCostHold } from './costs';
import { holdOf, type RefundWork } from '@/lib/refunds/sending/sending-context';
import { decimalsIn } from './tokens';

/**
 * The minimum time until a new quote after one that the balance did not cover. It grows while the refund waits. A new quote can be lower,
 * because fees fall too.
 */
const LEAST_REQUOTE_MILLISECONDS = 3_600_000;

/**
 * The hold of a refund that still waits for its store's balance; null when it should be drafted again. Reads only the ledger, so that a
 * store with many such refunds costs no endpoint requests.
 */
export async function remainingBalanceHold(work: RefundWork): Promise<Hold | null> {
  const { context, payment: refund } = work;
  if (refund.hold !== 'insufficient_balance') return null;
  const { amounts } = await readReservation(context.pool, { intentId: refund.id, storeId: refund.storeId });
  const reserved = amounts.length === 0 && refund.caseId === null ? await reserveLate(work) : amounts;
  if ('code' in reserved) return reserved;
  if (refund.costShort === null) return null;
  const { at } = refund.costShort;
  const waited = context.clock.now().getTime() - at.getTime();
  const waitedBefore = at.getTime() - (refund.heldAt ?? at).getTime();
  if (waited >= Math.max(LEAST_REQUOTE_MILLISECONDS, waitedBefore)) return null;
  return remainingCostHold(work);
}

/** What is reserved now, or why nothing can be reserved yet. */
export async function reserveLate(work: RefundWork): Promise<readonly AssetAmount[] | Hold> {
  const done = await underLease(work.context.pool, work.payment, (tx) => reserveIn(tx, work));
  return done ?? holdOf('insufficient_balance');
}

async function reserveIn(tx: Tx, { context, payment: refund }: RefundWork): Promise<readonly AssetAmount[] | Hold> {
  const { id: intentId, storeId, environment, sessionId, network, currency, amount: cents } = refund;
  const decimalsOf = decimalsIn(context.config, environment);
  // The lock of the session's row orders its refunds, as when they are created.
  await tx.query('SELECT FROM sessions WHERE id = $1 FOR UPDATE', [sessionId]);
  const funds = await readSessionFunds(tx, { sessionId, storeId });
  const plan = planRefund(funds, { cents, currency, networks: [network] }, decimalsOf);
  if (!plan) return holdOf('insufficient_balance');
  const lacking = await reserveOrShortfall(tx, { intentId, storeId, environment, sessionId }, plan.takes);
  if (lacking.length === 0) return plan.takes;
  const total = lacking.reduce((sum, one) => sum + toCommon(one.amount, decimalsOf(one)), 0n);
  const missing = centsToText(divideUp(total, 10n ** BigInt(COMMON_DECIMALS - 2)));
  const message = `The store’s balance is ${missing} ${currency} too small for this refund. The refund is sent when payments have raised the balance.`;
  return { ...holdOf('insufficient_balance'), message };
}
