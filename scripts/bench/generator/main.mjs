// The load generator, a separate process. It sends prepared signed requests over keep-alive raw sockets, one at a time
// on each. Without a rate it is closed loop: as fast as responses arrive. With a rate it is open loop: latency counts
// from the time at which a request was due, so a stalled server cannot hide its queue. Orders arrive as JSON over IPC.

import { openConnections } from './connections.mjs';
import { prepare } from './requests.mjs';
import { LOST, summary } from './summary.mjs';

/** How long the last responses may take after the measured time. */
const DRAIN_MS = 5000;
/** Poll interval for due requests at a rate. Without a rate, responses trigger requests and only the end is polled. */
const TICK_MS = 1;
const END_TICK_MS = 50;

process.on('message', (order) => {
  run(order).then(
    (result) => process.send?.({ result }),
    (error) => process.send?.({ error: error.message }),
  );
});

/**
 * @typedef {object} Order
 * @property {'create' | 'get'} kind
 * @property {number} port
 * @property {string} apiKey
 * @property {string} apiSecret
 * @property {string[]} [targets] sessions to read, in turn
 * @property {number} prepared
 * @property {number} seconds
 * @property {number} connections
 * @property {number | null} rate requests a second; null: as fast as responses arrive
 * @property {boolean} [tolerant] whether a lost response is counted instead of ending the run
 */

/** @param {Order} order */
async function run(order) {
  const { rate, seconds } = order;
  const requests = Array.from({ length: order.prepared }, (_, n) => prepare(order, n));
  const latencies = new Float64Array(order.prepared);
  const statuses = new Uint16Array(order.prepared);
  const seen = { sample: '', withoutRetryAfter: 0 };
  const connections = await openConnections(order.port, order.connections);
  const cpu = process.cpuUsage();
  const started = performance.now();
  let [next, inFlight] = [0, 0];

  await new Promise((resolve, reject) => {
    const pump = () => {
      const now = performance.now();
      const isOver = now >= started + seconds * 1000;
      const most = isOver ? next : order.prepared;
      while (next < most && connections.hasIdle()) {
        const due = rate === null ? now : started + (next * 1000) / rate;
        if (due > now) break;
        connections.send(requests[next], next, due);
        inFlight++;
        next++;
      }
      if (inFlight === 0 && (isOver || next >= order.prepared)) end(resolve);
    };
    const settle = (n, due, status) => {
      latencies[n] = performance.now() - due;
      statuses[n] = status;
      inFlight--;
    };
    connections.onAnswer = (n, due, { status, head, body }) => {
      settle(n, due, status);
      if (status !== 200) seen.sample ||= `${status} ${body}`;
      if ((status === 429 || status === 503) && !/\r\nretry-after: *\d/i.test(head)) seen.withoutRetryAfter++;
      pump();
    };
    connections.onLost = (n, due, error) => {
      if (!order.tolerant) return end(() => reject(error));
      seen.sample ||= error.message;
      if (n !== null) settle(n, due, LOST);
      return pump();
    };
    const tick = setInterval(pump, rate === null ? END_TICK_MS : TICK_MS);
    const late = setTimeout(
      () => end(order.tolerant ? resolve : () => reject(new Error('answers were missing at the end'))),
      seconds * 1000 + DRAIN_MS,
    );
    const end = (how) => {
      clearInterval(tick);
      clearTimeout(late);
      connections.close();
      how(undefined);
    };
    pump();
  });

  const took = (performance.now() - started) / 1000;
  const used = process.cpuUsage(cpu);
  const due = rate === null ? next : Math.min(order.prepared, Math.floor(rate * seconds));
  return {
    ...summary({ latencies, statuses, sent: next, rate }),
    ...seen,
    /** Requests that were due while no connection was free. */
    unsent: Math.max(0, due - next),
    seconds: took,
    perSecond: next / took,
    clientCpuSeconds: (used.user + used.system) / 1e6,
  };
}
