// The rules of a refund request that concern its session and its store. Pure: the caller reads what is compared here under the lock of the
// session's row.

import { unixSeconds } from '@/lib/platform/clock';
import { sha256 } from '@/lib/platform/crypto';
import { ServiceError } from '@/lib/platform/errors/errors';
import type { JsonObject } from '@/lib/platform/json/json';
import type { AssetAmount } from '@/lib/ledger/postings';
import { canonicalJson } from '@/lib/platform/json/json-text';
import { centsToText } from '@/lib/money/amounts';
import type { SessionStatus } from '@/prisma/generated/enums';
import type { CreateRefundRequest } from './schema';

/** The facts that decide about a refund of a session. Amounts are in cents of the token that the customer paid. */
export type RefundedSession = {
  readonly status: SessionStatus;
  readonly amountDue: bigint;
  /** The sum of its refunds that have not failed or been canceled. */
  readonly amountRefunded: bigint;
  /** When it was paid; null while it has not ended. */
  readonly closedAt: Date | null;
};

type Requested = {
  readonly amount: bigint;
  readonly now: Date;
  /** For how many days a payment of this store can be refunded. */
  readonly windowDays: number;
};

const DAY_SECONDS = 86_400;

/** When the session was paid. Throws INVALID_SESSION_STATUS for one that was not. */
export function checkPaid({ status, closedAt }: RefundedSession): Date {
  if (status === 'completed' && closedAt !== null) return closedAt;
  throw new ServiceError('INVALID_SESSION_STATUS', { param: 'session_id' });
}

/** Cents of the session's price that its refunds have not used up. */
const unrefunded = ({ amountDue, amountRefunded }: RefundedSession): bigint => amountDue - amountRefunded;

/** Whether the store's refund window for the payment has passed. The last second of the window still counts. */
const isTooOld = (closedAt: Date, { now, windowDays }: Pick<Requested, 'now' | 'windowDays'>): boolean =>
  unixSeconds(now) - unixSeconds(closedAt) > windowDays * DAY_SECONDS;

/** The largest amount that `checkRefundable` accepts now; zero for a session that was not paid. */
export function refundableCents(session: RefundedSession, at: Pick<Requested, 'now' | 'windowDays'>): bigint {
  const { status, closedAt } = session;
  return status !== 'completed' || closedAt === null || isTooOld(closedAt, at) ? 0n : unrefunded(session);
}

/** Checks that the session can refund this amount now. Throws REFUND_TIME_EXPIRED or REFUND_AMOUNT_EXCEEDED. */
export function checkRefundable(session: RefundedSession, requested: Requested): void {
  if (isTooOld(checkPaid(session), requested)) {
    throw new ServiceError('REFUND_TIME_EXPIRED', {
      param: 'session_id',
      message: `The session was paid more than ${requested.windowDays} days ago and can no longer be refunded.`,
    });
  }
  const left = unrefunded(session);
  if (requested.amount > left) {
    throw new ServiceError('REFUND_AMOUNT_EXCEEDED', {
      param: 'amount',
      message: `Of the session's ${centsToText(session.amountDue)} ${centsToText(left)} are left to be refunded.`,
    });
  }
}

/** The facts that decide where a refund can be paid. */
type Payable = {
  readonly currency: string;
  /** Where the session was completed. */
  readonly network: string;
  readonly funds: readonly AssetAmount[];
  /** The tokens in which refunds on a network are paid out, regardless of what arrived. */
  readonly tokensOn: (network: string) => readonly string[];
};

/**
 * The networks on which a refund can be paid in the currency: those on which the session was paid, the one that completed it first. The
 * received token can always be refunded. Throws INVALID_CURRENCY if there is none.
 */
export function payableNetworks({ currency, network, funds, tokensOn }: Payable): readonly string[] {
  const networks = [...new Set([network, ...funds.map((one) => one.network)])];
  const tokens = (on: string): readonly string[] => [
    ...new Set([...tokensOn(on), ...funds.filter((one) => one.network === on).map((one) => one.currency)]),
  ];
  const payable = networks.filter((on) => tokens(on).includes(currency));
  if (payable.length > 0) return payable;
  const others = tokens(network).length === 0 ? '' : ` Refund it in ${tokens(network).join(' or ')}.`;
  throw new ServiceError('INVALID_CURRENCY', {
    param: 'currency',
    message: `The session was paid on ${network}, where ${currency} is not paid out.${others}`,
  });
}

/** Distinguishes requests with the same refund_id. The order of keys and the case of the currency do not matter. */
export function requestHash(
  request: CreateRefundRequest,
  payer?: { readonly network: string; readonly address: string },
): Buffer {
  const { session_id, amount, currency, reason, description, metadata } = request;
  return sha256(
    canonicalJson([
      session_id,
      amount,
      currency,
      reason ?? null,
      description ?? null,
      (metadata as JsonObject | undefined) ?? null,
      ...(payer ? [payer.network, payer.address] : []),
    ]),
  );
}

/** Seconds until the next UTC day begins, when the daily limit counts from zero again. */
export const secondsToMidnight = (now: Date): number => DAY_SECONDS - (unixSeconds(now) % DAY_SECONDS);

/** The UTC day whose limit a refund counts for, as a date. */
export const refundDay = (now: Date): string => now.toISOString().slice(0, 10);
