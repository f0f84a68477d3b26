// The load generator, a process of its own: signed requests prepared beforehand, sent over keep-alive raw sockets, one at a
// time on each. Closed loop (as fast as answers come) or, given a rate, open loop: latency counts from the moment at which
// the request was due, so that a stalled server cannot hide its queue. Takes its orders as JSON by IPC.

import { openConnections } from './connections.mjs';
import { prepare } from './requests.mjs';
import { LOST, summary } from './summary.mjs';

/** How long the last answers may take after the time is up. */
const DRAIN_MS = 5000;

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
 * @property {string[]} [targets] what to get, in turn
 * @property {number} prepared
 * @property {number} seconds
 * @property {number} connections
 * @property {number | null} rate requests a second; null: as fast as answers come
 * @property {boolean} [tolerant] whether a lost answer is counted, where it otherwise ends the run
 */

/** @param {Order} order */
async function run(order) {
  const { rate, seconds } = order;
  const requests = Array.from({ length: order.prepared }, (_, n) => prepare(order, n));
  const latencies = new Float64Array(order.prepared);
  const statuses = new Uint16Array(order.prepared);
  const seen = { sample: '', withoutRetry: 0 };
  let [next, inFlight, started] = [0, 0, 0];
  const sinceDue = (n) => (rate === null ? performance.now() : started + (n * 1000) / rate);

  const cpu = process.cpuUsage();
  await new Promise((resolve, reject) => {
    const end = () => performance.now() >= started + seconds * 1000 || next >= order.prepared;
    const pump = () => {
      while (connections.hasIdle() && !end() && sinceDue(next) <= performance.now()) {
        connections.send(next, requests[next], sinceDue(next));
        inFlight++;
        next++;
      }
      if (inFlight === 0 && end()) resolve(undefined);
    };
    const settle = (n, since, status) => {
      latencies[n] = performance.now() - since;
      statuses[n] = status;
      inFlight--;
    };
    const connections = openConnections(order.port, order.connections, {
      opened() {
        started = performance.now();
        if (rate !== null) setInterval(pump, 1).unref();
        // Without a rate every answer sends the next request; this only notices the end.
        else setInterval(pump, 50).unref();
        setTimeout(() => {
          if (order.tolerant) resolve(undefined);
          else reject(new Error('answers were missing at the end'));
        }, seconds * 1000 + DRAIN_MS).unref();
        pump();
      },
      answered(n, since, { status, head, body }) {
        settle(n, since, status);
        if (status !== 200) seen.sample ||= `${status} ${body}`;
        if ((status === 429 || status === 503) && !/\r\nretry-after: *\d/i.test(head)) seen.withoutRetry++;
        pump();
      },
      broke(n, since, error) {
        if (!order.tolerant) return reject(error);
        if (n !== null) settle(n, since, LOST);
        return pump();
      },
    });
  });
  return null;
}
