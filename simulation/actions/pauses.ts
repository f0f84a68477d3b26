// Operators pause the refunds, payouts or cold transfers of a network, and resume them; and a payment that meets a pause before or after
// the worker has asked the signer.

import {
  pausePayments,
  PAUSED_KINDS,
  resumePayments,
  type PausedKind,
} from '@/lib/dashboard/operator/treasury/pause-payments';
import { crashDuring } from '@/simulation/faults/process-faults';
import { CUSTOMERS } from '@/simulation/parties';
import { pauseKey } from '@/simulation/stops/records';
import type { World } from '@/simulation/world';
import type { Action, Scene } from './action';
import { attempt, outcome, type Attempted } from './attempt';
import { askForRefund, goOn, NO_ORDER, openPaidOrder, stepsOn } from './orders';
import { requestOfOrder } from './payout-journeys';
import { recover } from './product';
import { runRefunds, takeUp } from './refunding';

type Pause = { readonly kind: PausedKind; readonly network: string };

const isPaused = ({ records }: World, { kind, network }: Pause): boolean =>
  records.stops.paused.has(pauseKey(kind, network));

async function change(world: World, pause: Pause, isPause: boolean, operator: string): Promise<Attempted<void>> {
  const request = { environment: 'test', ...pause, by: `user:${operator}`, address: '192.0.2.1' };
  const done = await attempt(world, () => (isPause ? pausePayments : resumePayments)(world.context, request));
  if ('done' in done) {
    const paused = new Set(world.records.stops.paused);
    if (isPause) paused.add(pauseKey(pause.kind, pause.network));
    else paused.delete(pauseKey(pause.kind, pause.network));
    world.records.stops.paused = paused;
  }
  return done;
}

async function pauseOrResume({ world, random }: Scene): Promise<string> {
  const pause = { kind: random.pick(PAUSED_KINDS), network: random.pick(world.chains).network };
  const isPause = !isPaused(world, pause);
  const done = await change(world, pause, isPause, random.pick(world.operators));
  const what = `${pause.kind.replace('_', ' ')} on ${pause.network}`;
  return `An operator ${isPause ? 'pauses' : 'resumes'} the ${what}: ${outcome(done)}`;
}

export async function resumeAllPayments(world: World): Promise<void> {
  const [operator] = world.operators as [string];
  for (const { network } of world.chains)
    for (const kind of PAUSED_KINDS)
      if (isPaused(world, { kind, network })) await change(world, { kind, network }, false, operator);
}

/** The worker may have asked the signer before the pause, without an answer. */
async function meetsPause(scene: Scene): Promise<string> {
  const { world, random } = scene;
  const amount = BigInt(random.pick([random.int(100, 900), random.int(1000, 8000)]));
  const order = await openPaidOrder(scene, random.pick(CUSTOMERS), { amount });
  if (!order) return NO_ORDER;
  const { network } = order.means.chain;
  const kind: PausedKind = random.pick(['refunds', 'payouts']);
  const told = [kind === 'refunds' ? (await askForRefund(scene, order)).says : await requestOfOrder(scene, order)];
  await takeUp({ scene, order });
  const pay = (rounds: number): Promise<void> =>
    goOn(scene, stepsOn(order.means, 'refunds'), { rounds, blocks: random.pick([1, 6]) });
  if (random.chance(60)) {
    await crashDuring(world, 'after-asked', () => runRefunds({ scene, order, refundId: '' }));
    recover(world);
    told.push('the worker dies while it asks the signer');
  } else if (random.chance(40)) await pay(1);
  // Others are paid meanwhile.
  const paused = random.chance(80) ? kind : random.pick(PAUSED_KINDS);
  const [operator] = world.operators as [string];
  told.push(
    `an operator pauses ${paused} on ${network}: ${outcome(await change(world, { kind: paused, network }, true, operator))}`,
  );
  world.advance(60);
  await pay(random.int(1, 3));
  if (random.chance(70)) {
    await resumeAllPayments(world);
    told.push('an operator resumes all payments');
    world.advance(60);
    await pay(random.int(1, 3));
  }
  return told.join('; ');
}

export const PAUSE_ACTIONS: readonly Action[] = [
  { name: 'an operator pauses or resumes payments', weight: 6, act: pauseOrResume },
];

export const PAUSE_JOURNEYS: readonly Action[] = [{ name: 'a payment meets a pause', weight: 10, act: meetsPause }];
