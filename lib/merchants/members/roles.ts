// Permissions in one table. The dashboard's routes, pages and buttons derive from it, and so does the test of every route for
// every role. Pure. A merchant has a role in each store that they are a member of. An operator has rights in every store and is
// a member of none.

import type { Scope } from '@/lib/merchants/api-keys/verify-key';
import type { Environment } from '@/lib/platform/ids';
import type { MemberRole } from '@/prisma/generated/enums';

export const MEMBER_ROLES: readonly MemberRole[] = ['owner', 'developer', 'support', 'viewer'];

const EVERY_ROLE: readonly MemberRole[] = MEMBER_ROLES;
const OWNER: readonly MemberRole[] = ['owner'];
const BUILDERS: readonly MemberRole[] = ['owner', 'developer'];
const SUPPORT: readonly MemberRole[] = ['owner', 'support'];
const NO_ROLE: readonly MemberRole[] = [];

/**
 * `members`: the store roles that have the permission. `operator`: whether an operator has it. `stepUp`: requires password and
 * second factor again within the last minutes, because it affects keys, webhooks, limits or money. `liveFactor`: a member needs
 * a second factor to do it live, because it moves money or changes who can (live-factor.ts). Operators always need one.
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
const plain = ruled(false, false);
const steppedUp = ruled(true, false);
const guarded = ruled(true, true);

export const PERMISSIONS = {
  'store.read': plain(EVERY_ROLE, true),
  'store.change': guarded(OWNER, false),
  'first_steps.hide': plain(BUILDERS, false),
  'members.read': plain(EVERY_ROLE, true),
  'members.change': guarded(OWNER, false),
  'keys.read': plain(BUILDERS, true),
  'keys.change': guarded(BUILDERS, false),
  'webhook.read': plain([...BUILDERS, 'support'], true),
  'webhook.change': guarded(BUILDERS, false),
  /** Resends a delivery or sends a test event; changes nothing. */
  'webhook.resend': plain([...BUILDERS, 'support'], true),
  'payments.read': plain(EVERY_ROLE, true),
  'payments.export': plain(['owner', 'developer', 'support'], true),
  'cases.decide': guarded(SUPPORT, true),
  'refunds.read': plain(EVERY_ROLE, true),
  'refunds.make': guarded(SUPPORT, false),
  'refunds.cancel': guarded(SUPPORT, true),
  'balances.read': plain(EVERY_ROLE, true),
  'payouts.read': plain(EVERY_ROLE, true),
  /** Decides where a store's balance is paid out to. */
  'payouts.manage': guarded(OWNER, false),
  'links.read': plain(EVERY_ROLE, true),
  'links.change': plain(BUILDERS, false),
  /** Requests money from customers and pays out none: for staff at the counter, but not for viewers. */
  'till.use': plain([...BUILDERS, 'support'], false),

  /** The operator console. */
  'stores.decide': steppedUp(NO_ROLE, true),
  'stores.limits': steppedUp(NO_ROLE, true),
  /** Sets what payouts cost. */
  'payouts.rates': steppedUp(NO_ROLE, true),
  'refunds.approve': steppedUp(NO_ROLE, true),
  /** Lets money go on that the screening stopped. */
  'screening.release': steppedUp(NO_ROLE, true),
  'signing.freeze': plain(NO_ROLE, true),
  'signing.unfreeze': steppedUp(NO_ROLE, true),
  /** Stops sweeps of a network to the treasury. */
  'sweeps.pause': plain(NO_ROLE, true),
  'sweeps.resume': steppedUp(NO_ROLE, true),
  /** Stops refunds, payouts or cold transfers of a network. */
  'payments.pause': plain(NO_ROLE, true),
  'payments.resume': steppedUp(NO_ROLE, true),
  /** Has the worker sign a proof of reserves now. */
  'reserves.request': plain(NO_ROLE, true),
  /** Closes a discrepancy between ledger and chain with an explanation, which the ledger then follows. */
  'differences.explain': steppedUp(NO_ROLE, true),
  'health.read': plain(NO_ROLE, true),
  /** Writes the settings of an installation that is being set up. */
  'setup.change': steppedUp(NO_ROLE, true),
  /** Records that an operator is handling an alarm. It changes nothing else and must be possible at night from a phone. */
  'alarms.acknowledge': plain(NO_ROLE, true),
  /** Stops a reset of an operator's sign-in. Like an alarm, it must be possible at once. */
  'operator_resets.cancel': plain(NO_ROLE, true),
  'users.read': plain(NO_ROLE, true),
  'users.change': steppedUp(NO_ROLE, true),
  'audit.read': plain(NO_ROLE, true),
  'audit.export': steppedUp(NO_ROLE, true),
  'jobs.read': plain(NO_ROLE, true),
  'jobs.retry': steppedUp(NO_ROLE, true),
} as const satisfies Record<string, Rule>;

export type Permission = keyof typeof PERMISSIONS;

/** The permissions of a signed-in user: whether they are an operator, and their role in the store, if any. */
export type Grants = { readonly isOperator: boolean; readonly storeRole: MemberRole | null };

/** Whether the user has the permission. Step-up is checked separately (`needsStepUp`). */
export function may({ isOperator, storeRole }: Grants, permission: Permission): boolean {
  const rule: Rule = PERMISSIONS[permission];
  return (isOperator && rule.operator) || (storeRole !== null && rule.members.includes(storeRole));
}

const SCOPES_GIVEN: Readonly<Record<MemberRole, readonly Scope[]>> = {
  owner: ['sessions:read', 'sessions:write', 'refunds:read', 'refunds:write', 'payouts:read', 'payouts:write'],
  // A developer may not make refunds or payouts, and reading a refund reveals its claim link.
  developer: ['sessions:read', 'sessions:write'],
  support: [],
  viewer: [],
};

/**
 * The scopes that a member of this role may give an API key: never more than their own rights. The exception is `test`, where a
 * developer tries everything and no money is at stake.
 */
export function scopesGivenBy(role: MemberRole | null, environment: Environment): readonly Scope[] {
  if (role === null) return [];
  return SCOPES_GIVEN[role === 'developer' && environment === 'test' ? 'owner' : role];
}

/** Whether password and second factor must be confirmed again. */
export const needsStepUp = (permission: Permission): boolean => PERMISSIONS[permission].stepUp;

/** Whether a member needs a second factor on their account to do it live. */
export const needsLiveFactor = (permission: Permission): boolean => PERMISSIONS[permission].liveFactor;

/** Whether any permission of this role needs a second factor live. */
export const isGuardedRole = (role: MemberRole): boolean =>
  Object.values<Rule>(PERMISSIONS).some(({ members, liveFactor }) => liveFactor && members.includes(role));

/** Whether the permission concerns one store, so that a request must name the store. */
export const isAboutStore = (permission: Permission): boolean => PERMISSIONS[permission].members.length > 0;
