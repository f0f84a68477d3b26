// Who may do what, as one table: the dashboard's routes, pages and buttons, and the test of every route for every role derive
// from it. Pure. A merchant has a role in each store that they are a member of; an operator is an operator of everything and a
// member of nothing.

import type { Scope } from '@/lib/merchants/api-keys/verify-key';
import type { Environment } from '@/lib/platform/ids';
import type { MemberRole } from '@/prisma/generated/enums';

export const MEMBER_ROLES: readonly MemberRole[] = ['owner', 'developer', 'support', 'viewer'];

const EVERYBODY: readonly MemberRole[] = MEMBER_ROLES;
const OWNER: readonly MemberRole[] = ['owner'];
const BUILDERS: readonly MemberRole[] = ['owner', 'developer'];
const SUPPORT: readonly MemberRole[] = ['owner', 'support'];
const NOBODY: readonly MemberRole[] = [];

/**
 * `members`: the roles in the store in question that may. `operator`: whether an operator may. `stepUp`: whether password and
 * second factor must have been shown again within the last minutes, because it touches keys, webhooks, limits or money.
 * `liveFactor`: whether a member needs a second factor on their account to do it live, because it moves money or changes who
 * can (live-factor.ts). Operators always need one.
 */
type Rule = {
  readonly members: readonly MemberRole[];
  readonly operator: boolean;
  readonly stepUp: boolean;
  readonly liveFactor: boolean;
};

const ruled =
  (stepUp: boolean, liveFactor: boolean) =>
  (members: readonly MemberRole[], operator: boolean): Rule => ({ members, operator, stepUp, liveFactor });
const looks = ruled(false, false);
const acts = ruled(true, false);
const guarded = ruled(true, true);

export const PERMISSIONS = {
  'store.read': looks(EVERYBODY, true),
  'store.change': guarded(OWNER, false),
  'first_steps.hide': looks(BUILDERS, false),
  'members.read': looks(EVERYBODY, true),
  'members.change': guarded(OWNER, false),
  'keys.read': looks(BUILDERS, true),
  'keys.change': guarded(BUILDERS, false),
  'webhook.read': looks([...BUILDERS, 'support'], true),
  'webhook.change': guarded(BUILDERS, false),
  /** Sends again what was sent, or a test event; changes nothing. */
  'webhook.resend': looks([...BUILDERS, 'support'], true),
  'payments.read': looks(EVERYBODY, true),
  'payments.export': looks(['owner', 'developer', 'support'], true),
  'cases.decide': guarded(SUPPORT, true),
  'refunds.read': looks(EVERYBODY, true),
  'refunds.make': guarded(SUPPORT, false),
  'refunds.cancel': guarded(SUPPORT, true),
  'balances.read': looks(EVERYBODY, true),
  'links.read': looks(EVERYBODY, true),
  'links.change': looks(BUILDERS, false),
  /** Asks customers for money, and takes none: whoever stands at the counter, but nobody who only looks. */
  'till.use': looks([...BUILDERS, 'support'], false),

  /** The operator's desk. */
  'stores.decide': acts(NOBODY, true),
  'stores.limits': acts(NOBODY, true),
  'refunds.approve': acts(NOBODY, true),
  'signing.freeze': looks(NOBODY, true),
  'signing.unfreeze': acts(NOBODY, true),
  /** Ends a difference between ledger and chain with a word for it, which the ledger then follows. */
  'differences.explain': acts(NOBODY, true),
  'health.read': looks(NOBODY, true),
  /** Writes the settings of an installation that is being set up. */
  'setup.change': acts(NOBODY, true),
  /** Says that somebody looks after it. It changes nothing else, and must be possible at night from a phone. */
  'alarms.acknowledge': looks(NOBODY, true),
  'users.read': looks(NOBODY, true),
  'users.change': acts(NOBODY, true),
  'audit.read': looks(NOBODY, true),
  'audit.export': acts(NOBODY, true),
  'jobs.read': looks(NOBODY, true),
  'jobs.retry': acts(NOBODY, true),
} as const satisfies Record<string, Rule>;

export type Permission = keyof typeof PERMISSIONS;

/** Somebody who is signed in, as far as permissions go: their role in the store in question, if they have one. */
export type Standing = { readonly isOperator: boolean; readonly storeRole: MemberRole | null };

/** Whether somebody of this standing may. Step-up is another question (`needsStepUp`). */
export function may({ isOperator, storeRole }: Standing, permission: Permission): boolean {
  const rule: Rule = PERMISSIONS[permission];
  return (isOperator && rule.operator) || (storeRole !== null && rule.members.includes(storeRole));
}

const SCOPES_GIVEN: Readonly<Record<MemberRole, readonly Scope[]>> = {
  owner: ['sessions:read', 'sessions:write', 'refunds:read', 'refunds:write'],
  // A developer may not make refunds, and a refund that is read holds the link by which its address is given.
  developer: ['sessions:read', 'sessions:write'],
  support: [],
  viewer: [],
};

/**
 * What somebody of this role may let an API key do: never more than they may do themselves, except in `test`, where a developer
 * tries everything out and no money is.
 */
export function scopesGivenBy(role: MemberRole | null, environment: Environment): readonly Scope[] {
  if (role === null) return [];
  return SCOPES_GIVEN[role === 'developer' && environment === 'test' ? 'owner' : role];
}

/** Whether password and second factor must have been shown again. */
export const needsStepUp = (permission: Permission): boolean => PERMISSIONS[permission].stepUp;

/** Whether a member needs a second factor on their account to do it live. */
export const needsLiveFactor = (permission: Permission): boolean => PERMISSIONS[permission].liveFactor;

/** Whether a member of this role may do anything that needs a second factor live. */
export const isGuardedRole = (role: MemberRole): boolean =>
  Object.values<Rule>(PERMISSIONS).some(({ members, liveFactor }) => liveFactor && members.includes(role));

/** Whether the permission is about one store, so that it cannot be asked for without one. */
export const isAboutStore = (permission: Permission): boolean => PERMISSIONS[permission].members.length > 0;
