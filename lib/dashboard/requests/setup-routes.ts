// The first set-up of an installation, by its operator. It is available only while `npm start` has given the web process the
// settings file.

import { z } from 'zod';
import { ServiceError } from '@/lib/platform/errors/errors';
import {
  finishSetup,
  isSetupOpen,
  saveLimits,
  saveMail,
  saveNetwork,
  saveTreasury,
} from '@/lib/installation/setup/in-browser';
import { route, type Call, type DashboardRoute } from '@/lib/dashboard/route';

const text = z.string().max(5000);
const DONE = { done: true } as const;

const actorOf = ({ actor, from }: Pick<Call, 'actor' | 'from'>) => ({ by: actor.by, address: from.address });

/** Splits a typed list of endpoints. */
const lines = (typed: string): string[] => typed.split(/[\s,]+/).filter((one) => one !== '');

export const SETUP_ROUTES: readonly DashboardRoute[] = [
  // The page polls it until the installation has restarted. It is then not found.
  route({
    method: 'GET',
    path: '/operator/setup',
    access: 'health.read',
    handle: async ({ context: { config } }) => {
      if (config.SETUP_FILE === undefined) throw new ServiceError('NOT_FOUND');
      return { is_open: isSetupOpen(config) };
    },
  }),
  route({
    method: 'POST',
    path: '/operator/setup/networks',
    access: 'setup.change',
    body: z.object({
      network: text,
      environment: z.enum(['live', 'test']).default('live'),
      endpoints: text,
      api_key: text.optional(),
    }),
    handle: async (call) => {
      const { network, environment, endpoints, api_key: key } = call.body;
      const given = { network, environment, endpoints: lines(endpoints), ...(key ? { api_key: key } : {}) };
      const { isSaved, findings } = await saveNetwork(call.context, actorOf(call), given);
      return { is_saved: isSaved, findings: findings.map(({ state, message }) => ({ state, message })) };
    },
  }),
  route({
    method: 'POST',
    path: '/operator/setup/mail',
    access: 'setup.change',
    body: z.object({ host: text, port: z.int(), encryption: text, user: text, password: text, from: text }),
    handle: (call) => {
      const { user, password, ...server } = call.body;
      const who = { ...(user ? { user } : {}), ...(password ? { password } : {}) };
      const { email, login } = call.actor;
      return saveMail(call.context, actorOf(call), { ...server, ...who, to: email, locale: login.locale });
    },
  }),
  route({
    method: 'POST',
    path: '/operator/setup/limits',
    access: 'setup.change',
    body: z.object({ per_refund: text, per_hour: text, per_day: text, approval_above: text }),
    handle: async (call) => {
      await saveLimits(call.context, actorOf(call), call.body);
      return DONE;
    },
  }),
  route({
    method: 'POST',
    path: '/operator/setup/treasury',
    access: 'setup.change',
    body: z.object({
      wallets: z.record(text, text),
      is_direct: z.boolean().default(false),
      are_contracts_confirmed: z.boolean().default(false),
    }),
    handle: async (call) => {
      const { wallets, is_direct: isDirect, are_contracts_confirmed: areContractsConfirmed } = call.body;
      const refused = await saveTreasury(call.context, actorOf(call), { wallets, isDirect, areContractsConfirmed });
      return refused ? { refused } : DONE;
    },
  }),
  route({
    method: 'POST',
    path: '/operator/setup/finish',
    access: 'setup.change',
    body: z.object({}),
    handle: async (call) => {
      await finishSetup(call.context, actorOf(call));
      return DONE;
    },
  }),
];
