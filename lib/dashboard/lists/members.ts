// The members of a store and its open invitations, for the members' page.

import type { Context } from '@/lib/platform/context';
import type { Environment } from '@/lib/platform/ids';
import type { MemberRole } from '@/prisma/generated/enums';

export type MemberView = {
  readonly userId: string;
  readonly name: string;
  readonly email: string;
  readonly role: MemberRole;
  readonly hasSecondFactor: boolean;
  readonly since: Date;
  /** Working API keys that they created; they know the secrets. */
  readonly keys: readonly MadeKey[];
};
export type MadeKey = { readonly id: number; readonly name: string; readonly environment: Environment };
export type InvitationView = { readonly email: string; readonly role: MemberRole; readonly expiresAt: Date };

/** More than a store has. Owners first, then by name. */
const MAX_MEMBERS = 500;

export async function readMembers(
  { pool, clock }: Pick<Context, 'pool' | 'clock'>,
  storeId: string,
): Promise<{ readonly members: readonly MemberView[]; readonly invitations: readonly InvitationView[] }> {
  const [members, invitations] = await Promise.all([
    pool.query<MemberView>({
      name: 'dashboard-members',
      text: `SELECT u.id AS "userId", u.name, u.email, m.role::text AS role, m.created_at AS since,
               u.totp_confirmed_at IS NOT NULL OR EXISTS (SELECT FROM passkeys p WHERE p.user_id = u.id) AS "hasSecondFactor",
               (SELECT coalesce(json_agg(json_build_object('id', k.id, 'name', k.name, 'environment', k.environment)
                        ORDER BY k.environment, k.name, k.id), '[]')
                FROM api_keys k WHERE k.store_id = m.store_id AND k.created_by = u.id AND k.revoked_at IS NULL
                  AND (k.expires_at IS NULL OR k.expires_at > $2)) AS keys
             FROM members m JOIN users u ON u.id = m.user_id WHERE m.store_id = $1
             ORDER BY m.role, lower(u.name), u.email LIMIT ${MAX_MEMBERS}`,
      values: [storeId, clock.now()],
    }),
    pool.query<InvitationView>({
      name: 'dashboard-invitations',
      text: `SELECT DISTINCT ON (email) email, role::text AS role, expires_at AS "expiresAt" FROM account_links
             WHERE store_id = $1 AND purpose = 'invite' AND email IS NOT NULL AND used_at IS NULL AND expires_at > $2
             ORDER BY email, expires_at DESC LIMIT ${MAX_MEMBERS}`,
      values: [storeId, clock.now()],
    }),
  ]);
  return { members: members.rows, invitations: invitations.rows };
}
