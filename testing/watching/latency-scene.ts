// The time that a merchant waits from finality to the webhook at a main network's block rate. It adds network time
// until the watcher scans and machine time until the delivery arrives.

import { setTimeout as sleep } from 'node:timers/promises';
import type { Context } from '@/lib/platform/context';
import { runDeliveries } from '@/lib/webhooks/delivery/run';
import type { TestDatabase } from '@/testing/database/database';
import { closeSessions, openNetworkScene, openPayee, type MeasuredNetwork, type NetworkScene } from './network-scene';
import { openReceiver, type Receiver } from '@/testing/receivers/receiver';
import { makeEndpoint } from '@/testing/receivers/webhooks';

/** Longer than the payments and their finality take on Ethereum, in ticks: an hour. */
const MAX_TICKS = 7200;
const ARRIVES_WITHIN_MS = 10_000;
const POLL_MS = 2;

type Measuring = {
  readonly network: MeasuredNetwork;
  readonly payments: number;
  /** Network time between two payments; no multiple of the block interval, so that they hit its every phase. */
  readonly apartMs: number;
};

/** Milliseconds from the final block to the webhook: network time until the watcher scanned, and machine time. */
export type Wait = { readonly network: number; readonly machine: number };

/** The wait of every payment. */
export async function measureLatency(
  database: TestDatabase,
  base: Context,
  { network, payments, apartMs }: Measuring,
): Promise<Wait[]> {
  await closeSessions(base);
  const receiver = await openReceiver();
  const { storeId } = await makeEndpoint(database, base, receiver.url);
  const payees = [];
  for (let left = payments; left > 0; left--) payees.push(await openPayee(base, network, { storeId }));
  const scene = await openNetworkScene(base, network);
  const stop = new AbortController();
  const deliveries = runDeliveries(base, stop.signal);
  try {
    const paid = new Map<string, number>();
    const waits: Wait[] = [];
    await scene.run(10);
    const begin = scene.elapsed();
    for (let tick = 0; waits.length < payments && tick < MAX_TICKS; tick++) {
      const payee = payees[paid.size];
      if (payee && scene.elapsed() - begin >= paid.size * apartMs) paid.set(payee.id, scene.pay(payee));
      const started = Date.now();
      await scene.run(1, async () => void waits.push(...(await arrived(scene, { receiver, paid, started }))));
    }
    if (waits.length < payments)
      throw new Error(`${payments - waits.length} payments on ${network} were not delivered`);
    return waits;
  } finally {
    stop.abort();
    await Promise.all([deliveries, receiver.close(), scene.node.close()]);
  }
}

type Arriving = { readonly receiver: Receiver; readonly paid: Map<string, number>; readonly started: number };

/** The waits of the payments that this step of the watcher completed. */
async function arrived(scene: NetworkScene, { receiver, paid, started }: Arriving): Promise<Wait[]> {
  const { rows } = await scene.context.pool.query<{ id: string }>(
    `SELECT id FROM sessions WHERE status = 'completed' AND id = ANY($1)`,
    [[...paid.keys()]],
  );
  const waits: Wait[] = [];
  for (const { id } of rows) {
    const block = paid.get(id) ?? 0;
    if (block < 0) continue;
    const finalAt = scene.finalAt(block);
    if (finalAt === null) throw new Error(`session ${id} was completed before its payment was final`);
    const at = await arrival(receiver, id);
    waits.push({ network: scene.elapsed() - finalAt, machine: at - started });
    paid.set(id, -1);
  }
  return waits;
}

async function arrival(receiver: Receiver, sessionId: string): Promise<number> {
  const end = Date.now() + ARRIVES_WITHIN_MS;
  while (Date.now() < end) {
    const call = receiver.received.find(({ body }) => body.includes(sessionId) && body.includes('payment.completed'));
    if (call) return call.at;
    await sleep(POLL_MS);
  }
  throw new Error(`no webhook of session ${sessionId} arrived`);
}

export const median = (values: readonly number[]): number => {
  const sorted = values.toSorted((one, other) => one - other);
  return ((sorted[Math.floor((sorted.length - 1) / 2)] ?? 0) + (sorted[Math.ceil((sorted.length - 1) / 2)] ?? 0)) / 2;
};
