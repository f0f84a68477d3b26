// The requests per day that a whole installation sends to one endpoint at a main network's block rate. It counts the
// watcher, endpoint checks, balance comparisons, fees, hourly identity proofs, closing sessions, payments and refunds.
// Continuous work is measured over some minutes; single events are measured once and multiplied by their daily number.

import type { Context } from '@/lib/platform/context';
import { compareAll, endCost, paymentCost, proofCost, refundCost } from './installation-costs';
import { counted, openSteps, run, untilCompleted, type Steps } from './installation-steps';
import {
  closeSessions,
  openNetworkScene,
  openPayee,
  TICK_MS,
  type MeasuredNetwork,
  type NetworkScene,
  type Payee,
} from './network-scene';
import { answerSending } from '@/testing/refunds/sending-answers';

/** A shop with 200 sessions a day, half of them paid and one in ten refunded, and their addresses of the last month. */
const A_DAY = { addresses: 6000, ended: 100, payments: 100, refunds: 20 } as const;
/** Addresses that were ever paid. The rolling comparison reads its maximum at a time. */
const EVER_PAID = 100;
const DAY_SECONDS = 86_400;
/** The identity of an endpoint is proven every hour. */
const PROOFS = 24;
/** The number of payments by which the cost of one is measured. */
const PAYMENTS = 5;
/** Warm-up before the measurement, so that everything ran once. */
const WARM_UP_TICKS = 600;

type Part = 'steady' | 'proofs' | 'daily comparison' | 'ended sessions' | 'payments' | 'refunds';
export type InstallationRequests = {
  readonly network: MeasuredNetwork;
  readonly open: number;
  readonly perDay: number;
  /** Requests a day by purpose. */
  readonly parts: Readonly<Record<Part, number>>;
  /** The cost of one of each. */
  readonly each: Readonly<Record<'address' | 'ended' | 'payment' | 'refund', number>>;
};

type Measuring = { readonly network: MeasuredNetwork; readonly open: number; readonly seconds: number };

export async function measureInstallation(
  base: Context,
  { network, open, seconds }: Measuring,
): Promise<InstallationRequests> {
  await closeSessions(base);
  // Addresses of former scenes are not compared.
  await base.pool.query(
    `UPDATE sessions SET created_at = '2020-01-01', closed_at = '2020-01-02' WHERE status <> 'pending'`,
  );
  const scene = await openNetworkScene(base, network);
  try {
    answerSending(scene.node);
    const steps = openSteps(scene);
    await payMany(base, scene, steps);
    const payees: Payee[] = [];
    for (let left = open; left > 0; left--) payees.push(await openPayee(base, network));
    await run(scene, steps, WARM_UP_TICKS);
    const steady = await counted(scene, () => run(scene, steps, (seconds * 1000) / TICK_MS));
    const perTick = (steady * TICK_MS) / (seconds * 1000);
    const proof = await proofCost(scene);
    const address = (await compareAll(scene, steps.balances)) / EVER_PAID;
    const [last, ...others] = payees;
    const ended = last ? await endCost(scene, steps.balances, last) : 0;
    const refund = open > 0 ? await refundCost(scene, steps) : 0;
    const paying = others.slice(0, PAYMENTS);
    const payment = paying.length > 0 ? await paymentCost(scene, steps, { payees: paying, perTick }) : 0;
    const trouble = await scene.trouble();
    if (trouble !== null) throw new Error(`${network} could not be watched: ${trouble}`);
    const parts = {
      steady: (steady * DAY_SECONDS) / seconds,
      proofs: PROOFS * proof,
      'daily comparison': A_DAY.addresses * address,
      'ended sessions': open > 0 ? A_DAY.ended * ended : 0,
      payments: open > 0 ? A_DAY.payments * payment : 0,
      refunds: open > 0 ? A_DAY.refunds * refund : 0,
    };
    const perDay = Math.round(Object.values(parts).reduce((sum, one) => sum + one, 0));
    return { network, open, perDay, parts, each: { address, ended, payment, refund } };
  } finally {
    await scene.node.close();
  }
}

/** Paid and closed sessions. */
async function payMany(base: Context, scene: NetworkScene, steps: Steps): Promise<void> {
  const paid: Payee[] = [];
  for (let left = EVER_PAID; left > 0; left--) paid.push(await openPayee(base, scene.network));
  await scene.run(10);
  for (const payee of paid) scene.pay(payee);
  await untilCompleted(scene, steps, paid);
}
