// The database is lost while a refund is under way: a backup is made at some moment of an order, it and others go on, and the backup is
// restored. Then merchant and customers do again what the database has forgotten.

import { backUp, restore } from '@/simulation/faults/restore-faults';
import { CUSTOMERS } from '@/simulation/parties';
import { readSnapshot } from '@/simulation/snapshot';
import type { Terms } from '@/simulation/stores';
import { words, type Action, type Done, type Scene } from './action';
import { askForRefund, NO_ORDER, goOn, openPaidOrder, pay, stepsOn, type Order } from './orders';
import { call, createSession, decideException, REFUNDS, said } from './merchants';
import { takeUp } from './refunding';

const sceneOf = async (scene: Scene): Promise<Scene> => ({
  ...scene,
  now: await readSnapshot(scene.world.harness.database.pool),
});

/** The merchant sends a payment back that did not count. */
async function sendBack(scene: Scene, { id }: Terms): Promise<string> {
  const { now, ...rest } = await sceneOf(scene);
  const exceptions = now.exceptions.filter((one) => one.session_id === id);
  return words(await decideException({ ...rest, now: { ...now, exceptions } }, 'refund'));
}

async function payOut(scene: Scene, order: Order): Promise<void> {
  const { random } = scene;
  await takeUp({ scene, order });
  await goOn(scene, stepsOn(order.means, 'refunds'), { rounds: random.int(1, 3), blocks: random.pick([0, 1, 6]) });
}

/** The merchant's program repeats a request until it has an answer, so it sends it again when the refund is unknown. */
async function repeat({ world }: Scene, { terms, means }: Order, refundId: string): Promise<string> {
  const body = { session_id: terms.id, refund_id: refundId, amount: Number(terms.dueCents), currency: means.currency };
  const reply = await call(world, terms.store, { path: `${REFUNDS}/create`, body });
  return `${terms.store.name} asks for ${refundId} again: ${said(reply)}`;
}

/** The refund of a price, which the merchant's program asks for again: at once from a standby, or after the operator has recovered it. */
async function refundAcrossRestore(scene: Scene): Promise<Done | null> {
  const { random, world } = scene;
  if (world.harness.pool.server() !== 'well') return null;
  const order = await openPaidOrder(scene, random.pick(CUSTOMERS), { amount: BigInt(random.int(200, 5000)) });
  if (!order) return NO_ORDER;
  const told: string[] = [await backUp(scene), words(await createSession(scene))];
  const { says, refundId } = await askForRefund(scene, order);
  told.push(says);
  const isFailover = random.chance(60);
  if (!isFailover) await payOut(scene, order);
  else {
    await takeUp({ scene, order });
    await goOn(scene, stepsOn(order.means, 'refunds'), { rounds: 1, seconds: 1, blocks: random.pick([0, 6]) });
  }
  const atOnce = async (): Promise<string> => {
    const repeated = await repeat(scene, order, refundId);
    await takeUp({ scene, order });
    await goOn(scene, stepsOn(order.means, 'refunds'), { rounds: 3, seconds: 5 });
    return repeated;
  };
  const options = isFailover ? { keepsProcesses: true, atOnce } : {};
  told.push(words(await restore(await sceneOf(scene), options)));
  if (!isFailover) told.push(await repeat(scene, order, refundId));
  await payOut(scene, order);
  return { says: told.join('; '), isRestored: true };
}

/** A second payment, which went back before the backup was restored, and which the merchant is asked about again. */
async function returnAcrossRestore(scene: Scene): Promise<Done | null> {
  const { random, world } = scene;
  if (world.harness.pool.server() !== 'well') return null;
  const order = await openPaidOrder(scene, random.pick(CUSTOMERS), { amount: BigInt(random.int(200, 5000)) });
  if (!order) return NO_ORDER;
  const told: string[] = [
    await backUp(scene),
    words(await createSession(scene)),
    pay(scene, order, random.pick(CUSTOMERS)),
  ];
  await goOn(scene, stepsOn(order.means, 'watch'), { rounds: 2 });
  told.push(await sendBack(scene, order.terms));
  await payOut(scene, order);
  told.push(words(await restore(await sceneOf(scene))));
  await goOn(scene, stepsOn(order.means, 'watch'), { rounds: 2 });
  told.push(await sendBack(scene, order.terms));
  await payOut(scene, order);
  return { says: told.join('; '), isRestored: true };
}

export const RESTORE_JOURNEYS: readonly Action[] = [
  { name: 'a restored database has forgotten a refund', weight: 7, act: refundAcrossRestore },
  { name: 'a restored database has forgotten a return', weight: 7, act: returnAcrossRestore },
];
