// Whether the screening of addresses holds a payment back: its payee, and everyone who paid the session of a refund. A merchant reads a
// neutral sentence, because they must not learn from us that somebody is on a list.

import { paymentVerdict, requestOf, type ScreenedPayment } from '@/lib/screening/payment';
import type { Db } from '@/lib/platform/database/db';
import type { Destination } from '@/lib/refunds/rows';
import type { Hold } from '@/lib/refunds/sending/lease';
import { holdOf, orderFor, type Work } from '@/lib/refunds/sending/sending-context';

/** Reads the stored answers. `db`: a transaction, right before the signature is requested. */
export async function screeningHold(db: Db, work: Work, destination: Destination): Promise<Hold | null> {
  const { config, clock } = work.context;
  const verdict = await paymentVerdict(db, config, { ...screened(work, destination), now: clock.now() });
  if (verdict === 'clear') return null;
  return holdOf(verdict === 'hit' ? 'screened' : 'screening_unknown');
}

/** Requests the answers that are missing or old. */
export async function requestAnswers(work: Work, destination: Destination): Promise<void> {
  const { pool, config, clock } = work.context;
  await requestOf(pool, config, { ...screened(work, destination), now: clock.now() });
}

const screened = (work: Work, { address }: Destination): ScreenedPayment => ({
  environment: work.payment.environment,
  network: work.payment.network,
  payee: orderFor(work, address).to,
  sessionId: 'sessionId' in work.payment ? work.payment.sessionId : null,
});
