// The limits that the operator has set for a store, as its requests meet them (issue: per-store limits). What is compared are
// cents of the token that the customer pays, whatever currency was asked for.

import { ServiceError } from '@/lib/platform/errors/errors';
import { centsToText } from '@/lib/money/amounts';
import type { CreateOutcome } from './statement';

const DAY_MILLISECONDS = 86_400_000;

/** Throws SESSION_LIMIT_EXCEEDED or DAILY_VOLUME_EXCEEDED when the statement made no session because of a limit. */
export function checkLimits(
  {
    above_session_limit: ofSession,
    above_day_limit: ofDay,
  }: Pick<CreateOutcome, 'above_session_limit' | 'above_day_limit'>,
  now: Date,
): void {
  if (ofSession !== null) {
    throw new ServiceError('SESSION_LIMIT_EXCEEDED', {
      param: 'amount_total',
      message: `A session of this store may ask for at most ${centsToText(BigInt(ofSession))}.`,
    });
  }
  if (ofDay !== null) {
    throw new ServiceError('DAILY_VOLUME_EXCEEDED', {
      retryAfter: Math.ceil((DAY_MILLISECONDS - (now.getTime() % DAY_MILLISECONDS)) / 1000),
      message: `With this session the paid and pending ones of this UTC day would come to more than the store's ${centsToText(BigInt(ofDay))}. Try again when some have expired, or after midnight UTC.`,
    });
  }
}
