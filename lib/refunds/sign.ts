// Has a draft signed and stores what was signed before anybody else may see it. The same draft is asked for until it is known
// whether it was signed; only the signer's own list of what it made is proof that it was not.

import { crashpoint } from '@/lib/crash-point';
import { Refusal, type RefusalCode, type Signed } from '@/lib/signer/client';
import { keepRefund, whileMine } from './claim';
import type { HoldCode } from './holds';
import type { UnsignedAttempt } from './rows';
import { holdBack, holdOf, restFor, type Line, type Work } from './send-line';
import { adoptUnknown, refuseAttempt, storeSigned } from './sign-adopt';
import { orSignerHold, signerOrder } from './sign-call';

/** The signer has it from elsewhere that another was signed meanwhile: drafted again at once. */
const NONCE_MILLISECONDS = 100;

/** What a refusal shows. `nonce` shows nothing: the next draft has the right one. */
const HOLDS: Readonly<Record<RefusalCode, HoldCode | null>> = {
  frozen: 'frozen',
  limit: 'limit',
  evidence: 'evidence',
  not_allowed: 'not_allowed',
  draft: 'not_allowed',
  conflict: 'not_allowed',
  released: 'not_allowed',
  nonce: null,
  used: 'not_allowed',
};

/**
 * Asks the signer for an attempt. `isFirst`: this very worker has just claimed the refund's first signature, so nobody else
 * can have asked for it. True when it is known by now what became of it and the refund goes on; false when it rests.
 */
export async function signAttempt(work: Work, attempt: UnsignedAttempt, isFirst: boolean): Promise<boolean> {
  const { line, refund, context } = work;
  const { signer } = line;
  if (!signer || !refund.destination) {
    await holdBack(work, holdOf('signer_unavailable'));
    return false;
  }
  const order = await signerOrder(work, refund.destination, signer.evidenceKey);
  if (!(await keepRefund(context, refund, line.pace.lease))) return false;
  const asked = await orSignerHold(work, () => sign(signer, { order, draft: attempt.draft, lapsed: attempt.lapsed }));
  if (!asked) return false;
  if (asked instanceof Refusal) return refused(work, attempt, { refusal: asked, isFirst });
  crashpoint('after-signed');
  const isStored = await whileMine(context.pool, refund, (tx) =>
    storeSigned(tx, attempt.id, asked, context.clock.now()),
  );
  crashpoint('after-stored');
  return isStored !== null;
}

type Asked = Parameters<NonNullable<Line['signer']>['calls']['sign']>[0];

async function sign(
  { calls }: NonNullable<Line['signer']>,
  { order, draft, lapsed }: Pick<Asked, 'order' | 'draft'> & { lapsed: Asked['lapsed'] | null },
): Promise<Signed | Refusal> {
  try {
    return await calls.sign({ order, draft, ...(lapsed ? { lapsed } : {}) });
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
}

async function refused(
  work: Work,
  attempt: UnsignedAttempt,
  { refusal, isFirst }: { refusal: Refusal; isFirst: boolean },
): Promise<boolean> {
  const { context, refund, line } = work;
  const about = { refundId: refund.id, attempt: attempt.number, network: line.network, code: refusal.code };
  context.log.warn(about, `the signer refused a payment: ${refusal.message}`);
  const known = await orSignerHold(work, () => adoptUnknown(work, attempt));
  if (known === null || known === 'held') return false;
  if (known === 'adopted') return true;
  await whileMine(context.pool, refund, (tx) =>
    refuseAttempt(tx, { attempt, isFirst, now: context.clock.now(), outcome: `${refusal.code}: ${refusal.message}` }),
  );
  // An old draft that nobody answered about ages out; a new one is no different otherwise.
  const isOld = context.clock.now().getTime() - attempt.draftedAt.getTime() >= line.pace.lease;
  const hold = refusal.code === 'draft' && isOld ? null : HOLDS[refusal.code];
  await (hold === null ? restFor(work, NONCE_MILLISECONDS) : holdBack(work, holdOf(hold)));
  return false;
}
