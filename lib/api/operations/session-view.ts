// A session as reading and listing return it: the PaymentSession of the contract, with its money. Creating and cancelling respond
// without the money.

import type { Context } from '@/lib/platform/context';
import { refundableCents } from '@/lib/refunds/request/rules';
import { centsNumber, paymentViews } from '@/lib/payments/sessions/money';
import type { ReadSession } from '@/lib/payments/sessions/read';
import { sessionView } from '@/lib/payments/sessions/view';

export function readSessionView(
  session: ReadSession,
  { config, clock }: Pick<Context, 'config' | 'clock'>,
): Record<string, unknown> {
  const refundable = refundableCents(session, { now: clock.now(), windowDays: session.refundWindowDays });
  return {
    ...sessionView(session, config.PUBLIC_URL),
    amount_received: centsNumber(session.amountReceived),
    amount_refundable: centsNumber(refundable),
    refunded_amount: centsNumber(session.amountRefunded),
    payments: paymentViews(session, config),
  };
}
