// The one authorization function of the dashboard. Every request and every page calls it, and nothing else decides about
// access. It trusts only the login's current row.

import { isFresh, type Who } from '@/lib/merchants/accounts/sign-in/logins';
import type { Context } from '@/lib/platform/context';
import { ServiceError } from '@/lib/platform/errors/errors';
import { hasNoFactor, isLivePlace } from '@/lib/merchants/members/live-factor';
import { isAboutStore, may, needsLiveFactor, needsStepUp, type Permission } from '@/lib/merchants/members/roles';
import { isOwnSandbox } from '@/lib/platform/config/own-sandbox';
import type { MemberRole, UserRole } from '@/prisma/generated/enums';

/** `account`: any signed-in user. `pending`: also between password and second factor. */
export type Access = Permission | 'account' | 'pending';

/** A user who is authorized for the request. */
export type Actor = {
  readonly userId: string;
  readonly email: string;
  readonly role: UserRole;
  readonly isOperator: boolean;
  /** The store that the permission was granted for; null when it concerns none. */
  readonly storeId: string | null;
  /** The role in that store; null for an operator. */
  readonly storeRole: MemberRole | null;
  readonly login: Who;
  /** `user:<id>`, as in the audit log. */
  readonly by: string;
};

export type Wish = {
  readonly permission: Access;
  /** Required by permissions about a store. An operator may omit it to address all stores. */
  readonly storeId?: string | null | undefined;
  /** The requested environment. Omit it for what concerns the whole store. */
  readonly environment?: string | null | undefined;
  /** Whether password and second factor must be fresh. Defaults to the table of permissions. */
  readonly stepUp?: boolean | undefined;
};

/**
 * Throws not_signed_in, second_factor_needed, operator_factor_needed (an operator without a second factor may only set one up),
 * STORE_NOT_FOUND (also for another tenant's store), permission_denied, SECOND_FACTOR_REQUIRED (a member needs a second factor
 * to act live) or step_up_required.
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
    // A password alone could otherwise move all merchants' money. The demo's operator, whose password a terminal shows, has no
    // second factor.
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

/** Accepts only a complete login object, whatever the caller passes. */
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
