// `npm run bench -- webhooks`: measures the delay from commit to delivery, and 500 deliveries a second while a tenth of
// the receivers hang. It drains 100,000 deliveries in constant memory. A worker killed midway must lose none.

import { setTimeout as sleep } from 'node:timers/promises';
import { tsImport } from 'tsx/esm/api';
import { watchMachine } from './machine.mjs';
import { judge, median } from './setup.mjs';
import { openScene } from './webhooks/scene.mjs';

const [RECEIVERS, HANGING] = [50, 5];
const FIRST = { events: 100, apartMs: 50, mostMs: 250 };
/** Deliveries a second to all receivers; nine tenths go to healthy ones. */
const LOAD = { perSecond: 560, healthyPerSecond: 500, seconds: 30, p99Ms: 2000 };
const DRAIN = { events: 100_000, growthMegabytes: 50, limitSeconds: 600 };
const RESTART = { events: 10_000, limitSeconds: 180 };
/** Concurrent deliveries of one loop (lib/webhooks/delivery/deliver). */
const MAX_IN_FLIGHT = 512;

/** Resolves to whether every target was met. */
export async function bench() {
  const scene = await openScene({ receivers: RECEIVERS, hanging: HANGING });
  try {
    const goals = [
      ...(await firstAttempts(scene)),
      ...(await sustained(scene)),
      ...(await drained(scene)),
      ...(await restarted(scene)),
    ];
    return judge(goals);
  } finally {
    await scene.stop();
  }
}

/** Records an event with the product's own statement, which auto-commits; resolves to the time after the commit. */
async function recorder({ pool }) {
  const { recordPaymentEvent } = await tsImport('../../lib/webhooks/events/record.ts', import.meta.url);
  const nothing = { currency: null, exchangeRate: null, network: null, transactionHash: null, amountReceived: 0n };
  let made = 0;
  return async (store) => {
    const sessionId = `cs_test_bench${Date.now()}${String(made++).padStart(8, '0')}`;
    const session = { storeId: store.id, environment: 'test', sessionId, orderId: sessionId, amountDue: 1250n };
    await recordPaymentEvent(pool, { ...session, ...nothing, type: 'payment.cancelled', now: new Date() });
    return { sessionId, at: Date.now() };
  };
}

/** Milliseconds from commit to arrival of every event of these sessions; and how many did not arrive. */
async function latencies({ pool }, committed, arrivals) {
  const at = new Map(committed.map((one) => [one.sessionId, one.at]));
  const { rows } = await pool.query('SELECT id, object_id FROM events WHERE object_id = ANY($1)', [[...at.keys()]]);
  const came = new Map(arrivals);
  const found = rows.flatMap(({ id, object_id: name }) => (came.has(id) ? [came.get(id) - at.get(name)] : []));
  return { sorted: found.toSorted((a, b) => a - b), lost: committed.length - found.length };
}

async function firstAttempts(scene) {
  const record = await recorder(scene);
  const loop = await scene.startDeliverer();
  const committed = [];
  for (let n = 0; n < FIRST.events; n++) {
    committed.push(await record(scene.stores[HANGING + (n % (RECEIVERS - HANGING))]));
    await sleep(FIRST.apartMs);
  }
  await sleep(1000);
  const { arrivals } = await scene.merchants.take();
  const { sorted, lost } = await latencies(scene, committed, arrivals);
  await loop.kill();
  const middle = median(sorted);
  return [
    {
      what: `first attempt after the commit, median of ${sorted.length}, ms (most ${sorted.at(-1)})`,
      value: middle,
      target: `within ${FIRST.mostMs}`,
      met: lost === 0 && middle <= FIRST.mostMs,
    },
  ];
}

