// Releases a hit, which takes two operators: one requests it with a reason, another approves, either declines. The money that the hit
// froze goes on by itself: payments at their next check, deposit addresses with the next sweep. Every decision is audited.

import { recordAudit } from '@/lib/merchants/audit/record';
import type { Context } from '@/lib/platform/context';
import { sameBytes } from '@/lib/platform/crypto';
import { transaction, type Tx } from '@/lib/platform/database/db';
import { ServiceError } from '@/lib/platform/errors/errors';
import { AUDITED_MOVE, storeDecision, type Decision } from '@/lib/refunds/approval/agreement';
import { numberIn } from '@/lib/dashboard/operator/jobs';
import { hitDigest, RELEASE } from './digest';

export type ReleaseDecision = Omit<Decision, 'refund' | 'passkey'> & { readonly screening: string };

/**
 * Throws NOT_FOUND when there is no such hit, APPROVAL_CHANGED when it differs from what the operator was shown or was decided meanwhile,
 * APPROVAL_BY_TWO when the two operators are not independent, and INVALID_PARAMETER without a note.
 */
export async function decideRelease(
  { pool, clock, config }: Pick<Context, 'pool' | 'clock' | 'config'>,
  { screening, ...decision }: ReleaseDecision,
): Promise<void> {
  const { move, userId, note, address } = decision;
  if (move !== 'decline' && note === null)
    throw new ServiceError('INVALID_PARAMETER', { param: 'note', message: 'note must say why the money may move.' });
  const id = numberIn(screening);
  const now = clock.now();
  await transaction(pool, async (tx) => {
    const hit = await lockHit(tx, id);
    const digest = hitDigest(hit);
    if (!sameBytes(digest, Buffer.from(decision.digest, 'hex'))) throw new ServiceError('APPROVAL_CHANGED');
    const { role, network, environment, source, entity, address: screened } = hit;
    const details = { role, network, environment, address: screened, source, entity };
    if (move === 'request') await voidOthers(tx, id, digest, now);
    await storeDecision(
      tx,
      { kind: RELEASE, digest, details, storeId: null },
      { ...decision, refund: id },
      { config, now },
    );
    if (move === 'approve') await release(tx, id, userId, now);
    await recordAudit(tx, {
      actor: `user:${userId}`,
      storeId: null,
      action: `screening.release_${AUDITED_MOVE[move]}`,
      target: `${network} ${screened}`,
      details: { note, role, environment, source, entity },
      address,
      now,
    });
  });
}

type Hit = {
  id: string;
  role: string;
  environment: string;
  network: string;
  address: string;
  source: string;
  entity: string;
  foundAt: Date;
};

async function lockHit(tx: Tx, id: string): Promise<Hit> {
  const { rows } = await tx.query<Hit>({
    name: 'screening-hit-lock',
    text: `SELECT id::text AS id, role, environment::text AS environment, network, address, coalesce(source, '') AS source, coalesce(entity, '') AS entity, coalesce(checked_at, requested_at) AS "foundAt"
           FROM screenings WHERE id = $1 AND verdict = 'hit' AND released_at IS NULL FOR UPDATE`,
    values: [id],
  });
  const [hit] = rows;
  if (!hit) throw new ServiceError('NOT_FOUND');
  return hit;
}

/** Requests about what the sources reported before. */
const voidOthers = (tx: Tx, id: string, digest: Buffer, now: Date): Promise<unknown> =>
  tx.query({
    name: 'screening-release-void',
    text: `UPDATE approvals SET decided_at = $4, is_approved = false, note = 'void'
           WHERE kind = $1 AND target = $2 AND digest <> $3 AND decided_at IS NULL`,
    values: [RELEASE, id, digest, now],
  });

const release = (tx: Tx, id: string, userId: string, now: Date): Promise<unknown> =>
  tx.query({
    name: 'screening-release',
    text: 'UPDATE screenings SET released_at = $2, released_by = $3 WHERE id = $1',
    values: [id, now, userId],
  });
