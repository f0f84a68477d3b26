// Who counts as a second operator. Two logins are two people only as far as somebody else made them operators.

import type { Tx } from '@/lib/db';
import { ServiceError } from '@/lib/errors';

/** How long somebody is an operator before they count as one of two. */
const YOUNG_MILLISECONDS = 86_400_000;

/**
 * Throws APPROVAL_BY_TWO unless both are operators who may sign in, for at least a day, so that whoever makes themselves a second
 * one is seen in the audit log first, and neither made the other one, until whoever runs the server has vouched
 * (lib/accounts/vouch-command). Those that the set-up link made were granted by nobody.
 */
export async function checkTwo(
  tx: Tx,
  { approver, asker, now }: { readonly approver: string; readonly asker: string; readonly now: Date },
): Promise<void> {
  const { rowCount } = await tx.query({
    name: 'two-operators',
    text: `SELECT 1 FROM users WHERE id IN ($1, $2) AND role = 'operator' AND disabled_at IS NULL
             AND (role_granted_at IS NULL OR role_granted_at <= $3)
             AND role_granted_by IS DISTINCT FROM (CASE WHEN id = $1 THEN $2 ELSE $1 END)::uuid`,
    values: [approver, asker, new Date(now.getTime() - YOUNG_MILLISECONDS)],
  });
  if (rowCount === 2) return;
  const message =
    'You and who asked have to be operators of at least a day, and neither may have made the other one. Ask another operator, or whoever runs the server to vouch for one of you.';
  throw new ServiceError('APPROVAL_BY_TWO', { message });
}
