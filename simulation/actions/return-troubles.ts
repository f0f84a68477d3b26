// What goes wrong while a return of the cold wallet is under way: each trouble begins when it is signed, sends it, and drives the worker and
// the people until the trouble is over.

import { RETURN_CRASH_POINTS } from '@/lib/platform/crash-point';
import { crashDuring } from '@/simulation/faults/process-faults';
import type { StatementFault } from '@/simulation/faults/simulated-pool';
import { COLD, TREASURY, WALLET } from '@/simulation/parties';
import { Interrupted } from '@/simulation/returns/machines';
import { compareWallet } from './cold-orders';
import { freeze } from './operators';
import { recover, runSome } from './product';
import { followReturns, sendSigned } from './returns';
import { RETURN_NETWORK_TROUBLES } from './return-network-troubles';
import { chainOf, follow, giveUpOpen, meansOf, sceneOf, send, type Returning, type ReturnTrouble } from './returning';
import { mineAll } from './time';

async function processDies(back: Returning): Promise<string> {
  const { world, random } = sceneOf(back);
  const point = random.pick(RETURN_CRASH_POINTS);
  const reports: string[] = [];
  const isStruck = await crashDuring(world, point, async () => {
    reports.push(await send(back));
    await follow(back, { rounds: 2 });
  });
  recover(world);
  world.advance(random.int(1, 400));
  reports.push(isStruck ? `a process is killed at the point "${point}" of a return` : 'no process passes the point');
  return reports.join('; ');
}

const STATEMENT_FAULTS: readonly StatementFault[] = [
  'crash_before',
  'crash_after',
  'lost_before',
  'lost_after',
  'conflict',
];

/** A commit fails: that of the signatures, or that of the end. */
async function databaseFails(back: Returning): Promise<string> {
  const { world, random } = sceneOf(back);
  const { pool } = world.harness;
  const fault = random.pick(STATEMENT_FAULTS);
  const reports: string[] = [];
  if (random.chance(50)) {
    reports.push(await send(back));
    mineAll(world, () => 6);
    pool.plan(fault, 1, 'commits');
    await followReturns(world);
  } else {
    pool.plan(fault, random.int(1, 2), 'commits');
    reports.push(await send(back));
  }
  reports.push(pool.hasStruck() ? `"${fault}" strikes at a commit` : 'nothing fails');
  recover(world);
  if (random.chance(50)) reports.push(await send(back));
  return reports.join('; ');
}

/** The operator's wallet program sends from the cold wallet as well: it may use the same account nonce, or money that the return needs. */
async function spentElsewhere(back: Returning): Promise<string> {
  const { world, random } = sceneOf(back);
  const { chain, currency } = meansOf(back);
  const { family } = chain.spec;
  const spend = (): void => {
    const recipient = random.pick([TREASURY[family], WALLET[family]]);
    const movement = { token: chain.spec.tokens[currency]!.contract, payer: COLD[family], recipient };
    const amount = random.pick([1n, 10n ** 30n]);
    world.records.returns.sentElsewhere.add(chain.pay({ ...movement, amount, needsFunds: true }));
  };
  const isFirst = random.chance(50);
  if (isFirst) spend();
  if (isFirst && random.chance(50)) mineAll(world, () => random.pick([1, 6]));
  const sent = await send(back);
  if (!isFirst) spend();
  await follow(back, { rounds: 2, blocks: random.pick([1, 6]) });
  return `${sent}; the operator’s wallet program sends from the cold wallet${isFirst ? ' before' : ''}`;
}

async function signerIsAway(back: Returning): Promise<string> {
  const { world, random } = sceneOf(back);
  const { signer } = world.harness;
  signer.isDown = true;
  const reports = ['the signer is away', await send(back)];
  await follow(back, { rounds: 1 });
  signer.isDown = false;
  if (random.chance(50)) reports.push(await freeze(sceneOf(back)));
  reports.push(await send(back));
  await follow(back, { rounds: random.int(0, 2) });
  return reports.join('; ');
}

/** The command waits while the worker follows the same return, until it has ended or the operator interrupts it. */
async function bothFollow(back: Returning): Promise<string> {
  const { world, random } = sceneOf(back);
  let pauses = random.int(1, 12);
  const sent = await sendSigned(world, back.file, async () => {
    if (pauses-- <= 0) throw new Interrupted('the operator stops waiting');
    world.advance(3);
    mineAll(world, () => random.int(0, 2));
    if (random.chance(60)) await runSome(world, /^(follow cold returns|reconcile)/);
  });
  return `${sent}; the command waits beside the worker`;
}

/** The file comes back late: a transfer on TRON has expired, and after a day every request. */
async function carriedSlowly(back: Returning): Promise<string> {
  const { world, random } = sceneOf(back);
  const minutes = random.pick([30, 80, 95, 1500]);
  world.advance(minutes * 60);
  mineAll(world, () => 6);
  const sent = await send(back);
  return `${minutes} minutes pass; ${sent}`;
}

/** The wallet is compared while the return is final and the worker has not followed it. */
async function comparedFirst(back: Returning): Promise<string> {
  const { scene } = back.at;
  const sent = await send(back);
  await compareWallet(scene, meansOf(back), scene.random.int(1, 4));
  return `${sent}; the wallet is compared before the worker follows the return`;
}

/** It is sent between two statements of the comparison, and may be final before the next one. */
async function sentWithinComparison(back: Returning): Promise<string> {
  const { world, random } = sceneOf(back);
  const { pool } = world.harness;
  const statement = random.int(1, 60);
  const reports: string[] = [];
  pool.pauseAt(statement, async () => {
    reports.push(await send(back));
    mineAll(world, () => random.pick([0, 1, 8]));
    if (random.chance(40)) await followReturns(world);
  });
  await compareWallet(back.at.scene, meansOf(back), 3);
  if (reports.length === 0) return send(back);
  return `before statement ${statement} of the comparison: ${reports.join('; ')}`;
}

/** Again and again, also when it has ended. */
async function sentTwice(back: Returning): Promise<string> {
  const { random } = sceneOf(back);
  const reports: string[] = [];
  for (let times = random.int(2, 4); times > 0; times--) {
    reports.push(await send(back));
    await follow(back, { rounds: random.int(0, 1), blocks: random.pick([0, 1, 6]) });
  }
  return reports.join('; ');
}

/** The operator tries to give it up at every stage. */
export async function givenUpAtAnyStage(back: Returning): Promise<string> {
  const { random } = sceneOf(back);
  const reports = [await send(back)];
  for (let stage = random.int(2, 4); stage > 0; stage--) {
    if (random.chance(50)) chainOf(back).dropWaiting();
    await follow(back, { rounds: random.pick([0, 0, 1]), blocks: random.pick([0, 1, 1, 6]) });
    reports.push(await giveUpOpen(back));
  }
  return reports.join('; ');
}

export const RETURN_TROUBLES: readonly ReturnTrouble[] = [
  ...RETURN_NETWORK_TROUBLES,
  { name: 'a process dies', act: processDies },
  { name: 'the database fails', act: databaseFails },
  { name: 'the cold wallet is used elsewhere', act: spentElsewhere },
  { name: 'the signer is away', act: signerIsAway },
  { name: 'the command waits beside the worker', act: bothFollow },
  { name: 'the file is carried slowly', act: carriedSlowly },
  { name: 'the wallet is compared first', act: comparedFirst },
  { name: 'it is sent within a comparison', act: sentWithinComparison },
  { name: 'it is sent twice', act: sentTwice },
];
