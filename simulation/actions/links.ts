// Payment links: merchants make and switch them, and customers open sessions by them. Such a session is paid like any other.

import { createPaymentLink, switchPaymentLink } from '@/lib/payments/links/change';
import { openPaymentLink, type Opened } from '@/lib/payments/links/open';
import { randomText } from '@/lib/platform/ids';
import { CUSTOMERS } from '@/simulation/parties';
import { cents } from '@/simulation/story';
import type { SimulatedLink } from '@/simulation/records';
import type { World } from '@/simulation/world';
import type { Action, Done, Scene } from './action';
import { attempt, outcome, type Attempted } from './attempt';
import { by, findSession } from './merchants';

const ACTOR = { by: 'user:merchant', address: '' };
/** Seconds to pay, as lib/payments/links says: fewer where other customers may wait for the place. */
const [PAY_SECONDS, LIMITED_PAY_SECONDS] = [1800, 900];

async function makeLink({ world, random }: Scene): Promise<Done> {
  const store = random.pick(world.stores);
  const due = BigInt(random.int(100, 3000));
  const mostPaid = random.pick([1, 1, 2, 3, null]);
  // The product limits presses of a link for as long as its process runs, so every history has links of its own.
  for (let draws = world.run; draws > 0; draws--) randomText(1);
  const wish = {
    ...{ title: 'A thing', description: null, currency: 'USD', amount: Number(due) },
    ...{ least_amount: null, most_amount: null, most_paid: mostPaid },
  };
  const scope = { storeId: store.storeId, environment: 'test' as const };
  const made = await attempt(world, () => createPaymentLink(world.context, scope, wish, ACTOR));
  if ('done' in made) world.records.links.push({ id: made.done.id, store, cents: due, mostPaid });
  return by(
    store,
    `makes a payment link over ${cents(due)} for ${mostPaid ?? 'any number of'} payments: ${outcome(made)}`,
  );
}

/** An address of each customer, another one in each history. */
const addressOf = (customer: number, { run }: World): string =>
  `10.${customer}.${Math.floor(run / 256) % 256}.${run % 256}`;

async function openLink(scene: Scene): Promise<Done | null> {
  const { world, random, story } = scene;
  if (world.records.links.length === 0) return null;
  const link = random.pick(world.records.links);
  const customer = random.int(0, CUSTOMERS.length - 1);
  const form = { linkId: link.id, name: `form ${random.int(1, 1_000_000)}`, typed: '', locale: null };
  const from = addressOf(customer, world);
  const opened = await attempt(world, () => openPaymentLink(world.context, { ...form, from }));
  const who = CUSTOMERS[customer]!.name;
  const says = `opens a link of ${link.store.name} over ${cents(link.cents)} as ${who}`;
  const refused = refusalOf(opened);
  if (!('done' in opened) || opened.done === null || !('sessionId' in opened.done))
    return by(link.store, `${says}: ${refused}`);
  await register(world, link, { sessionId: opened.done.sessionId, client: who });
  return by(link.store, `${says} (${story.name('session', opened.done.sessionId)})`);
}

function refusalOf(opened: Attempted<Opened | null>): string {
  if (!('done' in opened)) return opened.refused;
  return opened.done !== null && 'refusal' in opened.done ? opened.done.refusal : 'it is gone';
}

async function register(
  world: World,
  link: SimulatedLink,
  { sessionId, client }: { readonly sessionId: string; readonly client: string },
): Promise<void> {
  const { rows } = await world.harness.database.pool.query<{ order_id: string }>(
    'SELECT order_id FROM sessions WHERE id = $1',
    [sessionId],
  );
  const body = {
    ...{ amount: Number(link.cents), currency: 'USD', order_id: rows[0]?.order_id ?? '' },
    expires_in: link.mostPaid === null ? PAY_SECONDS : LIMITED_PAY_SECONDS,
  };
  const terms = await findSession(world, { store: link.store, body });
  if (!terms) throw new Error('a payment link opened a session that does not exist');
  world.sessions.splice(-1, 1, { ...terms, link: { id: link.id, client } });
}

async function switchLink({ world, random }: Scene): Promise<Done | null> {
  if (world.records.links.length === 0) return null;
  const { id, store } = random.pick(world.records.links);
  const isActive = random.chance(70);
  const scope = { storeId: store.storeId, environment: 'test' as const };
  const done = await attempt(world, () => switchPaymentLink(world.context, scope, { linkId: id, isActive }, ACTOR));
  return by(store, `switches a link ${isActive ? 'on' : 'off'}: ${outcome(done)}`);
}

export const LINK_ACTIONS: readonly Action[] = [
  { name: 'make a payment link', weight: 4, act: makeLink },
  { name: 'open a payment link', weight: 14, act: openLink },
  { name: 'switch a payment link', weight: 1, act: switchLink },
];
