// Notifies the signer of a failed payment for which it signed something, so that the amount no longer counts against its bound. Repeats
// until the signer has accepted the release.

import type { Context } from '@/lib/platform/context';
import { makeOutcome, type Outcome } from '@/lib/signer/attestations/refund-evidence';
import { Refusal } from '@/lib/signer/client';
import { eachAlone, endQuarantine, isDueAlone } from '@/lib/platform/database/quarantine';
import { AddressSourceError } from '@/lib/treasury/wallets/address-source';
import { lapsesAt } from './follow/facts';
import { KIND_OF, paymentSubject } from '@/lib/refunds/quarantined';
import { readAttempts, type Attempt, type SignedAttempt } from '@/lib/refunds/attempts';
import type { PaymentTable } from '@/lib/refunds/rows';
import type { SendingContext } from './sending-context';

const MAX_AT_ONCE = 20;

/** Notifies the signer of every due failed payment of this network. */
export async function releaseFailed(context: Context, sending: SendingContext, table: PaymentTable): Promise<void> {
  const { pool, clock } = context;
  if (!sending.signer) return;
  const { rows } = await pool.query<{ id: string }>({
    name: `${table}-due-release`,
    text: `SELECT id FROM ${table} r WHERE environment = $1::"Environment" AND network = $2 AND to_release AND next_at <= $3
             AND ${isDueAlone(KIND_OF[table], 'r.id', '$3')}
           ORDER BY next_at LIMIT ${MAX_AT_ONCE}`,
    values: [sending.environment, sending.network, clock.now()],
  });
  const { signer } = sending;
  const subjects = rows.map(({ id }) => paymentSubject({ ...sending, table }, id));
  const released = await eachAlone(context, `release ${table}`, subjects, async ({ id }) => {
    const isNotified = await notifySigner(context, sending, signer, id);
    await pool.query({
      name: `${table}-released`,
      text: `UPDATE ${table} SET to_release = NOT $2, next_at = $3 WHERE id = $1 AND to_release`,
      values: [id, isNotified, new Date(clock.now().getTime() + sending.intervals.leastHold * 2)],
    });
  });
  await endQuarantine(pool, { kind: KIND_OF[table], ids: released.map(({ id }) => id), now: clock.now() });
}

async function notifySigner(
  { pool, log }: Context,
  sending: SendingContext,
  { calls, evidenceKey }: NonNullable<SendingContext['signer']>,
  intentId: string,
): Promise<boolean> {
  const last = outcomeOf(await readAttempts(pool, intentId));
  if (!last) return true;
  const outcome = makeOutcome(evidenceKey, sending.environment, { intentId, network: sending.network, ...last });
  try {
    await calls.release(outcome);
    return true;
  } catch (error) {
    if (error instanceof AddressSourceError) return false;
    if (!(error instanceof Refusal)) throw error;
    // A signer with a new journal, as in a sandbox, has no amount to release.
    const isUnknown = error.code === 'evidence' && (await calls.attempts(intentId)).length === 0;
    log.warn({ intentId, code: error.code, isUnknown }, `the signer does not release a payment: ${error.message}`);
    return isUnknown;
  }
}

/** The outcome of its last signed attempt; of several with one nonce, the final one. */
function outcomeOf(attempts: readonly Attempt[]): Pick<Outcome, 'hash' | 'outcome' | 'finalized'> | null {
  const signed = attempts.filter((one): one is SignedAttempt => one.hash !== null);
  const reverted = signed.find(({ status }) => status === 'reverted');
  if (reverted) return { hash: reverted.hash, outcome: 'reverted', finalized: 0 };
  // A transaction that moved something else was not the payment, but coins left the wallet, so the signer keeps counting them.
  if (signed.some(({ judged }) => judged === 'moved_otherwise')) return null;
  const last = signed.at(-1);
  if (last?.judged === 'nonce_taken') return { hash: last.hash, outcome: 'reverted', finalized: 0 };
  const finalized = last ? lapsesAt(last.validity) : null;
  // A nonce lapses only when its chain is restarted, as in a sandbox. The signer accepts no attestation of that.
  return last && finalized !== null ? { hash: last.hash, outcome: 'lapsed', finalized } : null;
}
