// The load generator, a process of its own: signed requests prepared beforehand, sent over keep-alive raw sockets, one at a
// time on each. Closed loop (as fast as answers come) or, given a rate, open loop: latency counts from the moment at which
// the request was due, so that a stalled server cannot hide its queue. Takes its orders as JSON by IPC.

import { createHmac, randomUUID } from 'node:crypto';
import net from 'node:net';

/** How long the last answers may take after the time is up. */
const DRAIN_MS = 5000;
const HEAD_END = Buffer.from('\r\n\r\n');

process.on('message', (order) => {
  run(order).then(
    (result) => process.send?.({ result }),
    (error) => process.send?.({ error: error.message }),
  );
});

/** @param {{ kind: 'create' | 'read', port: number, apiKey: string, apiSecret: string, ids: string[], prepared: number, seconds: number, connections: number, rate: number | null }} order */
async function run(order) {
  const requests = Array.from({ length: order.prepared }, (_, n) => prepare(order, n));
  const latencies = new Float64Array(order.prepared);
  const state = { next: 0, done: 0, refused: 0, sample: '', latencies, idle: [] };
  const cpu = process.cpuUsage();
  const sockets = await Promise.all(Array.from({ length: order.connections }, () => connect(order.port)));
  const started = performance.now();
  const end = started + order.seconds * 1000;
  // The n-th request is due at once, or evenly spaced at the given rate.
  const due = order.rate === null ? () => 0 : (n) => started + (n * 1000) / order.rate;

  await new Promise((resolve, reject) => {
    let inFlight = 0;
    const finished = () => state.next >= order.prepared || performance.now() >= end;
    const maybeEnd = () => inFlight === 0 && finished() && resolve(undefined);
    const give = (connection) => {
      const now = performance.now();
      if (finished() || due(state.next) > now) return state.idle.push(connection) && maybeEnd();
      const n = state.next++;
      connection.since = order.rate === null ? now : due(n);
      inFlight++;
      return connection.socket.write(requests[n]);
    };
    for (const socket of sockets) {
      const connection = { socket, since: 0 };
      onAnswers(socket, (status, body) => {
        latencies[state.done++] = performance.now() - connection.since;
        inFlight--;
        if (status !== 200) {
          state.refused++;
          state.sample ||= `${status} ${body}`;
        }
        give(connection);
      });
      socket.once('error', reject);
      socket.once('close', () => reject(new Error('the server closed a connection')));
      give(connection);
    }
    if (order.rate !== null) {
      const tick = setInterval(() => {
        for (const connection of state.idle.splice(0)) give(connection);
        if (finished() && inFlight === 0) clearInterval(tick);
      }, 1);
    }
    setTimeout(() => reject(new Error('answers were missing at the end')), order.seconds * 1000 + DRAIN_MS).unref();
  });

  const seconds = (performance.now() - started) / 1000;
  for (const socket of sockets) socket.removeAllListeners('close').destroy();
  const sorted = latencies.subarray(0, state.done).toSorted();
  const used = process.cpuUsage(cpu);
  return {
    count: state.done,
    seconds,
    perSecond: state.done / seconds,
    p50: sorted[Math.floor(sorted.length * 0.5)],
    p99: sorted[Math.floor(sorted.length * 0.99)],
    refused: state.refused,
    sample: state.sample,
    clientCpuSeconds: (used.user + used.system) / 1e6,
  };
}

function prepare({ kind, apiKey, apiSecret, ids }, n) {
  const nonce = randomUUID();
  const timestamp = String(Math.floor(Date.now() / 1000));
  const body =
    kind === 'create'
      ? JSON.stringify({
          amount: 1250,
          currency: 'USD',
          order_id: `bench-${nonce}`,
          description: 'One blue mug',
          metadata: { cart: '42' },
        })
      : '';
  const signature = createHmac('sha256', apiSecret).update(`${timestamp}.${nonce}.${body}`).digest('hex');
  const target =
    kind === 'create'
      ? 'POST /api/v1/checkout/sessions/create'
      : `GET /api/v1/checkout/sessions/${ids[n % ids.length]}`;
  const content =
    kind === 'create' ? `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n` : '';
  return Buffer.from(
    `${target} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${apiKey}\r\nX-Service-Timestamp: ${timestamp}\r\n` +
      `X-Service-Nonce: ${nonce}\r\nX-Service-Signature: ${signature}\r\n${content}\r\n${body}`,
  );
}

function connect(port) {
  return new Promise((resolve, reject) => {
    const socket = net.connect({ port, host: '127.0.0.1', noDelay: true }, () => resolve(socket));
    socket.once('error', reject);
  });
}

/** Calls back with each whole answer; both servers send a Content-Length. */
function onAnswers(socket, callback) {
  let held = null;
  socket.on('data', (chunk) => {
    const bytes = held ? Buffer.concat([held, chunk]) : chunk;
    held = null;
    const headEnd = bytes.indexOf(HEAD_END);
    if (headEnd < 0) return void (held = bytes);
    const head = bytes.latin1Slice(0, headEnd);
    const length = Number(/content-length: *(\d+)/i.exec(head)?.[1]);
    const end = headEnd + HEAD_END.length + length;
    if (Number.isNaN(length)) return socket.destroy(new Error('an answer without Content-Length'));
    if (bytes.length < end) return void (held = bytes);
    return callback(Number(head.slice(9, 12)), bytes.utf8Slice(end - length, end));
  });
}
