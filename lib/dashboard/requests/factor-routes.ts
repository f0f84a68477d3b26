// Second factors: authenticators, recovery codes and passkeys. Changing one needs a step-up.

import { z } from 'zod';
import { passkeyOptions } from '@/lib/merchants/accounts/second-factor/passkey-proof';
import {
  addPasskey,
  newPasskeyOptions,
  newPasskeyAnswer,
  removePasskey,
} from '@/lib/merchants/accounts/second-factor/passkeys';
import {
  confirmTotp,
  enrolTotp,
  removeTotp,
  renewRecoveryCodes,
} from '@/lib/merchants/accounts/second-factor/two-factor';
import { openRoute, route, type DashboardRoute } from '@/lib/dashboard/route';

const NOTHING = z.object({});
const DONE = { done: true } as const;

export const FACTOR_ROUTES: readonly DashboardRoute[] = [
  openRoute({
    method: 'POST',
    path: '/sign-in/passkey',
    body: NOTHING,
    handle: ({ context }) => passkeyOptions(context, null),
  }),
  route({
    method: 'POST',
    path: '/account/passkeys/question',
    access: 'pending',
    body: NOTHING,
    handle: ({ context, actor }) => passkeyOptions(context, actor.login),
  }),
  route({
    method: 'POST',
    path: '/account/totp/enrol',
    access: 'account',
    stepUp: true,
    body: NOTHING,
    handle: ({ context, actor }) => enrolTotp(context, actor.login),
  }),
  route({
    method: 'POST',
    path: '/account/totp/confirm',
    access: 'account',
    stepUp: true,
    body: z.object({ code: z.string().max(40) }),
    handle: ({ context, actor, body, from }) => confirmTotp(context, actor.login, { ...body, from }),
  }),
  route({
    method: 'POST',
    path: '/account/totp/remove',
    access: 'account',
    stepUp: true,
    body: NOTHING,
    handle: async ({ context, actor, from }) => {
      await removeTotp(context, actor.login, from);
      return DONE;
    },
  }),
  route({
    method: 'POST',
    path: '/account/recovery-codes',
    access: 'account',
    stepUp: true,
    body: NOTHING,
    handle: ({ context, actor, from }) => renewRecoveryCodes(context, actor.login, from),
  }),
  route({
    method: 'POST',
    path: '/account/passkeys/options',
    access: 'account',
    stepUp: true,
    body: NOTHING,
    handle: ({ context, actor }) => newPasskeyOptions(context, actor.login),
  }),
  route({
    method: 'POST',
    path: '/account/passkeys',
    access: 'account',
    stepUp: true,
    body: z.object({ name: z.string().max(400), answer: newPasskeyAnswer }),
    handle: ({ context, actor, body, from }) => addPasskey(context, actor.login, { ...body, from }),
  }),
  route({
    method: 'POST',
    path: '/account/passkeys/{passkey_id}/remove',
    access: 'account',
    stepUp: true,
    body: NOTHING,
    handle: async ({ context, actor, params, from }) => {
      await removePasskey(context, actor.login, { id: params.passkey_id ?? '', from });
      return DONE;
    },
  }),
];
