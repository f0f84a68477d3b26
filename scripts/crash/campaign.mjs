// The kills. A round stops every network's worker at a step, and one network inside of the signer, kills a victim there, starts
// it again, and lets the others go on, now before and now after it is back. It counts what stood where when the victim died.

import { setTimeout as sleep } from 'node:timers/promises';
import { inDatabase } from './database.mjs';
import { SIGNER_POINTS, WORKER_POINTS } from './crash-points.mjs';

export const VICTIMS = ['worker', 'signer', 'postgres'];
export const POINTS = [...WORKER_POINTS, ...SIGNER_POINTS];
/** A refund comes to the rarest step, its end, every second or two. */
const ARRIVAL_LIMIT_MS = 5000;
/** How long those who stand wait for the last one. */
const PATIENCE_MS = 1500;
const LOOK_MS = 10;

/** Kills that are still to be made and kills that were made, by network, victim and point. */
export class Tally {
  #made = new Map();

  constructor(networks, rounds) {
    Object.assign(this, { networks, rounds });
  }

  count(network, victim, point) {
    return this.#made.get(`${network} ${victim} ${point}`) ?? 0;
  }

  add(network, victim, point) {
    this.#made.set(`${network} ${victim} ${point}`, this.count(network, victim, point) + 1);
  }

  missing(network, victim, points) {
    return points.filter((point) => this.count(network, victim, point) < this.rounds);
  }

  /** All that is left, each as `network victim point count`. */
  gaps() {
    const all = this.networks.flatMap((network) =>
      VICTIMS.flatMap((victim) => this.missing(network, victim, POINTS).map((point) => ({ network, victim, point }))),
    );
    return all.map(
      (one) => `${one.network}, ${one.victim} at ${one.point}: ${this.count(one.network, one.victim, one.point)}`,
    );
  }

  total() {
    return [...this.#made.values()].reduce((sum, one) => sum + one, 0);
  }
}

/** Goes on until nothing is missing, or the time is over. */
export async function killAtEveryStep({ installation, tally, random, limitMs, progress }) {
  const end = Date.now() + limitMs;
  for (let round = 0; Date.now() < end; round++) {
    const victims = VICTIMS.filter((victim) =>
      tally.networks.some((name) => tally.missing(name, victim, POINTS).length > 0),
    );
    if (victims.length === 0) return;
    await killOnce({ installation, tally, random, victim: victims[round % victims.length] });
    progress(round + 1);
  }
}

async function killOnce({ installation, tally, random, victim }) {
  const pick = (list) => list[Math.floor(random() * list.length)];
  const { points } = installation;
  const inSigner = pick(tally.networks.filter((name) => tally.missing(name, victim, SIGNER_POINTS).length > 0));
  const wanted = tally.networks
    .filter((network) => network !== inSigner)
    .map((network) => ({ network, at: points[network], point: pick(tally.missing(network, victim, WORKER_POINTS)) }))
    .filter(({ point }) => point);
  for (const { at, point } of wanted) at.arm(point);
  const places = await arrivals(wanted);
  // Only now: while somebody stands in the signer nobody else is answered there.
  if (inSigner) {
    const point = pick(tally.missing(inSigner, victim, SIGNER_POINTS));
    points.signer.arm(`${point} ${inSigner}`);
    places.push(...(await arrivals([{ network: inSigner, at: points.signer, point }])));
  }
  if (places.length === 0) return;
  const revive = await strike(installation, victim, places);
  for (const { network, point } of places) tally.add(network, victim, point);
  const letGo = () => Object.values(points).forEach((one) => one.letGo());
  // Half of the time the others meet the gap that the victim leaves, half of the time its successor.
  if (random() < 0.5) letGo();
  await revive();
  letGo();
  await letTimePass(installation.dataDir);
}

/** Those that stand where they were armed, when all do, or most do and the others take their time. */
async function arrivals(wanted) {
  const started = Date.now();
  const standing = () => wanted.filter(({ at }) => at.isStanding());
  for (let count = 0; count < wanted.length; count = standing().length) {
    const limit = count * 2 > wanted.length ? PATIENCE_MS : ARRIVAL_LIMIT_MS;
    if (Date.now() - started > limit) break;
    await sleep(LOOK_MS);
  }
  for (const { at } of wanted) at.disarm();
  return standing();
}

/** Kills it and answers how to start it again. */
async function strike(installation, victim, places) {
  if (victim === 'postgres') {
    await installation.killPostgres();
    return () => installation.startPostgres();
  }
  if (victim === 'signer') {
    await installation.kill('signer');
    return () => installation.startSigner();
  }
  const networks = places.map(({ network }) => network);
  await Promise.all(networks.map((network) => installation.kill(`worker-${network}`)));
  return () =>
    Promise.all(
      networks.map((network) => {
        // What the dead one stood at, not what its successor comes to.
        installation.points[network].letGo();
        return installation.startWorker(network);
      }),
    );
}

/**
 * As if time had passed: leases end, so that what a victim held is free for its successor, who may meet it still at work; and
 * midnight comes, because the campaign asks for more refunds than a store may make in a day.
 */
export const letTimePass = (dataDir) =>
  inDatabase(dataDir, async (query) => {
    await query(`UPDATE refunds SET next_at = now() WHERE status = 'processing' AND next_at > now()`);
    await query(`UPDATE deliveries SET next_at = now() WHERE status = 'pending' AND next_at > now()`);
    await query('UPDATE refund_days SET count = 0');
  });
