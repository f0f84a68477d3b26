// What merchants do in their dashboards: they rotate secrets and API keys, move, pause and replace their endpoints, resend
// events, and change the rules of their stores while customers pay.

import { createApiKey, revokeApiKey, rollApiKey, type ShownApiKey } from '@/lib/merchants/api-keys/keys';
import { changeStore, type StoreChange } from '@/lib/merchants/stores/change';
import { readStore } from '@/lib/merchants/stores/read';
import {
  removeWebhookEndpoint,
  rotateWebhookSecret,
  setWebhookEndpoint,
} from '@/lib/merchants/stores/webhook-endpoint';
import { resendEvent } from '@/lib/webhooks/console/resend';
import { pauseEndpoint, resumeEndpoint } from '@/lib/webhooks/endpoint/pause';
import { removeSecrets } from '@/simulation/secrets';
import type { World } from '@/simulation/world';
import type { SimulatedStore } from '@/simulation/stores';
import type { Action, Done, Scene } from './action';
import { attempt, outcome } from './attempt';
import { by, said, send, SESSIONS } from './merchants';

const OVERLAP_MILLISECONDS = 24 * 3600 * 1000;
const MERCHANT = 'user:merchant';

const endpointOf = ({ storeId }: SimulatedStore) => ({ storeId, environment: 'test' as const });
const nowOf = ({ clock }: World): number => clock.now().getTime();

/** From now on deliveries verify with this secret. */
const begin = (store: SimulatedStore, text: string, now: number): void =>
  void store.secrets.push({ text, from: now, until: null });

/** The present secret goes on for a day beside a new one. */
function overlap({ secrets }: SimulatedStore, now: number): void {
  for (const secret of secrets) secret.until ??= now + OVERLAP_MILLISECONDS;
}

/** A second rotation within a day must be refused: a receiver that has not learned the new secret yet would know none. */
async function rotateSecret({ world, random }: Scene): Promise<Done> {
  const store = random.pick(world.stores);
  const results: string[] = [];
  for (let times = random.pick([1, 1, 2]); times > 0; times--) {
    const rotated = await attempt(world, () => rotateWebhookSecret(world.context, endpointOf(store)));
    results.push(outcome(rotated));
    if (!('done' in rotated) || rotated.done === null) continue;
    overlap(store, nowOf(world));
    begin(store, rotated.done.secret, nowOf(world));
  }
  return by(store, `rotates its webhook secret: ${results.join(', ')}`);
}

async function moveEndpoint({ world, random }: Scene): Promise<Done> {
  const store = random.pick(world.stores);
  const receiver = random.pick(store.receivers);
  const set = await attempt(world, () =>
    setWebhookEndpoint(world.context, { ...endpointOf(store), url: receiver.url }),
  );
  if ('done' in set) store.receiver = receiver;
  return by(store, `sets its endpoint to its receiver ${store.receivers.indexOf(receiver) + 1}: ${outcome(set)}`);
}

/** What the product recommends for a leaked secret. */
async function replaceEndpoint({ world, random }: Scene): Promise<Done> {
  const store = random.pick(world.stores);
  const { context } = world;
  const removed = await attempt(world, () => removeWebhookEndpoint(context, endpointOf(store)));
  if (!('done' in removed)) return by(store, `removes its endpoint: ${removed.refused}`);
  removeSecrets(store.secrets, nowOf(world));
  const { secret } = await setWebhookEndpoint(context, { ...endpointOf(store), url: store.receiver.url });
  if (secret === null) throw new Error(`${store.name} got no secret for its new endpoint`);
  begin(store, secret, nowOf(world));
  return by(store, 'removes its endpoint and sets it anew');
}

async function pauseOrResume({ world, random }: Scene): Promise<Done> {
  const store = random.pick(world.stores);
  const at = { ...endpointOf(store), by: MERCHANT };
  if (random.chance(50))
    return by(store, `pauses its endpoint: ${outcome(await attempt(world, () => pauseEndpoint(world.context, at)))}`);
  return by(store, `resumes its endpoint: ${outcome(await attempt(world, () => resumeEndpoint(world.context, at)))}`);
}

export async function resumeAll(world: World): Promise<void> {
  for (const store of world.stores)
    await attempt(world, () => resumeEndpoint(world.context, { ...endpointOf(store), by: MERCHANT }));
}

