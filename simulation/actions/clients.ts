// What merchants' programs do: they repeat requests, lose connections, page through lists, and follow the list of events.

import { isDeepStrictEqual } from 'node:util';
import { answer } from '@/lib/api/answer';
import { readSnapshot } from '@/simulation/snapshot';
import type { World } from '@/simulation/world';
import type { SimulatedStore } from '@/simulation/stores';
import { signedRequest } from '@/testing/fixtures';
import type { Action, Done, Scene } from './action';
import { by, call, createSession, findSession, newOrder, REFUNDS, said, send, SESSIONS, type Reply } from './merchants';

const CREATE = `${SESSIONS}/create`;
const EVENTS = '/api/v1/events';
/** Refusals that say nothing about the request itself. */
const ELSEWHERE = /^(store_not_active|RATE_LIMITED|SERVICE_UNAVAILABLE|internal_error)$/;
/** A list of a history has fewer pages. */
const MAX_PAGES = 500;

const keyed = (key: string) => ({ 'idempotency-key': key });
const KEY_IS_USED = 'IDEMPOTENCY_KEY_REUSED';
const isElsewhere = ({ status, code }: Reply): boolean => status >= 500 || ELSEWHERE.test(code);

/**
 * Each store counts its own requests, so that several use the same keys, and shops with the same software send the same requests.
 * A store that uses a key for the first time gets a session of its own.
 */
async function createWithKey(scene: Scene): Promise<Done> {
  const { world, story, random } = scene;
  const drawn = newOrder(scene);
  const store = drawn.store;
  const { keys, creates } = world.records;
  const number = (keys.get(store.name) ?? 0) + 1;
  keys.set(store.name, number);
  const key = `key-${number}`;
  const foreign = creates.find((one) => one.store !== store && one.key === key);
  const body = foreign && random.chance(50) ? (foreign.body as typeof drawn.body) : drawn.body;
  const order = { ...drawn, body };
  const reply = await call(world, store, { path: CREATE, body, headers: keyed(key) });
  if (reply.code === KEY_IS_USED)
    throw new Error(`${store.name} used ${key} for the first time and was answered ${said(reply)}`);
  const session = await findSession(world, order);
  if (reply.status < 300 && session && !reply.text.includes(session.id))
    throw new Error(`${store.name} was answered with another session than its own`);
  if (session) world.records.creates.push({ store, key, body, answer: reply.text, session });
  return by(
    store,
    `${order.says} with a key: ${said(reply)}${session ? ` (${story.name('session', session.id)})` : ''}`,
  );
}

/** The same key again: the same request gets the same answer, and another one none. */
async function repeatCreate({ world, random, story }: Scene): Promise<Done | null> {
  const known = world.records.creates.filter(({ session }) => world.sessions.includes(session));
  if (known.length === 0) return null;
  const { store, key, body, answer: firstAnswer, session } = random.pick(known);
  const isSame = random.chance(60);
  const sent = isSame ? body : { ...body, expires_in: 1200 };
  const reply = await call(world, store, { path: CREATE, body: sent, headers: keyed(key) });
  const own = story.name('session', session.id);
  if (!isElsewhere(reply) && (isSame ? reply.text !== firstAnswer : reply.status < 400))
    throw new Error(`${own} was asked for again with ${isSame ? 'the same' : 'another'} request: ${reply.text}`);
  return by(store, `asks for ${own} again with ${isSame ? 'the same' : 'another'} request: ${said(reply)}`);
}

/** The connection to the database is lost within the request, and the client repeats it until it has an answer. */
async function createAfterLoss(scene: Scene): Promise<Done | null> {
  const { world, random, story } = scene;
  const { pool, database } = world.harness;
  if (pool.server() !== 'well') return null;
  const order = newOrder(scene);
  const { store, body } = order;
  const asked = { path: CREATE, body, headers: keyed(`key-${body.order_id}`) };
  const fault = random.pick(['lost_before', 'lost_after', 'lost_after', 'conflict', 'canceled'] as const);
  pool.plan(fault, random.int(1, 4), 'statements');
  const first = await send(world, store, asked);
  const isStruck = pool.hasStruck();
  pool.revive();
  const again = await call(world, store, asked);
  const { rowCount } = await database.pool.query('SELECT FROM sessions WHERE store_id = $1 AND order_id = $2', [
    ...[store.storeId, body.order_id],
  ]);
  const session = await findSession(world, order);
  const expected = again.status < 300 ? 1 : 0;
  if (rowCount !== expected || (again.status < 300 && first.status < 300 && first.text !== again.text))
    throw new Error(
      `${body.order_id} was answered ${said(first)}, then ${said(again)}, and ${rowCount} sessions exist`,
    );
  const made = session ? ` (${story.name('session', session.id)})` : '';
  const says = isStruck ? `${order.says}, "${fault}" strikes` : order.says;
  return by(store, `${says}, and asks again: ${said(first)}, ${said(again)}${made}`);
}

type Row = { readonly id: string; readonly store_id: string };
const LISTS = {
  sessions: { path: SESSIONS, idOf: (row: object) => (row as { id: string }).id },
  refunds: { path: REFUNDS, idOf: (row: object) => (row as { refund_id: string }).refund_id },
  events: { path: EVENTS, idOf: (row: object) => idOfEvent(row) },
};

const idOfEvent = (row: object): string => {
  const { id, event_id: other } = row as { readonly id?: string; readonly event_id?: string };
  return id ?? other ?? '';
};

