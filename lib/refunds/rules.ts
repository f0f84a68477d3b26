// The rules of a refund request that concern its session and its store (spec: Refunds; decisions: Refunds). Pure: what is told
// apart here was read under the session row's lock.

import { unixSeconds } from '@/lib/clock';
import { sha256 } from '@/lib/crypto';
import { ServiceError } from '@/lib/errors';
import type { JsonObject } from '@/lib/json';
import { canonicalJson } from '@/lib/json-text';
import { centsToText } from '@/lib/money';
import type { SessionStatus } from '@/prisma/generated/enums';
import type { CreateRefundRequest } from './schema';

/** What decides about a refund of a session. Amounts in cents of the token that the customer paid. */
export type RefundedSession = {
  readonly status: SessionStatus;
  readonly amountDue: bigint;
  /** Of its refunds that have not failed or been canceled. */
  readonly amountRefunded: bigint;
  /** When it was paid; null while it has not ended. */
  readonly closedAt: Date | null;
  /** Where it was paid; null unless it was. */
  readonly network: string | null;
};

type Asked = {
  readonly amount: bigint;
  readonly currency: string;
  readonly now: Date;
  /** Days that a payment of this store can be refunded for. */
  readonly windowDays: number;
  /** Tokens that refunds on a network are paid out in. */
  readonly tokensOn: (network: string) => readonly string[];
};

const DAY_SECONDS = 86_400;

/**
 * Checks that the session can give this amount back now and answers on which network. Throws INVALID_SESSION_STATUS,
 * INVALID_CURRENCY, REFUND_TIME_EXPIRED or REFUND_AMOUNT_EXCEEDED.
 */
export function checkRefundable(session: RefundedSession, asked: Asked): string {
  const { network, closedAt } = session;
  if (session.status !== 'completed' || network === null || closedAt === null)
    throw new ServiceError('INVALID_SESSION_STATUS', { param: 'session_id' });
  checkToken(network, asked);
  // A payment is as old as whole seconds say; in its last second it can still be refunded.
  const age = unixSeconds(asked.now) - unixSeconds(closedAt);
  if (age > asked.windowDays * DAY_SECONDS) {
    throw new ServiceError('REFUND_TIME_EXPIRED', {
      param: 'session_id',
      message: `The session was paid more than ${asked.windowDays} days ago and can no longer be refunded.`,
    });
  }
  const left = session.amountDue - session.amountRefunded;
  if (asked.amount > left) {
    throw new ServiceError('REFUND_AMOUNT_EXCEEDED', {
      param: 'amount',
      message: `Of the session's ${centsToText(session.amountDue)} ${centsToText(left)} are left to be refunded.`,
    });
  }
  return network;
}

function checkToken(network: string, { currency, tokensOn }: Asked): void {
  const tokens = tokensOn(network);
  if (tokens.includes(currency)) return;
  const others = tokens.length === 0 ? '' : ` Refund it in ${tokens.join(' or ')}.`;
  throw new ServiceError('INVALID_CURRENCY', {
    param: 'currency',
    message: `The session was paid on ${network}, where ${currency} is not paid out.${others}`,
  });
}

/** What tells one request from another with the same refund_id; the order of keys and the case of the currency say nothing. */
export function requestHash(request: CreateRefundRequest): Buffer {
  const { session_id, amount, currency, reason, description, metadata } = request;
  return sha256(
    canonicalJson([
      session_id,
      amount,
      currency,
      reason ?? null,
      description ?? null,
      (metadata as JsonObject | undefined) ?? null,
    ]),
  );
}

/** Seconds until the next UTC day begins, when the daily limit counts from zero again. */
export const secondsToMidnight = (now: Date): number => DAY_SECONDS - (unixSeconds(now) % DAY_SECONDS);

/** The UTC day whose limit a refund counts for, as a date. */
export const refundDay = (now: Date): string => now.toISOString().slice(0, 10);
