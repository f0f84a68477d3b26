// What goes wrong while one refund is under way: each trouble begins when the merchant has asked for the refund, and drives the
// worker, the people and the network until it is over.

import { CRASH_POINTS } from '@/lib/platform/crash-point';
import { redirectRefund } from '@/simulation/faults/intruder';
import { crashDuring, killed } from '@/simulation/faults/process-faults';
import type { StatementFault } from '@/simulation/faults/simulated-pool';
import { readSnapshot } from '@/simulation/snapshot';
import { words, type Scene } from './action';
import { askForAddress, claim, nameOnPage } from './claims';
import { freeze } from './operators';
import { NETWORK_TROUBLES } from './network-troubles';
import { cancel, goOn, refundsOf, stepsOn } from './orders';
import { recover, runSome } from './product';
import { runRefunds, takeUp, work, type Refunding, type Trouble } from './refunding';
import { mineAll } from './time';

/** Longer than the pause between two comparisons of ledger and chain. */
const AN_HOUR = 3601;
const STATEMENT_FAULTS: readonly StatementFault[] = ['crash_before', 'crash_after', 'lost_before', 'lost_after'];

/** Commits of one run that pays a refund. */
const MOST_COMMITS = 3;

async function processDies(at: Refunding): Promise<string> {
  const { world, random } = at.scene;
  const point = random.pick(CRASH_POINTS);
  await takeUp(at);
  const isStruck = await crashDuring(world, point, async () => {
    await runRefunds(at);
    await work(at, { rounds: 1 });
  });
  recover(world);
  world.advance(random.int(1, 400));
  await work(at, { rounds: 2 });
  return isStruck ? killed(point) : 'nothing happens';
}

/** The write that finishes the refund fails, or an earlier one. */
async function databaseFails(at: Refunding): Promise<string> {
  const { world, random } = at.scene;
  const { pool } = world.harness;
  await takeUp(at);
  if (random.chance(90)) {
    await runRefunds(at);
    world.advance(20);
    mineAll(world, () => 6);
  }
  const fault = random.pick(STATEMENT_FAULTS);
  const commit = random.int(1, MOST_COMMITS);
  pool.plan(fault, commit, 'commits');
  await runRefunds(at);
  const isStruck = pool.hasStruck();
  recover(world);
  await work(at, { rounds: random.int(0, 1) });
  return isStruck ? `"${fault}" strikes at commit ${commit}` : 'nothing happens';
}

async function merchantCancels(at: Refunding): Promise<string> {
  const { scene, order, refundId } = at;
  const { signer } = scene.world.harness;
  if (scene.random.chance(80)) await takeUp(at);
  signer.isDown = scene.random.chance(50);
  await runRefunds(at);
  const canceled = await cancel(scene, order.terms, refundId);
  signer.isDown = false;
  await work(at, { rounds: 2 });
  return canceled;
}

async function operatorFreezes(at: Refunding): Promise<string> {
  await takeUp(at);
  const frozen = await freeze(at.scene);
  await runRefunds(at);
  return frozen;
}

async function signerIsAway(at: Refunding): Promise<string> {
  const { world, random } = at.scene;
  const { signer } = world.harness;
  await takeUp(at);
  const seconds = random.int(30, 300);
  if (random.chance(70)) {
    // The signer signs, and its answer is lost.
    await crashDuring(world, random.pick(['after-journal', 'before-answer', 'after-signed', 'after-asked']), () =>
      runRefunds(at),
    );
    recover(world);
  }
  signer.isDown = true;
  await runRefunds(at);
  world.advance(seconds);
  signer.isDown = false;
  await work(at, { rounds: 2 });
  return `the signer is away for ${seconds} s`;
}

/** The worker compares ledger and chain for hours, and does not come to the refund. */
async function hoursPass(at: Refunding): Promise<string> {
  const { world, random } = at.scene;
  await takeUp(at);
  await runRefunds(at);
  if (random.chance(70)) mineAll(world, () => 6);
  for (let hour = 0; hour < 3; hour++) {
    world.advance(AN_HOUR);
    await runSome(world, stepsOn(at.order.means, 'reconcile'));
  }
  await work(at, { rounds: 2 });
  return 'three hours pass before the worker looks at the refund again';
}

async function webIsTaken(at: Refunding): Promise<string> {
  const { world, random } = at.scene;
  await takeUp(at);
  const [refund] = await refundsOf(world, at.order.terms);
  if (!refund) return 'nothing happens';
  const kind = random.pick(['payer', 'claim'] as const);
  const changed = await redirectRefund(world, { ...refund, kind }, () => work(at, { rounds: 2 }));
  return `an intruder redirects ${changed} refunds`;
}

/** The customer names another address before the waiting period of the refund is over. */
async function addressIsGivenAtOnce(at: Refunding): Promise<string> {
  const { scene, order } = at;
  const now = async (): Promise<Scene> => {
    const { sessions, refunds, ...rest } = await readSnapshot(scene.world.harness.database.pool);
    const own = { sessions: sessions.filter(({ id }) => id === order.terms.id) };
    return { ...scene, now: { ...rest, ...own, refunds: refunds.filter((one) => one.session_id === order.terms.id) } };
  };
  await goOn(scene, stepsOn(order.means, 'refunds'), { rounds: 1, seconds: 1, blocks: 0 });
  const told: string[] = [];
  if (scene.random.chance(50)) told.push(words(await nameOnPage(await now())));
  else {
    told.push(words(await askForAddress(await now())));
    await runRefunds(at);
    told.push(words(await claim(await now())));
  }
  await runRefunds(at);
  return told.join('; ');
}

/** Those that a payout meets too. */
export const PAYMENT_TROUBLES: readonly Trouble[] = [
  ...NETWORK_TROUBLES,
  { name: 'a process dies', act: processDies },
  { name: 'the database fails', act: databaseFails },
  { name: 'an operator freezes', act: operatorFreezes },
  { name: 'the signer is away', act: signerIsAway },
  { name: 'hours pass', act: hoursPass },
];

export const TROUBLES: readonly Trouble[] = [
  ...PAYMENT_TROUBLES,
  { name: 'its merchant cancels it', act: merchantCancels },
  { name: 'an intruder writes', act: webIsTaken },
  { name: 'an address is given at once', act: addressIsGivenAtOnce },
];
