// What operators do about the screening: they switch it on, load signed lists that name customers or no longer do, release hits in twos, and
// add a hook that answers, knows nothing or fails. Journeys of one payment with a hit are in screening-journeys.ts.

import { listHits, type ScreeningHit } from '@/lib/dashboard/operator/screening/read';
import { decideRelease } from '@/lib/dashboard/operator/screening/release';
import type { Move } from '@/lib/refunds/approval/agreement';
import { HOOK_MODES, type HookMode } from '@/simulation/hook';
import { CUSTOMERS, EXCHANGE, OTHER_WALLETS, OWNERS_WALLETS, SANCTIONED, type Addresses } from '@/simulation/parties';
import { noteScreenings } from '@/simulation/stops/note';
import { LIST_KEY, loadList } from '@/testing/screening/signed-list';
import type { World } from '@/simulation/world';
import type { Action, Scene } from './action';
import { attempt, outcome, type Attempted } from './attempt';
import { isIndependent } from './operators';
import { runSome } from './product';

const MAX_HITS = 100;
/** A list may be dated by so much after the clock that loads it. Milliseconds. */
const AHEAD = 3_600_000;
const HOOK_SECRET = 'the secret of a hook';
const NO_HOOK = { SCREENING_HOOK_URL: undefined, SCREENING_HOOK_SECRET: undefined };

/** The operator changes settings, and the processes start again with them. */
function set(world: World, settings: object): void {
  Object.assign(world.context.config, settings);
  world.restartWorker();
  world.restartWeb();
}

/** People whom a list may name, with what the story calls them. */
const LISTABLE: readonly { readonly name: string; readonly addresses: Addresses }[] = [
  ...CUSTOMERS,
  ...OTHER_WALLETS.map(({ name, addresses }) => ({ name: `the other wallet of ${name}`, addresses })),
  ...OWNERS_WALLETS.slice(0, 4).map((addresses, at) => ({ name: `wallet ${at + 1} of the owners`, addresses })),
  { name: 'an exchange', addresses: EXCHANGE },
];

/** Loads a newer list of these addresses. One address, which no store knows, is on every list. */
async function load(world: World, addresses: Iterable<string>): Promise<string> {
  const { clock, harness, records } = world;
  const { stops } = records;
  const listedAt = Math.max(stops.listedAt + 1000, clock.now().getTime());
  if (listedAt > clock.now().getTime() + AHEAD) return 'the clock is behind the last list';
  const listed = new Set([...addresses, ...Object.values(SANCTIONED)]);
  const loaded = await attempt(world, () =>
    loadList(harness.pool.pool, [...listed], { asOf: new Date(listedAt).toISOString(), now: clock.now() }),
  );
  if ('done' in loaded) {
    Object.assign(stops, { listed, listedAt });
    for (const address of listed) stops.everNamed.add(address);
    await noteScreenings(world);
  }
  return outcome(loaded, 'loaded');
}

/** Switches the screening on, if it is off, with a list without any payer or payee of a store. */
export async function switchOn(world: World): Promise<void> {
  const { stops } = world.records;
  if (!stops.isScreening) {
    set(world, { SCREENING_LIST_KEY: LIST_KEY });
    stops.isScreening = true;
  }
  if (stops.listed === null) await load(world, []);
}

/** The next list names these people too. */
export async function listPeople(world: World, ...people: readonly Addresses[]): Promise<string> {
  await switchOn(world);
  return load(world, [...(world.records.stops.listed ?? []), ...people.flatMap((one) => Object.values(one))]);
}

/** The next list has no payer or payee of a store. What is a hit stays one. */
const listNobody = (world: World): Promise<string> => load(world, []);

async function changeList({ world, random }: Scene): Promise<string> {
  const { stops } = world.records;
  const isOff = !stops.isScreening;
  await switchOn(world);
  const person = random.pick(LISTABLE);
  const own = new Set(Object.values(person.addresses));
  const former = [...(stops.listed ?? [])];
  const isNamed = former.some((one) => own.has(one));
  const kept = former.filter((one) => !own.has(one));
  const said = await load(world, isNamed ? kept : [...kept, ...own]);
  const says = `The operator loads a list ${isNamed ? 'without' : 'with'} ${person.name}: ${said}`;
  return isOff ? `The operator switches the screening on. ${says}` : says;
}

/** Reads and freezes what a list has changed. */
export const SCREENING_STEPS = /^(screen|quarantine frozen) ?/;

const hasHook = ({ context }: World): boolean => context.config.SCREENING_HOOK_URL !== undefined;

