// A merchant's stores, their API keys and webhook endpoints. A secret appears only in the answer that created it.

import { z } from 'zod';
import { SCOPES, type Scope } from '@/lib/merchants/api-keys/verify-key';
import { NETWORKS } from '@/lib/networks/networks';
import { presentedNetworks } from '@/lib/networks/registry';
import { ServiceError } from '@/lib/platform/errors/errors';
import { scopesGivenBy } from '@/lib/merchants/members/roles';
import { changeStore } from '@/lib/merchants/stores/change';
import { CHANNEL_TYPES, createStore } from '@/lib/merchants/stores/create';
import type { Actor } from '@/lib/merchants/stores/actor';
import { setCountryRules } from '@/lib/merchants/stores/pairs';
import { isPlace } from '@/lib/platform/countries/countries';
import { hideFirstSteps } from '@/lib/merchants/stores/first-steps';
import { createApiKey, requireSignatureV2, revokeApiKey, rollApiKey } from '@/lib/merchants/api-keys/keys';
import {
  removeWebhookEndpoint,
  rotateWebhookSecret,
  setWebhookEndpoint,
} from '@/lib/merchants/stores/webhook-endpoint';
import { route, type Call, type DashboardRoute } from '@/lib/dashboard/route';
import { HERE, scopeOf } from '@/lib/dashboard/store-scope';

const text = z.string().max(5000);
const token = z.enum(['USDT', 'USDC']);
const network = z.enum([...new Set(NETWORKS.map((one) => one.network))]);
const optionalText = text.nullable().optional();

const fields = {
  settlement_currency: token.optional(),
  usd_currencies: z.array(token).min(1).max(2).optional(),
  networks: z.array(network).max(10).optional(),
  accepts_other_token: z.boolean().optional(),
};
const newStore = z.object({
  name: text,
  channel_type: z.enum(CHANNEL_TYPES).optional(),
  website: text.optional(),
  description: text.optional(),
  support_contact: text.optional(),
  ...fields,
});
const changedStore = z.object({
  version: z.int().positive(),
  name: text.optional(),
  website: optionalText,
  description: optionalText,
  legal_details: z.object({ legal_name: text, legal_address: text, vat_number: optionalText }).nullable().optional(),
  ...fields,
});

const countryRule = z.object({
  places: z.array(z.string().refine(isPlace)).min(1).max(300),
  tokens: z.array(token).max(2),
});

const unique = <T>(values: readonly T[] | undefined): T[] | undefined => values && [...new Set(values)];
export const actorOf = ({ actor, from }: Pick<Call, 'actor' | 'from'>): Actor => ({
  by: actor.by,
  address: from.address,
});
/** The store that the permission was granted for. */
export const storeOf = ({ actor }: Pick<Call, 'actor'>): string => actor.storeId as string;

const STORE = '/stores/{store_id}';

