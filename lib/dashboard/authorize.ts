// The one authorization function of the dashboard: every request and every page that reads asks it, and nothing else decides
// who may. It believes only what the login's row says at this moment (hardening D-07, D-08).

import { isFresh, type Who } from '@/lib/merchants/accounts/sign-in/logins';
import type { Context } from '@/lib/platform/context';
import { ServiceError } from '@/lib/platform/errors/errors';
import { hasNoFactor, isLivePlace } from '@/lib/merchants/members/live-factor';
import { isAboutStore, may, needsLiveFactor, needsStepUp, type Permission } from '@/lib/merchants/members/roles';
import { isOwnSandbox } from '@/lib/platform/config/own-sandbox';
import type { MemberRole, UserRole } from '@/prisma/generated/enums';

/** `account`: anybody who is signed in. `pending`: also between password and second factor. */
export type Access = Permission | 'account' | 'pending';

/** Somebody who may do what was asked. */
export type Actor = {
  readonly userId: string;
  readonly email: string;
  readonly role: UserRole;
  readonly isOperator: boolean;
  /** The store that the permission was given for; null when it is about none. */
  readonly storeId: string | null;
  /** The role in that store; null for an operator. */
  readonly storeRole: MemberRole | null;
  readonly login: Who;
  /** `user:<id>`, as the audit log names them. */
  readonly by: string;
};

export type Wish = {
  readonly permission: Access;
  /** Needed by permissions about a store; an operator may ask for all stores by leaving it out. */
  readonly storeId?: string | null | undefined;
  /** The environment that it is asked for; left out for what concerns the whole store. */
  readonly environment?: string | null | undefined;
  /** Whether password and second factor must be fresh: what the table of permissions says unless given. */
  readonly stepUp?: boolean | undefined;
};

/**
 * Throws not_signed_in, second_factor_needed, operator_factor_needed (an operator without a second factor may only set one up),
 * STORE_NOT_FOUND (a store that is not theirs does not exist), permission_denied, SECOND_FACTOR_REQUIRED (a member needs a second
 * factor to act live) or step_up_required.
 */
export function authorize({ clock, config }: Pick<Context, 'clock' | 'config'>, who: Who | null, wish: Wish): Actor {
  const login = positive(who);
  const { permission } = wish;
  if (!login.isComplete && permission !== 'pending') throw new ServiceError('second_factor_needed');
  const isOperator = login.role === 'operator';
  const storeId = wish.storeId ?? null;
  const membership = login.memberships.find((one) => one.storeId === storeId) ?? null;
  const storeRole = membership?.role ?? null;
  if (permission !== 'account' && permission !== 'pending') {
    // A password alone would move everybody's money. The demo's operator, whose password a terminal shows, has nothing else.
    if (isOperator && hasNoFactor(login) && !isOwnSandbox(config)) throw new ServiceError('operator_factor_needed');
    if (isAboutStore(permission) && storeId !== null && storeRole === null && !isOperator)
      throw new ServiceError('STORE_NOT_FOUND');
    if (!may({ isOperator, storeRole }, permission)) throw new ServiceError('permission_denied');
    const place = { environment: wish.environment ?? null, isStoreLive: membership?.isLive === true };
    if (membership && needsLiveFactor(permission) && hasNoFactor(login) && isLivePlace(config, place))
      throw new ServiceError('SECOND_FACTOR_REQUIRED');
  }
  if ((wish.stepUp ?? mustBeFresh(permission)) && !isFresh(login, clock.now()))
    throw new ServiceError('step_up_required');
  const { userId, email, role } = login;
  return { userId, email, role, isOperator, storeId, storeRole, login, by: `user:${userId}` };
}

const mustBeFresh = (permission: Access): boolean =>
  permission !== 'account' && permission !== 'pending' && needsStepUp(permission);

const ROLES: readonly unknown[] = ['operator', 'merchant'];

/** Only what is a whole login counts as one, whatever handed it over. */
function positive(who: unknown): Who {
  const given = (typeof who === 'object' && who !== null ? who : {}) as Partial<Record<keyof Who, unknown>>;
  const isLogin =
    typeof given.userId === 'string' &&
    typeof given.loginId === 'string' &&
    typeof given.isComplete === 'boolean' &&
    ROLES.includes(given.role) &&
    Array.isArray(given.memberships);
  if (!isLogin) throw new ServiceError('not_signed_in');
  return who as Who;
}