async function resend({ world, random, story, now }: Scene): Promise<Done | null> {
  const events = now.events.filter(({ store_id }) => world.stores.some(({ storeId }) => storeId === store_id));
  if (events.length === 0) return null;
  const { id, store_id } = random.pick(events);
  const store = world.stores.find(({ storeId }) => storeId === store_id) as SimulatedStore;
  const resent = await attempt(world, () => resendEvent(world.context, { storeId: store_id, eventId: id }));
  return by(store, `has ${story.name('event', id)} sent again: ${outcome(resent)}`);
}

const use = (store: SimulatedStore, { id, apiKey, apiSecret }: ShownApiKey): void =>
  void Object.assign(store, { keyId: id, apiKey, apiSecret });

/** A new key, and the old one ends: revoked at once, or rolled over some time. */
async function rotateKey({ world, random }: Scene): Promise<Done> {
  const store = random.pick(world.stores);
  const { context } = world;
  const { apiKey, apiSecret, keyId } = store;
  const key = { ...endpointOf(store), keyId };
  const overlapSeconds = random.pick([0, 60, 900]);
  if (random.chance(50)) {
    const rolled = await attempt(world, () => rollApiKey(context, { ...key, overlapSeconds }));
    if (!('done' in rolled) || rolled.done === null) return by(store, `rolls its key: ${outcome(rolled)}`);
    store.formerKeys.push({ apiKey, apiSecret, validUntil: nowOf(world) + overlapSeconds * 1000 });
    use(store, rolled.done);
    return by(store, `rolls its key, and the old one works for ${overlapSeconds} s`);
  }
  const made = await attempt(world, () => createApiKey(context, { ...endpointOf(store), name: 'another' }));
  if (!('done' in made)) return by(store, `creates a key: ${made.refused}`);
  use(store, made.done);
  const isRevoked = await revokeApiKey(context, key);
  if (!isRevoked) throw new Error(`${store.name} could not revoke its key`);
  store.formerKeys.push({ apiKey, apiSecret, validUntil: Number.NEGATIVE_INFINITY });
  return by(store, 'creates a key and revokes the old one');
}

/** Somebody who has an old key tries it. What the answer must be is for the checks. */
async function useFormerKey({ world, random }: Scene): Promise<Done | null> {
  const stores = world.stores.filter(({ formerKeys }) => formerKeys.length > 0);
  if (stores.length === 0) return null;
  const store = random.pick(stores);
  const { validUntil, ...key } = random.pick(store.formerKeys);
  const at = nowOf(world);
  const reply = await send(world, { ...store, ...key }, { method: 'GET', path: SESSIONS });
  world.records.keyUses.push({ store: store.name, at, validUntil, status: reply.status });
  return by(store, `uses a former key: ${said(reply)}`);
}

const RULES: readonly StoreChange[] = [
  { usdCurrencies: ['USDT'] },
  { usdCurrencies: ['USDC'] },
  { usdCurrencies: ['USDT', 'USDC'] },
  { acceptsOtherToken: true },
  { acceptsOtherToken: false },
  { networks: [] },
];

async function changeRules({ world, random }: Scene): Promise<Done> {
  const store = random.pick(world.stores);
  const change = random.pick([...RULES, { networks: [random.pick(world.chains).network] }]);
  const actor = { by: MERCHANT, address: '' };
  const changed = await attempt(world, async () => {
    const { version } = (await readStore(world.context.pool, store.storeId))!;
    return changeStore(world.context, { storeId: store.storeId, version, change }, actor);
  });
  if ('done' in changed) {
    const { usdCurrencies = store.usdCurrencies, acceptsOtherToken = store.acceptsOtherToken } = change;
    Object.assign(store, { usdCurrencies, acceptsOtherToken });
  }
  return by(store, `changes its rules to ${JSON.stringify(change)}: ${outcome(changed)}`);
}

export const SETTINGS_ACTIONS: readonly Action[] = [
  { name: 'rotate a webhook secret', weight: 4, act: rotateSecret },
  { name: 'move an endpoint', weight: 3, act: moveEndpoint },
  { name: 'replace an endpoint', weight: 2, act: replaceEndpoint },
  { name: 'pause or resume an endpoint', weight: 3, act: pauseOrResume },
  { name: 'resend an event', weight: 3, act: resend },
  { name: 'rotate an API key', weight: 3, act: rotateKey },
  { name: 'use a former API key', weight: 4, act: useFormerKey },
  { name: 'change a store’s rules', weight: 5, act: changeRules },
];