/** Reads every page of a list. Null when a page was refused. `between` runs between two pages. */
async function readPages(
  world: World,
  store: SimulatedStore,
  {
    path,
    idOf,
    limit,
    between,
  }: (typeof LISTS)['sessions'] & { readonly limit: number; readonly between: () => Promise<unknown> },
): Promise<string[] | null> {
  const read: string[] = [];
  let cursor: string | null = null;
  for (let left = MAX_PAGES; left > 0; left--) {
    const query: string = `limit=${limit}${cursor === null ? '' : `&cursor=${cursor}`}`;
    const reply = await call(world, store, { method: 'GET', path, query });
    if (reply.status >= 400) return null;
    const { data, next_cursor: next } = reply.json as { readonly data: object[]; readonly next_cursor: string | null };
    read.push(...data.map(idOf));
    if (next === null) return read;
    cursor = next;
    await between();
  }
  throw new Error(`${path} of ${store.name} has no last page`);
}

/** Rows that were there from the beginning are read exactly once, also when new ones come while a client pages. */
async function page(scene: Scene): Promise<Done | null> {
  const { world, random } = scene;
  const store = random.pick(world.stores);
  const kind = random.pick(Object.keys(LISTS) as (keyof typeof LISTS)[]);
  const snapshot = await readSnapshot(world.harness.database.pool);
  const rows: readonly Row[] = snapshot[kind];
  const own = rows.filter(({ store_id }) => store_id === store.storeId);
  const expected =
    kind === 'refunds'
      ? snapshot.refunds.flatMap((row) => (row.store_id === store.storeId ? [row.refund_id] : []))
      : own.map(({ id }) => id);
  const between = () =>
    random.chance(30) ? createSession({ ...scene, world: { ...world, stores: [store] } }) : Promise.resolve();
  const read = await readPages(world, store, { ...LISTS[kind], limit: random.int(1, 5), between });
  if (read === null) return by(store, `cannot list its ${kind}`);
  const old = read.filter((id) => expected.includes(id));
  // Stores give their refunds the same names.
  const others: readonly Row[] = kind === 'refunds' ? [] : (await readSnapshot(world.harness.database.pool))[kind];
  if (others.some((row) => row.store_id !== store.storeId && read.includes(row.id)))
    throw new Error(`${store.name} read ${kind} of another store`);
  if (new Set(read).size !== read.length || !isDeepStrictEqual(old.toSorted(), expected.toSorted()))
    throw new Error(
      `${store.name} has ${expected.length} ${kind} and read ${old.length}, ${read.length} with new ones`,
    );
  return by(store, `pages through its ${read.length} ${kind}`);
}

/** One run of the program that follows a store's events from where it stopped. Returns whether it reached the end. */
export async function follow(world: World, store: SimulatedStore, limit: number, pages: number): Promise<boolean> {
  const { reader } = store;
  for (let left = pages; left > 0; left--) {
    const after = reader.cursor === null ? '' : `&cursor=${reader.cursor}`;
    const reply = await call(world, store, { method: 'GET', path: EVENTS, query: `order=asc&limit=${limit}${after}` });
    if (reply.status >= 400) return false;
    const {
      data,
      resume_cursor: next,
      next_cursor: more,
    } = reply.json as {
      readonly data: object[];
      readonly resume_cursor: string;
      readonly next_cursor: string | null;
    };
    reader.read.push(...data.map(idOfEvent));
    reader.cursor = next;
    if (more === null) return true;
  }
  return false;
}

async function followSome({ world, random }: Scene): Promise<Done> {
  const store = random.pick(world.stores);
  const before = store.reader.read.length;
  await follow(world, store, random.int(1, 5), random.int(1, 4));
  return by(store, `reads ${store.reader.read.length - before} events from its cursor on`);
}

/** Somebody who saw a signed request sends it a second time, byte for byte. Whatever it asks for, its nonce is spent. */
async function replay(scene: Scene): Promise<Done> {
  const { world, random, story } = scene;
  const order = newOrder(scene);
  const { store } = order;
  const asked = random.pick([
    { method: 'POST', path: CREATE, body: JSON.stringify(order.body) },
    { method: 'GET', path: SESSIONS },
    { method: 'GET', path: EVENTS },
  ]);
  const request = signedRequest(store, { ...asked, now: world.clock.now() });
  const first = await answer(world.services, { ...request, query: '' });
  const second = await answer(world.services, { ...request, query: '' });
  if (first.status < 300 && second.status < 500 && second.status !== 401)
    throw new Error(`the same signed request to ${asked.path} was answered ${first.status} and ${second.status}`);
  const session = asked.path === CREATE ? await findSession(world, order) : null;
  const made = session ? ` (${story.name('session', session.id)})` : '';
  return by(store, `calls ${asked.path}${made}, and somebody repeats the request: ${first.status}, ${second.status}`);
}

export const CLIENT_ACTIONS: readonly Action[] = [
  { name: 'create with a key', weight: 12, act: createWithKey },
  { name: 'repeat a create request', weight: 6, act: repeatCreate },
  { name: 'create after a lost connection', weight: 6, act: createAfterLoss },
  { name: 'a request is replayed', weight: 3, act: replay },
  { name: 'page through a list', weight: 6, act: page },
  { name: 'follow the events', weight: 8, act: followSome },
];
