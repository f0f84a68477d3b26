// Reserves a refund that was created while its store's balance was too small for it, as soon as the balance suffices. Until then
// nothing is reserved for it, and nothing of it is converted, drafted or signed.

import type { Tx } from '@/lib/db';
import { readSessionFunds, reserveOrShortfall } from '@/lib/ledger/post-refund';
import type { AssetAmount } from '@/lib/ledger/postings';
import { planRefund } from '@/lib/ledger/sources';
import { centsToText, COMMON_DECIMALS, divideUp, toCommon } from '@/lib/money';
import { whileMine, type Hold } from './claim';
import { holdOf, type Work } from './send-line';
import { decimalsIn } from './tokens';

/** What is reserved now, or why it cannot be yet. */
export async function reserveLate(work: Work): Promise<readonly AssetAmount[] | Hold> {
  const done = await whileMine(work.context.pool, work.refund, (tx) => reserveIn(tx, work));
  return done ?? holdOf('insufficient_balance');
}

async function reserveIn(tx: Tx, { context, refund }: Work): Promise<readonly AssetAmount[] | Hold> {
  const { id: intentId, storeId, environment, sessionId, network, currency, amount: cents } = refund;
  const decimalsOf = decimalsIn(context.config, environment);
  // Refunds of one session take turns by its row, as when they are created.
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
