// A refund that is under way, and the worker that goes on with it.

import type { Scene } from './action';
import { approveAll } from './operators';
import { goOn, stepsOn, type Means, type Order, type Pace } from './orders';
import { runSome } from './product';

export type Refunding = { readonly scene: Scene; readonly order: Order; readonly refundId: string };
export type Trouble = {
  /** Completes "a refund, and …". */
  readonly name: string;
  /** Where the trouble can happen. Absent: everywhere. */
  readonly isFit?: (means: Means, scene: Scene) => boolean;
  /** Returns what happened, in words. */
  readonly act: (at: Refunding) => Promise<string>;
};

/**
 * The refund is taken up, its waiting period passes, and operators approve what is large. The next run of the worker requests the
 * signature.
 */
export async function takeUp({ scene, order }: Pick<Refunding, 'scene' | 'order'>): Promise<void> {
  const { world } = scene;
  const { REFUND_HOLD_SECONDS_TEST: seconds, REFUND_APPROVAL_ABOVE: threshold } = world.context.config;
  // Without a waiting period, one run takes it up and has it signed.
  if (seconds > 0) await goOn(scene, stepsOn(order.means, 'refunds'), { rounds: 1, seconds: 1, blocks: 0 });
  world.advance(seconds + 1);
  if (order.terms.dueCents <= BigInt(threshold)) return;
  await runSome(world, stepsOn(order.means, 'refunds'));
  await approveAll(world);
}

export const runRefunds = ({ scene: { world }, order }: Refunding): Promise<unknown> =>
  runSome(world, stepsOn(order.means, 'refunds'));

/** The worker goes on with the refund. */
export const work = ({ scene, order }: Refunding, pace: Pace): Promise<void> =>
  goOn(scene, stepsOn(order.means, 'refunds'), pace);
