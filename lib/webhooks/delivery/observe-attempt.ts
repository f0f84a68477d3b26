// What an attempt adds to the metrics: its duration by its outcome, and for the first delivery of a completed payment the time since the
// payment was credited.

import { instruments } from '@/lib/platform/metrics/instruments';
import { countObjective } from '@/lib/platform/metrics/objectives';
import type { LeasedDelivery } from './lease';
import { isSuccess, type Outcome } from './schedule';

/** The service objective of docs/operate/metrics.md; a bound of the histogram too. */
const IN_TIME_SECONDS = 10;

type Observed = Pick<LeasedDelivery, 'type' | 'lane' | 'environment' | 'recordedAt'>;

/** `now`: when the attempt ended. */
export function observeAttempt(
  { type, lane, environment, recordedAt }: Observed,
  outcome: Outcome,
  { milliseconds, now }: { readonly milliseconds: number; readonly now: Date },
): void {
  const { webhookSeconds, creditedToWebhookSeconds } = instruments();
  const isDelivered = isSuccess(outcome);
  webhookSeconds.observe({ outcome: isDelivered ? 'delivered' : outcome.kind }, milliseconds / 1000);
  // An event that a person sends again says nothing about the service.
  if (!isDelivered || lane === 'resent' || type !== 'payment.completed') return;
  const seconds = Math.max(0, now.getTime() - recordedAt.getTime()) / 1000;
  creditedToWebhookSeconds.observe({ environment }, seconds);
  countObjective('webhook', seconds <= IN_TIME_SECONDS);
}