async function sustained(scene) {
  const record = await recorder(scene);
  const loop = await scene.startDeliverer();
  const machine = watchMachine();
  const [committed, pending] = [[], new Set()];
  const began = performance.now();
  for (let made = 0; made < LOAD.perSecond * LOAD.seconds;) {
    const due = Math.min(
      LOAD.perSecond * LOAD.seconds,
      Math.floor(((performance.now() - began) / 1000) * LOAD.perSecond),
    );
    for (; made < due; made++) {
      const index = made % RECEIVERS;
      const one = record(scene.stores[index]).then((event) => index >= HANGING && committed.push(event));
      pending.add(one);
      void one.finally(() => pending.delete(one));
    }
    await sleep(5);
  }
  await Promise.all(pending);
  const seconds = (performance.now() - began) / 1000;
  await sleep(LOAD.p99Ms + 1000);
  const busy = machine();
  const { arrivals } = await scene.merchants.take();
  const { sorted, lost } = await latencies(scene, committed, arrivals);
  await loop.kill();
  await scene.pool.query(`UPDATE deliveries SET status = 'failed', finished_at = now() WHERE status = 'pending'`);
  const rate = sorted.length / seconds;
  const p99 = sorted[Math.floor(sorted.length * 0.99)];
  console.log(
    `  ${sorted.length} delivered in ${seconds.toFixed(1)} s, ${lost} late, median ${median(sorted)} ms, ${busy.toFixed(2)} processors busy`,
  );
  return [
    {
      what: `deliveries a second to healthy receivers, ${HANGING} of ${RECEIVERS} hanging`,
      value: rate.toFixed(0),
      target: `${LOAD.healthyPerSecond} sustained`,
      met: lost === 0 && rate >= LOAD.healthyPerSecond * 0.99,
    },
    { what: 'their p99 from commit to arrival, ms', value: p99, target: `under ${LOAD.p99Ms}`, met: p99 < LOAD.p99Ms },
  ];
}

/** Pending deliveries to the healthy receivers, as a worker finds them after downtime. */
async function addWaiting({ pool, stores }, count, round) {
  await pool.query(
    `WITH event AS (
       INSERT INTO events (id, store_id, environment, type, object_id, body)
       SELECT 'evt_bench_${round}_' || n, ($1::text[])[1 + n % $2::int], 'test', 'payment.expired', 'bench ${round} ' || n, '{"id":"evt","n":' || n || '}'
       FROM generate_series(1, $3::int) n RETURNING id, store_id)
     INSERT INTO deliveries (event_id, store_id, environment) SELECT id, store_id, 'test' FROM event`,
    [stores.slice(HANGING).map(({ id }) => id), RECEIVERS - HANGING, count],
  );
  await pool.query('ANALYZE deliveries, events');
}

/** Resolves to the seconds until this many have arrived; null on timeout. */
async function arrived(scene, count, limitSeconds, onProgress = () => {}) {
  const began = performance.now();
  for (;;) {
    const seen = await scene.merchants.count();
    const seconds = (performance.now() - began) / 1000;
    onProgress(seen.arrived);
    if (seen.arrived >= count) return seconds;
    if (seconds > limitSeconds) return null;
    await sleep(100);
  }
}

async function drained(scene) {
  await addWaiting(scene, DRAIN.events, 'drain');
  const loop = await scene.startDeliverer();
  let [early, most] = [null, 0];
  const seconds = await arrived(scene, DRAIN.events, DRAIN.limitSeconds, (count) => {
    const now = loop.megabytes();
    if (count >= DRAIN.events / 5) early ??= now;
    if (early !== null) most = Math.max(most, now);
  });
  const { again } = await scene.merchants.take();
  await loop.kill();
  const growth = most - (early ?? 0);
  console.log(
    `  ${DRAIN.events} waiting: ${seconds === null ? 'not drained' : `${(DRAIN.events / seconds).toFixed(0)} a second`}, ${most.toFixed(0)} MB at most`,
  );
  return [
    {
      what: `memory while ${DRAIN.events} are drained, MB more than after the first fifth`,
      value: growth.toFixed(1),
      target: `under ${DRAIN.growthMegabytes}, none twice`,
      met: seconds !== null && growth < DRAIN.growthMegabytes && again === 0,
    },
  ];
}

async function restarted(scene) {
  await addWaiting(scene, RESTART.events, 'restart');
  const first = await scene.startDeliverer();
  await arrived(scene, RESTART.events / 3, RESTART.limitSeconds);
  await first.kill();
  const second = await scene.startDeliverer();
  const seconds = await arrived(scene, RESTART.events, RESTART.limitSeconds);
  // The killed worker's leases expire after 45 s; then their receivers get the deliveries again.
  while ((await scene.pool.query(`SELECT 1 FROM deliveries WHERE status = 'pending' LIMIT 1`)).rowCount > 0)
    await sleep(500);
  const { again } = await scene.merchants.take();
  await second.kill();
  return [
    {
      what: `events heard twice after the worker was killed in the middle of ${RESTART.events}`,
      value: again,
      target: `at most ${MAX_IN_FLIGHT}, none lost`,
      met: seconds !== null && again <= MAX_IN_FLIGHT,
    },
  ];
}