export const STORE_ROUTES: readonly DashboardRoute[] = [
  route({
    method: 'POST',
    path: '/stores',
    access: 'account',
    body: newStore,
    handle: (call) => {
      const { actor, body, context } = call;
      if (actor.isOperator) {
        const message = 'An operator has no stores. Use another account.';
        throw new ServiceError('permission_denied', { message });
      }
      const store = {
        ownerId: actor.userId,
        name: body.name,
        channelType: body.channel_type,
        website: body.website,
        description: body.description,
        supportContact: body.support_contact,
        ...common(call),
      };
      return createStore(context, store, actorOf(call));
    },
  }),
  route({
    method: 'PATCH',
    path: STORE,
    access: 'store.change',
    body: changedStore,
    handle: (call) => {
      const { version, ...body } = call.body;
      const { name, website, description, legal_details: legal } = body;
      const legalDetails = legal && {
        name: legal.legal_name,
        address: legal.legal_address,
        vatNumber: legal.vat_number,
      };
      const change = { name, website, description, legalDetails, ...common(call) };
      return changeStore(call.context, { storeId: storeOf(call), version, change }, actorOf(call));
    },
  }),
  route({
    method: 'POST',
    path: `${STORE}/country-rules`,
    access: 'store.change',
    body: z.object({ version: z.int().positive(), rules: z.array(countryRule).max(50) }),
    handle: (call) => setCountryRules(call.context, { storeId: storeOf(call), ...call.body }, actorOf(call)),
  }),
  route({
    method: 'POST',
    path: `${STORE}/first-steps`,
    access: 'first_steps.hide',
    body: z.object({ is_hidden: z.boolean() }),
    handle: async (call) => {
      await hideFirstSteps(call.context, { storeId: storeOf(call), isHidden: call.body.is_hidden });
      return { is_hidden: call.body.is_hidden };
    },
  }),
  route({
    method: 'POST',
    path: `${HERE}/keys`,
    access: 'keys.change',
    body: z.object({
      name: text,
      scopes: z.array(z.enum(SCOPES)).max(20).optional(),
      allowed_addresses: z.array(z.string().max(100)).max(100).optional(),
      requires_signature_v2: z.boolean().optional(),
    }),
    handle: async (call) => {
      const { name, scopes, allowed_addresses: allowedAddresses } = call.body;
      const { requires_signature_v2: requiresSignatureV2 = false } = call.body;
      const key = {
        ...scopeOf(call),
        name,
        requiresSignatureV2,
        mayGive: givenBy(call),
        ...(scopes && { scopes }),
        ...(allowedAddresses && { allowedAddresses }),
      };
      return shown(await createApiKey(call.context, key, actorOf(call)));
    },
  }),
  route({
    method: 'POST',
    path: `${HERE}/keys/{key_id}/signature`,
    access: 'keys.change',
    body: z.object({ requires_signature_v2: z.boolean() }),
    handle: async (call) => {
      const isRequired = call.body.requires_signature_v2;
      const key = { ...scopeOf(call), keyId: keyIdOf(call), isRequired, mayGive: givenBy(call) };
      if (!(await requireSignatureV2(call.context, key, actorOf(call)))) throw noKey();
      return { done: true };
    },
  }),
  route({
    method: 'POST',
    path: `${HERE}/keys/{key_id}/roll`,
    access: 'keys.change',
    body: z.object({ overlap_seconds: z.int().min(0).max(604_800).optional() }),
    handle: async (call) => {
      const { overlap_seconds: overlapSeconds } = call.body;
      const key = { ...scopeOf(call), keyId: keyIdOf(call), overlapSeconds, mayGive: givenBy(call) };
      const successor = await rollApiKey(call.context, key, actorOf(call));
      if (!successor) throw noKey();
      return shown(successor);
    },
  }),
  route({
    method: 'POST',
    path: `${HERE}/keys/{key_id}/revoke`,
    access: 'keys.change',
    body: z.object({}),
    handle: async (call) => {
      const key = { ...scopeOf(call), keyId: keyIdOf(call) };
      if (!(await revokeApiKey(call.context, key, actorOf(call)))) throw noKey();
      return { done: true };
    },
  }),
  route({
    method: 'POST',
    path: `${HERE}/webhook`,
    access: 'webhook.change',
    body: z.object({ url: text, slow_lane: z.boolean().optional() }),
    handle: (call) => {
      const { url, slow_lane: slowLane } = call.body;
      return setWebhookEndpoint(call.context, { ...scopeOf(call), url, slowLane }, actorOf(call));
    },
  }),
  route({
    method: 'POST',
    path: `${HERE}/webhook/rotate`,
    access: 'webhook.change',
    body: z.object({}),
    handle: async (call) => {
      const rotated = await rotateWebhookSecret(call.context, scopeOf(call), actorOf(call));
      if (!rotated) throw noEndpoint();
      return rotated;
    },
  }),
  route({
    method: 'POST',
    path: `${HERE}/webhook/remove`,
    access: 'webhook.change',
    body: z.object({}),
    handle: async (call) => {
      if (!(await removeWebhookEndpoint(call.context, scopeOf(call), actorOf(call)))) throw noEndpoint();
      return { done: true };
    },
  }),
];

function common({ body, context }: Pick<Call, 'context'> & { readonly body: z.output<z.ZodObject<typeof fields>> }) {
  const networks = unique(body.networks);
  const names = presentedNetworks(context.config);
  // A network that this installation has not switched on does not exist for a store.
  if (networks?.some((one) => !names.includes(one))) throw new ServiceError('INVALID_PARAMETER', { param: 'networks' });
  return {
    settlementCurrency: body.settlement_currency,
    usdCurrencies: unique(body.usd_currencies),
    networks,
    acceptsOtherToken: body.accepts_other_token,
  };
}

/** The scopes that the caller may give a key of this environment. */
const givenBy = (call: Pick<Call, 'actor' | 'params'>): readonly Scope[] =>
  scopesGivenBy(call.actor.storeRole, scopeOf(call).environment);

const shown = ({ id, apiKey, apiSecret }: { id: number; apiKey: string; apiSecret: string }) => ({
  id,
  api_key: apiKey,
  api_secret: apiSecret,
});

/** The database's ids fit 32 bits. */
function keyIdOf({ params }: Pick<Call, 'params'>): number {
  const id = /^\d{1,10}$/.test(params.key_id ?? '') ? Number(params.key_id) : 0;
  if (id < 1 || id > 2_147_483_647) throw noKey();
  return id;
}

const noKey = (): ServiceError => new ServiceError('NOT_FOUND', { message: 'There is no such key that still works.' });
const noEndpoint = (): ServiceError => new ServiceError('NOT_FOUND', { message: 'No webhook endpoint is set.' });
