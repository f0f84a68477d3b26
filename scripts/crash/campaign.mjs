// The kills. A round stops every network's worker at one of its steps with missing kills, one of them inside the signer. It kills a
// victim, restarts it, and releases the others before or after. It counts where each process stood when the victim died.

import { setTimeout as sleep } from 'node:timers/promises';
import { inDatabase } from './database.mjs';
import { SIGNER_POINTS, WORKER_POINTS } from './crash-points.mjs';

export const VICTIMS = ['worker', 'signer', 'postgres'];
export const POINTS = [...WORKER_POINTS, ...SIGNER_POINTS];
/** Refunds reach the rarest step, the last one, every second or two. */
const ARRIVAL_LIMIT_MS = 3000;
/** How long stopped processes wait for the last one, and all of them for one in the signer. */
const TIMEOUT_MS = 600;
const SIGNER_LIMIT_MS = 1500;
const POLL_MS = 10;

/** Planned and completed kills, by network, victim and point. */
export class Tally {
  #made = new Map();

  /** `isSpread`: a kill on one network counts for all of them. */
  constructor(networks, rounds, isSpread = false) {
    Object.assign(this, { networks, rounds, isSpread });
  }

  count(network, victim, point) {
    return this.#made.get(`${network} ${victim} ${point}`) ?? 0;
  }

  add(network, victim, point) {
    this.#made.set(`${network} ${victim} ${point}`, this.count(network, victim, point) + 1);
  }

  missing(network, victim, points) {
    const counted = this.isSpread ? this.networks : [network];
    return points.filter(
      (point) => counted.reduce((sum, one) => sum + this.count(one, victim, point), 0) < this.rounds,
    );
  }

  /** The missing ones with no more kills than their average. Otherwise nearly all kills hit the first steps, which each payment passes. */
  rare(network, victim, points) {
    const missing = this.missing(network, victim, points);
    const counts = missing.map((point) => this.count(network, victim, point));
    const average = counts.reduce((sum, one) => sum + one, 0) / missing.length;
    return missing.filter((_, n) => counts[n] <= average);
  }

  /** All remaining kills, each as `network victim point count`. */
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

/** Runs until every planned kill is made, or the time is up. */
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
    .filter((one) => one !== inSigner)
    .map((network) => ({
      network,
      at: points[network],
      armed: randomHalf(tally.rare(network, victim, WORKER_POINTS), random),
    }))
    .filter(({ armed }) => armed.length > 0);
  const places = await arrivals(wanted);
  // Only now: while a process is stopped in the signer, the signer answers no other process.
  if (inSigner) {
    const armed = randomHalf(tally.rare(inSigner, victim, SIGNER_POINTS), random).map(
      (point) => `${point} ${inSigner}`,
    );
    places.push(...(await arrivals([{ network: inSigner, at: points.signer, armed }], SIGNER_LIMIT_MS)));
  }
  if (places.length === 0) return;
  const revive = await strike(installation, victim, places);
  for (const { network, point } of places) tally.add(network, victim, point);
  const letGo = () => Object.values(points).forEach((one) => one.letGo());
  // A worker that starts asks the signer for its state, for up to ten seconds.
  if (victim === 'worker') points.signer.letGo();
  // Half of the time the others run while the victim is down, half of the time after its restart.
  if (random() < 0.5) letGo();
  await revive();
  letGo();
  await advanceTime(installation.dataDir);
}

/** About half of them, so that a process also gets past points at which it is still to be killed. At least one, if there is one. */
function randomHalf(points, random) {
  const chosen = points.filter(() => random() < 0.5);
  return chosen.length > 0 ? chosen : points;
}

/** Where processes stopped at one of their points, once all have, or most have and the others are slow: { network, point }. */
async function arrivals(wanted, limitMs = ARRIVAL_LIMIT_MS) {
  for (const { at, armed } of wanted) at.arm(armed);
  const started = Date.now();
  const standing = () => wanted.filter(({ at }) => at.standing() !== null);
  for (let count = 0; count < wanted.length; count = standing().length) {
    const limit = count * 2 > wanted.length ? TIMEOUT_MS : limitMs;
    if (Date.now() - started > limit) break;
    await sleep(POLL_MS);
  }
  for (const { at } of wanted) at.disarm();
  return standing().map(({ network, at }) => ({ network, point: at.standing().split(' ')[0] }));
}

/** Kills the victim and returns a function that restarts it. */
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
        // Clears the dead process's report, so that it does not hide the report of its successor.
        installation.points[network].letGo();
        return installation.startWorker(network);
      }),
    );
}

/**
 * Simulates the passing of time. Leases expire, so a successor may take a victim's row while the victim still works.
 * Midnight passes, because the campaign requests more refunds than a store may make in a day.
 */
export const advanceTime = (dataDir) =>
  inDatabase(dataDir, async (query) => {
    for (const table of ['refunds', 'payouts', 'cold_transfers'])
      await query(`UPDATE ${table} SET next_at = now() WHERE status = 'processing' AND next_at > now()`);
    await query(`UPDATE deliveries SET next_at = now() WHERE status = 'pending' AND next_at > now()`);
    await query('UPDATE refund_days SET count = 0');
  });
