// The request cost of single events on a network scene: an hourly proof, a comparison of addresses, a session that
// closes, a payment, a refund.

import { openBalanceReader, openSender } from '@/lib/networks/families/clients';
import type { Step } from '@/lib/platform/context';
import { untilFinal } from '@/lib/refunds/sending/follow/facts';
import { intervalsOf } from '@/lib/refunds/sending/intervals';
import { counted, MAX_TICKS, run, total, untilCompleted, type Steps } from './installation-steps';
import { TICK_MS, type NetworkScene, type Payee } from './network-scene';
import { mineRefund, refundOrder, RECONCILED } from '@/testing/refunds/refund-on-scene';

/** The adapter proves what an endpoint serves, and so do two readers of balances, the sender and the reader of fees. */
const SENDING = 4;
const MAX_FOLLOWS = 200;
const APART_TICKS = 20;
/** How often the scene checks whether the comparison is finished, in ticks. */
const CHECK_TICKS = 4;

/** The cost of proving what the endpoint serves, in the adapter and in every other reader. */
export async function proofCost(scene: NetworkScene): Promise<number> {
  const { adapter } = scene.openChain();
  const reader = openBalanceReader({ ...scene.options, needed: 1 });
  const wallet = RECONCILED[scene.options.spec.family];
  const [first, again] = [await counted(scene, () => adapter.head()), await counted(scene, () => adapter.head())];
  const [opened, known] = [
    await counted(scene, () => reader.feeCoin(wallet)),
    await counted(scene, () => reader.feeCoin(wallet)),
  ];
  return first - again + SENDING * (opened - known);
}

/** The daily run over every address of the last month: all paid sessions. */
export async function compareAll(scene: NetworkScene, balances: Step): Promise<number> {
  const { pool } = scene.context;
  const chain = `(SELECT id FROM chains WHERE retired_at IS NULL AND network = $1)`;
  await pool.query(
    `UPDATE sessions SET expires_at = created_at WHERE status = 'completed' AND networks @> ARRAY[$1]::text[]`,
    [scene.network],
  );
  await pool.query(
    `UPDATE balance_rounds SET next_at = $2, started_at = $2::timestamptz - interval '1 day' WHERE chain_id = ${chain}`,
    [scene.network, scene.context.clock.now()],
  );
  let requests = 0;
  for (let ticks = 0; ticks < MAX_TICKS; ticks += CHECK_TICKS) {
    requests += await counted(scene, async () => {
      while ((await balances(scene.context)).more);
    });
    const { rows } = await pool.query<{ turns: string; left: string }>(
      `SELECT (SELECT count(*) FROM balance_turns WHERE chain_id = ${chain}) AS turns,
              (SELECT count(*) FROM balance_checks b JOIN sessions s ON s.id = b.session_id
                WHERE b.chain_id = ${chain} AND s.status <> 'pending') AS left`,
      [scene.network],
    );
    if (rows[0]?.turns === '0' && rows[0].left === '0') return requests;
    await scene.run(CHECK_TICKS);
  }
  throw new Error(`${scene.network} did not compare its addresses`);
}

/** The balances of a session that expires unpaid are compared alone. */
export async function endCost(scene: NetworkScene, balances: Step, { id }: Payee): Promise<number> {
  const { pool } = scene.context;
  await pool.query(
    `UPDATE sessions SET expires_at = (SELECT final_time FROM chains WHERE retired_at IS NULL AND network = $2)
    WHERE id = $1`,
    [id, scene.network],
  );
  let requests = 0;
  for (let ticks = 0; ticks < MAX_TICKS; ticks += CHECK_TICKS) {
    requests += await counted(scene, () => balances(scene.context));
    const { rowCount } = await pool.query(`SELECT FROM balance_checks WHERE session_id = $1 AND state = 'proven'`, [
      id,
    ]);
    if (rowCount === 1) return requests;
    await scene.run(CHECK_TICKS);
  }
  throw new Error(`${scene.network} did not prove the balances of a session`);
}

/** The extra cost of a payment over the same time without one. */
export async function paymentCost(
  scene: NetworkScene,
  steps: Steps,
  { payees, perTick }: { readonly payees: readonly Payee[]; readonly perTick: number },
): Promise<number> {
  let ticks = payees.length * APART_TICKS;
  const requests = await counted(scene, async () => {
    for (const payee of payees) {
      scene.pay(payee);
      await run(scene, steps, APART_TICKS);
    }
    ticks += await untilCompleted(scene, steps, payees);
  });
  return Math.max(0, requests - ticks * perTick) / payees.length;
}

/** One refund from draft to terminal state, followed at the worker's rate (lib/refunds/sending/follow/follow). */
export async function refundCost(scene: NetworkScene, steps: Steps): Promise<number> {
  const { spec } = scene.options;
  const sender = openSender({ ...scene.options, needed: 1 });
  const { order, from } = refundOrder(spec);
  await sender.kindOf(order.to);
  const intervals = intervalsOf(spec);
  let requests = await counted(scene, async () => {
    await sender.kindOf(order.to);
    await sender.draft(order, from);
    await sender.newestTime?.();
  });
  const attempt = refundOrder(spec, scene.context.clock.now());
  requests += await counted(scene, async () => {
    await sender.outcome(attempt);
    await sender.broadcast('00');
  });
  mineRefund(scene, attempt);
  for (let follows = 0; follows < MAX_FOLLOWS; follows++) {
    const before = total(scene);
    const outcome = await sender.outcome(attempt);
    requests += total(scene) - before;
    if (outcome.kind === 'landed') return requests;
    if (outcome.kind !== 'waiting' && outcome.kind !== 'seen') throw new Error(`the refund ended as ${outcome.kind}`);
    const inBlock = outcome.kind === 'seen' ? outcome.confirmations : 0;
    const pause = inBlock > 0 ? untilFinal(spec, inBlock, intervals) : intervals.recent;
    await run(scene, steps, Math.ceil(pause / TICK_MS));
  }
  throw new Error(`the refund did not end on ${scene.network}`);
}
