// The operator's decisions about stores and users. Each about a store contains the version that was shown, so that an operator
// never decides about unseen changes.

import { z } from 'zod';
import {
  allowFactor,
  changeUserRole,
  disableUser,
  enableUser,
  makeConfirmLink,
} from '@/lib/merchants/accounts/users-admin';
import type { Context } from '@/lib/platform/context';
import { ServiceError } from '@/lib/platform/errors/errors';
import {
  approveStore,
  reinstateStore,
  rejectStore,
  StoreMoved,
  suspendStore,
  type Decision,
} from '@/lib/merchants/stores/approve';
import type { Actor } from '@/lib/merchants/stores/actor';
import { checkText } from '@/lib/merchants/stores/fields';
import { seeIdentity } from '@/lib/merchants/stores/identity';
import { PAIRS } from '@/lib/dashboard/operator/pairs';
import { setStoreLimits } from '@/lib/merchants/stores/limits';
import { setAllowedPairs } from '@/lib/merchants/stores/pairs';
import { readStore } from '@/lib/merchants/stores/read';
import { uuid } from './account-routes';
import { route, type Call, type DashboardRoute } from '@/lib/dashboard/route';
import { actorOf } from './store-routes';

const STORE = '/operator/stores/{store_id}';
const USER = '/operator/users/{user_id}';
const LONGEST_REASON = 1000;
/** The database has this bound too. */
const MAX_HOLD_HOURS = 720;
/** The longest time that a Date can hold. */
const MAX_MILLISECONDS = 8_640_000_000_000_000;
const DONE = { done: true } as const;
const version = z.int().positive();

/** Cents as JSON integers, or as text when an integer cannot hold them. */
const cents = z.union([
  z.int().min(0).transform(BigInt),
  z
    .string()
    .regex(/^\d{1,18}$/)
    .transform(BigInt),
]);

type Decide = (deps: Context, of: Decision, actor?: Actor) => Promise<void>;

const decision = (name: string, decide: Decide, reason: z.ZodType<string | undefined>): DashboardRoute =>
  route({
    method: 'POST',
    path: `${STORE}/${name}`,
    access: 'stores.decide',
    body: z.object({ version, reason }),
    handle: async (call) => {
      const given = call.body.reason;
      const storeId = call.params.store_id ?? '';
      const of = {
        storeId,
        version: call.body.version,
        ...(given === undefined ? {} : { reason: checkText('reason', given, LONGEST_REASON) }),
      };
      await decide(call.context, of, actorOf(call)).catch((error: unknown) => refuse(call.context, storeId, error));
      return DONE;
    },
  });

/** Distinguishes an outdated version from a missing store. */
async function refuse({ pool }: Context, storeId: string, error: unknown): Promise<never> {
  if (!(error instanceof StoreMoved)) throw error;
  throw new ServiceError((await readStore(pool, storeId)) ? 'STORE_CHANGED' : 'STORE_NOT_FOUND', { cause: error });
}

const needed = z.string().max(5000);

export const OPERATOR_ROUTES: readonly DashboardRoute[] = [
  decision('approve', approveStore, needed.optional()),
  decision('reject', rejectStore, needed),
  decision('suspend', suspendStore, needed),
  decision('resume', reinstateStore, needed.optional()),
  route({
    method: 'POST',
    path: `${STORE}/limits`,
    access: 'stores.limits',
    body: z.object({
      version,
      session_limit: cents.nullable(),
      day_limit: cents.nullable(),
      refund_day_limit: cents,
      refund_window_days: z.int().min(0).max(3650),
      payout_hold_hours: z.int().min(0).max(MAX_HOLD_HOURS),
    }),
    handle: (call) => {
      const { body } = call;
      const limits = {
        sessionLimit: body.session_limit,
        dayLimit: body.day_limit,
        refundDayLimit: body.refund_day_limit,
        refundWindowDays: body.refund_window_days,
        payoutHoldHours: body.payout_hold_hours,
      };
      const storeId = call.params.store_id ?? '';
      return setStoreLimits(call.context, { storeId, version: body.version, limits }, actorOf(call));
    },
  }),
  route({
    method: 'POST',
    path: `${STORE}/pairs`,
    access: 'stores.limits',
    body: z.object({ version, allowed_pairs: z.array(z.enum(PAIRS)).max(PAIRS.length) }),
    handle: (call) => {
      const { version: shown, allowed_pairs: pairs } = call.body;
      const storeId = call.params.store_id ?? '';
      return setAllowedPairs(call.context, { storeId, version: shown, pairs }, actorOf(call));
    },
  }),
  route({
    method: 'POST',
    path: `${STORE}/seen`,
    access: 'stores.decide',
    body: z.object({ changed_at: z.int().min(0).max(MAX_MILLISECONDS) }),
    handle: async (call) => {
      const of = { storeId: call.params.store_id ?? '', changedAt: new Date(call.body.changed_at) };
      await seeIdentity(call.context, of, actorOf(call));
      return DONE;
    },
  }),
  userRoute('disable', disableUser),
  userRoute('enable', enableUser),
  userRoute('allow-factor', allowFactor),
  route({
    method: 'POST',
    path: `${USER}/confirm`,
    access: 'users.change',
    body: z.object({}),
    handle: async (call) => ({
      link: await makeConfirmLink(call.context, operatorOf(call), uuid(call.params.user_id)),
    }),
  }),
  route({
    method: 'POST',
    path: `${USER}/role`,
    access: 'users.change',
    body: z.object({ role: z.enum(['operator', 'merchant']) }),
    handle: async (call) => {
      await changeUserRole(call.context, operatorOf(call), {
        userId: uuid(call.params.user_id),
        role: call.body.role,
      });
      return DONE;
    },
  }),
];

function userRoute(name: string, change: typeof disableUser): DashboardRoute {
  return route({
    method: 'POST',
    path: `${USER}/${name}`,
    access: 'users.change',
    body: z.object({}),
    handle: async (call) => {
      await change(call.context, operatorOf(call), uuid(call.params.user_id));
      return DONE;
    },
  });
}

const operatorOf = ({ actor, from }: Pick<Call, 'actor' | 'from'>) => ({
  userId: actor.userId,
  by: actor.by,
  address: from.address,
});
