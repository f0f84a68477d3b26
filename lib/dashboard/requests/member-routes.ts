// Members of a store: invite, change role, remove, and leave.

import { z } from 'zod';
import { changeMemberRole, removeMember } from '@/lib/merchants/members/change';
import { cancelInvitation, inviteMember, type Inviter } from '@/lib/merchants/members/invite';
import { chooseMails } from '@/lib/merchants/notifications/mail-choices';
import { MEMBER_ROLES } from '@/lib/merchants/members/roles';
import type { MemberRole } from '@/prisma/generated/enums';
import { uuid } from './account-routes';
import { route, type Call, type DashboardRoute } from '@/lib/dashboard/route';
import { actorOf, storeOf } from './store-routes';

const MEMBERS = '/stores/{store_id}/members';
const email = z.string().max(1000);
const role = z.enum(MEMBER_ROLES as readonly [MemberRole, ...MemberRole[]]);
const DONE = { done: true } as const;
/** Far more than one person creates. */
const MAX_KEYS = 1000;
/** PostgreSQL's largest integer. */
const MAX_KEY_ID = 2_147_483_647;

export const MEMBER_ROUTES: readonly DashboardRoute[] = [
  route({
    method: 'POST',
    path: `${MEMBERS}/invite`,
    access: 'members.change',
    body: z.object({ email, role }),
    handle: async (call) => {
      await inviteMember(call.context, inviterOf(call), { storeId: storeOf(call), ...call.body });
      return DONE;
    },
  }),
  route({
    method: 'POST',
    path: `${MEMBERS}/uninvite`,
    access: 'members.change',
    body: z.object({ email }),
    handle: async (call) => {
      await cancelInvitation(call.context, inviterOf(call), { storeId: storeOf(call), ...call.body });
      return DONE;
    },
  }),
  route({
    method: 'PATCH',
    path: `${MEMBERS}/{user_id}`,
    access: 'members.change',
    body: z.object({ role }),
    handle: async (call) => {
      const of = { storeId: storeOf(call), userId: uuid(call.params.user_id), role: call.body.role };
      await changeMemberRole(call.context, actorOf(call), of);
      return DONE;
    },
  }),
  route({
    method: 'POST',
    path: `${MEMBERS}/{user_id}/remove`,
    access: 'members.change',
    body: z.object({ revoke_keys: z.array(z.int().positive().max(MAX_KEY_ID)).max(MAX_KEYS).optional() }),
    handle: async (call) => {
      const of = { storeId: storeOf(call), userId: uuid(call.params.user_id), revokeKeys: call.body.revoke_keys };
      await removeMember(call.context, actorOf(call), of);
      return DONE;
    },
  }),
  // About the person's own mails: a member cannot choose for another.
  route({
    method: 'POST',
    path: '/stores/{store_id}/mails',
    access: 'store.read',
    body: z.object({ exceptions: z.boolean(), deliveries: z.boolean(), decisions: z.boolean() }),
    handle: async (call) => {
      const of = { storeId: storeOf(call), userId: call.actor.userId, choices: call.body };
      await chooseMails(call.context.pool, of);
      return DONE;
    },
  }),
  route({
    method: 'POST',
    path: '/stores/{store_id}/leave',
    access: 'store.read',
    body: z.object({}),
    handle: async (call) => {
      await removeMember(call.context, actorOf(call), { storeId: storeOf(call), userId: call.actor.userId });
      return DONE;
    },
  }),
];

const inviterOf = ({ actor, from }: Call): Inviter => ({
  userId: actor.userId,
  email: actor.email,
  by: actor.by,
  address: from.address,
  locale: actor.login.locale,
});
