// The number of requests per day that the watcher sends to an endpoint at a main network's block rate. Payouts, balance
// comparisons and fee readers are excluded.

import type { Context } from '@/lib/platform/context';
import { closeSessions, openNetworkScene, openPayee, TICK_MS, type MeasuredNetwork } from './watching/network-scene';

/** The first scan, with its proof, runs once an hour or less. */
const TICKS_BEFORE = 10;
const DAY_SECONDS = 86_400;

export type Measured = {
  readonly network: string;
  readonly open: number;
  readonly seconds: number;
  readonly perDay: number;
  /** Requests per day by method. */
  readonly methods: Readonly<Record<string, number>>;
};

type Measuring = {
  readonly network: MeasuredNetwork;
  /** Pending sessions on the network. */
  readonly open: number;
  /** Of the network's time. */
  readonly seconds: number;
};

/** Watches a network for some of its time. `base` is a context whose clock is not used. */
export async function measureRequests(base: Context, { network, open, seconds }: Measuring): Promise<Measured> {
  await closeSessions(base);
  for (let left = open; left > 0; left--) await openPayee(base, network);
  const scene = await openNetworkScene(base, network);
  try {
    await scene.run(TICKS_BEFORE);
    scene.node.calls.clear();
    await scene.run((seconds * 1000) / TICK_MS);
    const trouble = await scene.trouble();
    if (trouble !== null) throw new Error(`${network} could not be watched: ${trouble}`);
    const counts = [...scene.node.calls].map(([name, count]) => [name, Math.round((count * DAY_SECONDS) / seconds)]);
    const methods = Object.fromEntries(counts) as Record<string, number>;
    const perDay = Object.values(methods).reduce((sum, count) => sum + count, 0);
    return { network, open, seconds, perDay, methods };
  } finally {
    await scene.node.close();
  }
}
