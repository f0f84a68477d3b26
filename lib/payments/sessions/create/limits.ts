// Enforces the limits that the operator sets for a store. They apply to cents of the token that the customer pays, whatever the
// currency of the request.

import { ServiceError } from '@/lib/platform/errors/errors';
import { centsToText } from '@/lib/money/amounts';
import type { CreateOutcome } from './statement';

const DAY_MILLISECONDS = 86_400_000;

/** Throws SESSION_LIMIT_EXCEEDED or DAILY_VOLUME_EXCEEDED when the statement created no session because of a limit. */
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
