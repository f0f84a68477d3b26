// A payment exception as the API returns it. Amounts are cents of the token, rounded down.

import type { PaymentException } from '@/lib/payments/exceptions/read';
import { unixSeconds } from '@/lib/platform/clock';
import { networkSpec } from '@/lib/networks/networks';
import type { Config } from '@/lib/platform/config/config';
import { baseUnitsToCents } from '@/lib/money/amounts';
import { centsNumber, senderText } from '@/lib/payments/sessions/money';
import type { ExceptionKind } from '@/lib/payments/sessions/settle/exceptions';

/** The actor of the decision: a person of the store, an operator, an API key, or a rule of the service. */
export const DECIDERS = ['merchant', 'operator', 'key', 'rule'] as const;

/** The reason why a payment, or part of it, does not count. */
export const EXCEPTION_KINDS = [
  'early',
  'late',
  'wrong_network',
  'wrong_token',
  'over',
  'unfinished',
] as const satisfies readonly ExceptionKind[];

/** Optional fields without a value are omitted. */
export function exceptionView(found: PaymentException, config: Pick<Config, 'TEST_CHAINS'>): Record<string, unknown> {
  const cents = (units: bigint): number => centsNumber(baseUnitsToCents(units, found.decimals));
  return {
    id: found.id,
    session_id: found.sessionId,
    order_id: found.orderId,
    kind: found.kind,
    state: found.state,
    actions: found.actions,
    network: found.network,
    currency: found.currency,
    amount: cents(found.amount),
    payment_amount: cents(found.transferAmount),
    sender: senderText(networkSpec(found.environment, found.network, config.TEST_CHAINS), found.payer),
    transaction_hash: found.transactionHash,
    block_time: unixSeconds(found.blockTime),
    created_at: unixSeconds(found.openedAt),
    ...(found.decidedAt === null ? {} : { decided_at: unixSeconds(found.decidedAt) }),
    // Hides the user of `merchant:<user>`: the store's own audit log names them.
    ...(found.decidedBy === null ? {} : { decided_by: found.decidedBy.split(':')[0] }),
    ...(found.note === null ? {} : { note: found.note }),
  };
}
