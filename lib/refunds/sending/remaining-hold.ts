// Whether a refund on hold still has to wait, judged by the database alone. Many refunds can wait for the same tokens for days, and each
// draft costs several node requests. So the worker calls a node only when the stored facts allow a new draft.

import type { Hold } from './lease';
import { conversionHold } from '@/lib/refunds/request/convert';
import { remainingBalanceHold } from '@/lib/refunds/request/reserve-late';
import { holdOf, orderFor, type RefundWork, type Work } from './sending-context';

/** Three readings of the wallet, which is read every five minutes (lib/ledger/reconciliation/step). After that the balance is requested anew. */
const READING_LASTS_MILLISECONDS = 900_000;

/** The hold that remains; null when the refund should be drafted again. */
export async function remainingHold(work: RefundWork): Promise<Hold | null> {
  switch (work.payment.hold) {
    case 'insufficient_balance':
      return remainingBalanceHold(work);
    case 'no_float':
    case 'peg_unknown':
    case 'peg_broken':
    case 'not_offered':
      return conversionHold(work);
    case 'no_tokens':
      return (await lacksTokens(work)) ? holdOf('no_tokens') : null;
    default:
      return null;
  }
}

/** Whether the last reading of the wallet says that it has too little of the payment's token. */
export async function lacksTokens(work: Work): Promise<boolean> {
  const { context, chainId, payment } = work;
  const { rows } = await context.pool.query<{ amount: string }>({
    name: 'wallet-balance-stored',
    text: `SELECT amount FROM wallet_balances WHERE chain_id = $1 AND asset = $2 AND read_at > $3 ORDER BY read_at DESC LIMIT 1`,
    values: [chainId, payment.currency, new Date(context.clock.now().getTime() - READING_LASTS_MILLISECONDS)],
  });
  const [reading] = rows;
  return reading !== undefined && BigInt(reading.amount) < orderFor(work, '').amount;
}
