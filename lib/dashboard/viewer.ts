// What the frame of the dashboard shows of the signed-in user: their name and their stores. It does not authorize; pages call
// requirePage.

import type { Who } from '@/lib/merchants/accounts/sign-in/logins';
import type { Context } from '@/lib/platform/context';
import { hasNoFactor, isLivePlace } from '@/lib/merchants/members/live-factor';
import { isGuardedRole } from '@/lib/merchants/members/roles';
import { IS_LIVE } from '@/lib/merchants/stores/store-status';
import { hasLiveNetwork } from '@/lib/platform/config/unsafe-settings';
import type { MemberRole, StoreStatus } from '@/prisma/generated/enums';

export type ViewerFacts = {
  readonly name: string;
  readonly email: string;
  readonly isOperator: boolean;
  readonly hasTotp: boolean;
  readonly hasPasskeys: boolean;
  readonly stores: readonly {
    readonly id: string;
    readonly name: string;
    readonly status: StoreStatus;
    readonly role: MemberRole;
    readonly takesLive: boolean;
    /** Changes in the live environment are refused until the account has a second factor. */
    readonly needsFactorLive: boolean;
    /** The same for changes to the whole store: settings, branding and members. */
    readonly needsFactorForStore: boolean;
  }[];
};
type Row = Pick<ViewerFacts['stores'][number], 'id' | 'name' | 'status' | 'role'> & { readonly isLive: boolean };

/** Whether the store may accept live money, on an installation with a live network. */
export const takesLive = (config: Pick<Context['config'], 'endpoints'>, { status }: { readonly status: StoreStatus }) =>
  status === 'approved' && hasLiveNetwork(config);

/** More stores than a switcher can show. The list of stores pages through all. */
const MAX_STORES = 200;

/** Null for a user who is not completely signed in. */
export async function readViewer(
  { pool, config }: Pick<Context, 'pool' | 'config'>,
  who: Who | null,
): Promise<ViewerFacts | null> {
  if (!who?.isComplete) return null;
  const { rows } = await pool.query<Row>({
    name: 'viewer-stores',
    text: `SELECT s.id, s.name, s.status::text AS status, m.role::text AS role, ${IS_LIVE} AS "isLive"
           FROM members m JOIN stores s ON s.id = m.store_id
           WHERE m.user_id = $1 ORDER BY lower(s.name), s.id LIMIT ${MAX_STORES}`,
    values: [who.userId],
  });
  const { name, email, role, hasTotp, hasPasskeys } = who;
  const stores = rows.map(({ isLive, ...store }) => {
    const needsFactor = (environment: 'live' | null) =>
      isGuardedRole(store.role) && hasNoFactor(who) && isLivePlace(config, { environment, isStoreLive: isLive });
    return {
      ...store,
      takesLive: takesLive(config, store),
      needsFactorLive: needsFactor('live'),
      needsFactorForStore: needsFactor(null),
    };
  });
  return { name, email, isOperator: role === 'operator', hasTotp, hasPasskeys, stores };
}
