// Which two operators may approve together. Two logins count as two people only if no single person could have granted both roles.

import type { Tx } from '@/lib/platform/database/db';
import { ServiceError } from '@/lib/platform/errors/errors';

/** How old an operator's role must be before it counts as one of two: an unexpected grant is noticed within that time. */
const LEAST_ROLE_AGE_MILLISECONDS = 86_400_000;

/**
 * Throws APPROVAL_BY_TWO unless both have been active operators for at least a day, neither is a member of the store that is paid or
 * refunds, and their chains of grantors share no one. No
 * operator, these two included, may have granted both roles, directly or through others. A chain ends at the set-up link, or where
 * the server's administrator attested an operator (lib/merchants/accounts/attest-operator-command).
 */
export async function checkTwo(
  tx: Tx,
  {
    approver,
    requester,
    storeId,
    now,
  }: { readonly approver: string; readonly requester: string; readonly storeId: string | null; readonly now: Date },
): Promise<void> {
  const { rowCount } = await tx.query({
    name: 'two-operators',
    // UNION drops rows it has already found, so the recursion ends when two operators granted each other's roles.
    text: `WITH RECURSIVE grantors (origin, id) AS (
             SELECT id, id FROM users WHERE id IN ($1, $2)
             UNION
             SELECT g.origin, u.role_granted_by FROM grantors g JOIN users u ON u.id = g.id
             WHERE u.role_granted_by IS NOT NULL)
           SELECT 1 FROM users WHERE id IN ($1, $2) AND role = 'operator' AND disabled_at IS NULL
             AND (role_granted_at IS NULL OR role_granted_at <= $3)
             AND NOT EXISTS (SELECT FROM members m WHERE m.user_id IN ($1, $2) AND m.store_id = $4)
             AND NOT EXISTS (SELECT FROM grantors one JOIN grantors other USING (id) WHERE one.origin <> other.origin)`,
    values: [approver, requester, new Date(now.getTime() - LEAST_ROLE_AGE_MILLISECONDS), storeId],
  });
  if (rowCount === 2) return;
  const message =
    'Both of you have to be operators for at least a day, neither may be a member of the store, and no operator may have granted both roles, directly or through others. Ask another operator, or ask the administrator of the server to attest one of you (npm run attest-operator).';
  throw new ServiceError('APPROVAL_BY_TWO', { message });
}
