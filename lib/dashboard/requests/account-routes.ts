// Requests about the user's own account: signing up, links of mails, devices, password, profile, step-up, invitations.
// next-auth's form handles signing in (lib/merchants/accounts/sign-in/next-auth).

import { z } from 'zod';
import { changeEmail, requestEmailChange } from '@/lib/merchants/accounts/change-email';
import { changePassword } from '@/lib/merchants/accounts/password/change-password';
import { confirmEmail } from '@/lib/merchants/accounts/confirm';
import { loginCookie } from '@/lib/merchants/accounts/sign-in/cookie';
import { changeProfile, endDevices, listDevices } from '@/lib/merchants/accounts/sign-in/devices';
import { withMinimumDuration } from '@/lib/merchants/accounts/minimum-duration';
import { endLogins, isFresh } from '@/lib/merchants/accounts/sign-in/logins';
import { checkName } from '@/lib/merchants/accounts/name';
import { passkeyAnswer } from '@/lib/merchants/accounts/second-factor/passkey-proof';
import { requestReset, resetPassword } from '@/lib/merchants/accounts/password/reset';
import { setUp } from '@/lib/merchants/accounts/setup';
import { signUp } from '@/lib/merchants/accounts/sign-up';
import { stepUp } from '@/lib/merchants/accounts/second-factor/step-up';
import { ServiceError } from '@/lib/platform/errors/errors';
import { DASHBOARD_LOCALES } from '@/lib/i18n/dashboard';
import { acceptInvitation } from '@/lib/merchants/members/accept';
import { openRoute, route, type DashboardRoute } from '@/lib/dashboard/route';

const text = z.string().max(1000);
const locale = z.enum(DASHBOARD_LOCALES).optional();
const token = z.string().max(100);
const DONE = { done: true } as const;

export const ACCOUNT_ROUTES: readonly DashboardRoute[] = [
  openRoute({
    method: 'POST',
    path: '/sign-up',
    body: z.object({ email: text, name: text.optional(), locale }),
    handle: async ({ context, body, from }) => {
      await withMinimumDuration(signUp(context, { ...body, from }));
      return DONE;
    },
  }),
  openRoute({
    method: 'POST',
    path: '/confirm',
    body: z.object({ token, password: text }),
    handle: async ({ context, body }) => {
      const { email } = await confirmEmail(context, body);
      return { email };
    },
  }),
  openRoute({
    method: 'POST',
    path: '/confirm/email',
    body: z.object({ token }),
    handle: async ({ context, body, from }) => {
      await changeEmail(context, { ...body, from });
      return DONE;
    },
  }),
  openRoute({
    method: 'POST',
    path: '/reset',
    body: z.object({ email: text }),
    handle: async ({ context, body, from }) => {
      await withMinimumDuration(requestReset(context, { ...body, from }));
      return DONE;
    },
  }),
  openRoute({
    method: 'POST',
    path: '/reset/finish',
    body: z.object({ token, password: text }),
    handle: async ({ context, body, from }) => {
      await resetPassword(context, { ...body, from });
      return DONE;
    },
  }),
  openRoute({
    method: 'POST',
    path: '/setup',
    body: z.object({ token, email: text, password: text, name: text.optional() }),
    handle: async ({ context, body, from }) => {
      await setUp(context, { ...body, from });
      return DONE;
    },
  }),
  route({
    method: 'GET',
    path: '/me',
    access: 'account',
    handle: async ({ context, actor }) => {
      const { login } = actor;
      return {
        id: login.userId,
        email: login.email,
        name: login.name,
        role: login.role,
        locale: login.locale,
        has_totp: login.hasTotp,
        has_passkeys: login.hasPasskeys,
        is_fresh: isFresh(login, context.clock.now()),
        memberships: login.memberships.map(({ storeId, role }) => ({ store_id: storeId, role })),
      };
    },
  }),
  route({
    method: 'POST',
    path: '/sign-out',
    access: 'pending',
    body: z.object({}),
    handle: async ({ context, actor }) => {
      const { userId, login } = actor;
      await endLogins(context.pool, { userId, only: login.loginId, now: context.clock.now() });
      return DONE;
    },
  }),
  route({
    method: 'POST',
    path: '/account/step-up',
    access: 'account',
    body: z.union([
      z.object({ passkey: passkeyAnswer }),
      z.object({ password: text, code: z.string().max(40).optional() }),
    ]),
    handle: async ({ context, actor, body, from }) => {
      const renewed = await stepUp(context, actor.login, { shown: body, from });
      const headers = { 'Set-Cookie': await loginCookie(context.config, renewed), 'Cache-Control': 'no-store' };
      return Response.json(DONE, { headers });
    },
  }),
  route({
    method: 'POST',
    path: '/account/password',
    access: 'account',
    stepUp: true,
    body: z.object({ current: text, password: text }),
    handle: async ({ context, actor, body, from }) => {
      await changePassword(context, actor.login, { ...body, from });
      return DONE;
    },
  }),
  route({
    method: 'POST',
    path: '/account/email',
    access: 'account',
    stepUp: true,
    body: z.object({ email: text }),
    handle: async ({ context, actor, body, from }) => {
      await withMinimumDuration(requestEmailChange(context, actor.login, { ...body, from }));
      return DONE;
    },
  }),
  route({
    method: 'POST',
    path: '/account/profile',
    access: 'account',
    body: z.object({ name: text.optional(), locale }),
    handle: async ({ context, actor, body }) => {
      const name = body.name === undefined ? undefined : checkName(body.name);
      await changeProfile(context, actor.login, { name, locale: body.locale });
      return DONE;
    },
  }),
  route({
    method: 'GET',
    path: '/account/devices',
    access: 'account',
    handle: async ({ context, actor }) => ({ devices: await listDevices(context, actor.login) }),
  }),
  route({
    method: 'POST',
    path: '/account/devices/{login_id}/end',
    access: 'account',
    stepUp: true,
    body: z.object({}),
    handle: async ({ context, actor, params, from }) => {
      await endDevices(context, actor.login, { id: uuid(params.login_id), from });
      return DONE;
    },
  }),
  route({
    method: 'POST',
    path: '/account/devices/end-others',
    access: 'account',
    stepUp: true,
    body: z.object({}),
    handle: async ({ context, actor, from }) => {
      await endDevices(context, actor.login, { id: null, from });
      return DONE;
    },
  }),
  route({
    method: 'POST',
    path: '/invite',
    access: 'account',
    body: z.object({ token }),
    handle: ({ context, actor, body, from }) =>
      acceptInvitation(context, actor.login, { token: body.token, address: from.address }),
  }),
];

/** The id of a row whose ids are UUIDs. Throws NOT_FOUND for other text. */
export function uuid(given: string | undefined): string {
  if (given !== undefined && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(given)) return given;
  throw new ServiceError('NOT_FOUND');
}