/** The operator adds the hook, if there is none, and it answers like this from now on. */
export function setHook(world: World, mode: HookMode, named?: Iterable<string>): void {
  const { hook } = world.harness;
  if (!hasHook(world)) set(world, { SCREENING_HOOK_URL: hook.url, SCREENING_HOOK_SECRET: HOOK_SECRET });
  hook.mode = mode;
  if (named === undefined) return;
  hook.named = new Set(named);
  for (const address of hook.named) world.records.stops.everNamed.add(address);
}

/** The operator takes the hook out of the settings. */
export const removeHook = (world: World): void => set(world, NO_HOOK);

function changeHook({ world, random }: Scene): string | null {
  if (!world.records.stops.isScreening) return null;
  if (hasHook(world) && random.chance(40)) {
    removeHook(world);
    return 'The operator removes the hook of the screening';
  }
  const mode = random.pick(HOOK_MODES);
  const person = random.pick(LISTABLE);
  setHook(world, mode, mode === 'answers' ? Object.values(person.addresses) : undefined);
  const says = { answers: `names ${person.name}`, unknown: 'knows no address', fails: 'fails' }[mode];
  return `The hook of the screening ${says}`;
}

/** One operator's decision about a hit. A release that was not by two independent people is a violation. */
async function decide(world: World, hit: ScreeningHit, move: Move, userId: string): Promise<Attempted<void>> {
  const { digest, requestedBy } = hit.release;
  const decision = { screening: hit.id, digest, move, userId, note: 'looked at it', address: '192.0.2.1' };
  const decided = await attempt(world, () => decideRelease(world.context, decision));
  const requester = requestedBy?.userId ?? null;
  if (move === 'approve' && 'done' in decided && (requester === null || !isIndependent(world, requester, userId)))
    throw new Error(`a hit was released by operators ${requester} and ${userId}, who are not independent`);
  await noteScreenings(world);
  return decided;
}

async function hitsOf(world: World): Promise<readonly ScreeningHit[]> {
  if (!world.records.stops.isScreening) return [];
  const listed = await attempt(world, () => listHits(world.context, { before: null, limit: MAX_HITS }));
  return 'done' in listed ? listed.done.rows : [];
}

async function decideSome({ world, random }: Scene): Promise<string | null> {
  const hits = await hitsOf(world);
  if (hits.length === 0) return null;
  const hit = random.pick(hits);
  const move: Move =
    hit.release.requestedBy === null
      ? random.pick(['request', 'request', 'approve'])
      : random.pick(['approve', 'approve', 'decline']);
  const userId = random.pick(world.operators);
  const decided = await decide(world, hit, move, userId);
  const who = `Operator ${world.operators.indexOf(userId) + 1}`;
  return `${who}: ${move} the release of a ${hit.role} on ${hit.network}: ${outcome(decided)}`;
}

/** Two independent operators release every hit. Returns how many. */
export async function releaseAll(world: World): Promise<number> {
  const hits = await hitsOf(world);
  const [first, second] = world.operators as [string, string];
  for (const hit of hits) {
    const { requestedBy } = hit.release;
    if (requestedBy === null) await decide(world, hit, 'request', first);
    const [current] = requestedBy === null ? (await hitsOf(world)).filter(({ id }) => id === hit.id) : [hit];
    const requester = requestedBy?.userId ?? first;
    if (current) await decide(world, current, 'approve', requester === second ? first : second);
  }
  return hits.length;
}

/** The end of a history: a list without any of them, no hook, and every hit released. */
export async function endScreening(world: World): Promise<void> {
  const { stops } = world.records;
  if (!stops.isScreening) return;
  if (hasHook(world)) removeHook(world);
  if (stops.listed === null || stops.listed.size > Object.values(SANCTIONED).length) await listNobody(world);
  await releaseAll(world);
}

export const SCREENING_ACTIONS: readonly Action[] = [
  { name: 'a sanctions list changes', weight: 6, act: changeList },
  {
    name: 'the worker screens',
    weight: 10,
    act: async ({ world }) => {
      if (!world.records.stops.isScreening) return null;
      const failed = await runSome(world, SCREENING_STEPS);
      return `The worker screens and quarantines${failed.length > 0 ? `; failed: ${failed.join(', ')}` : ''}`;
    },
  },
  { name: 'the hook of the screening changes', weight: 2, act: changeHook },
  { name: 'decide about a hit', weight: 8, act: decideSome },
  {
    name: 'every hit is released',
    weight: 2,
    act: async ({ world }) => {
      const count = await releaseAll(world);
      return count > 0 ? `Two operators release ${count} hits` : null;
    },
  },
];
