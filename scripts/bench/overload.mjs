// `npm run bench -- overload`: finds the capacity of the web process, sends five times that, then measures the
// recovery. A request that cannot be served gets 429 or 503 with Retry-After. Served requests must not wait long.

import { onProduct } from './on-product.mjs';
import { judge, median } from './setup.mjs';

const TIMES = 5;
const SECONDS = 20;
/** As many as are in flight at five times the load if every response takes fifty milliseconds. */
const CONNECTIONS = 600;
const CAPACITY = { rounds: 5, seconds: 2, connections: 32, mostPerSecond: 9000 };
const WARM_UP_SECONDS = 3;
/** The load afterwards is half of the capacity. */
const AFTER = { part: 0.5, seconds: 15, connections: 64 };
const RECOVERED_SECONDS = 5;
const P99_MS = 50;
/** For requests served during the overload: a client that waits this long has not given up. */
const LONGEST_P99_MS = 2000;
/** As a part of its capacity alone; the load generator uses the same processors. */
const LEAST_SERVED = 0.2;
const MAX_MEGABYTES = 512;

/** Resolves to whether every target was met. */
export const bench = () => onProduct(measure);

async function measure(generator, server) {
  const capacity = await capacityOf(generator, server);
  const rate = Math.round(TIMES * capacity);
  const before = server.peakMegabytes();
  const during = await generator.send(server, steady(rate, SECONDS, CONNECTIONS));
  const after = await generator.send(
    server,
    steady(Math.round(AFTER.part * capacity), AFTER.seconds, AFTER.connections),
  );
  const memory = server.peakMegabytes();

  const served = (during.counts[200] ?? 0) / during.seconds;
  const bad = Object.entries(during.counts).filter(([status]) => !['200', '429', '503'].includes(status));
  const recovered = recoveredAfter(after.timeline);
  console.log(
    `\nit carries ${capacity.toFixed(0)} signed creates a second; ${rate} a second for ${SECONDS} s, ${CONNECTIONS} connections`,
  );
  console.log(
    `answers by status (1: none came): ${JSON.stringify(during.counts)}; found no free connection: ${during.unsent}`,
  );
  console.log(
    `served ${served.toFixed(0)} a second: p50 ${during.p50.toFixed(0)} ms, p99 ${during.p99.toFixed(0)} ms from when it was due; ` +
      `turned away with p99 ${during.refusedP99.toFixed(0)} ms; web's most memory ${before?.toFixed(0) ?? '-'} MB before, ${memory?.toFixed(0) ?? '-'} MB after`,
  );
  console.log(
    `processor time: web ${during.serverMicros?.toFixed(0) ?? '-'} us a request, load generator ${((during.clientCpuSeconds * 1e6) / during.count).toFixed(0)} us`,
  );
  console.log(`p99 by second afterwards, ms: ${after.timeline.map(({ p99 }) => p99.toFixed(0)).join(' ')}`);
  return judge([
    {
      what: 'other answers than 200, 429 and 503',
      value: JSON.stringify(Object.fromEntries(bad)),
      target: 'none',
      met: bad.length === 0,
    },
    {
      what: '429 and 503 without Retry-After',
      value: during.withoutRetryAfter,
      target: 0,
      met: during.withoutRetryAfter === 0,
    },
    {
      what: 'served meanwhile, of what it carries',
      value: (served / capacity).toFixed(2),
      target: `at least ${LEAST_SERVED}`,
      met: served >= LEAST_SERVED * capacity,
    },
    {
      what: 'p99 of those that were served, ms',
      value: during.p99.toFixed(0),
      target: `under ${LONGEST_P99_MS}`,
      met: during.p99 < LONGEST_P99_MS,
    },
    {
      what: 'seconds until nothing is refused and p99 is short again',
      value: recovered,
      target: `at most ${RECOVERED_SECONDS}`,
      met: recovered <= RECOVERED_SECONDS,
    },
    {
      what: "web's most memory, MB",
      value: memory?.toFixed(0) ?? '-',
      target: `under ${MAX_MEGABYTES}`,
      met: memory === null || memory < MAX_MEGABYTES,
    },
  ]);
}

async function capacityOf(generator, server) {
  const { mostPerSecond, connections, seconds, rounds } = CAPACITY;
  const order = (time) => ({
    kind: 'create',
    seconds: time,
    prepared: mostPerSecond * time,
    connections,
    tolerant: true,
  });
  await generator.send(server, order(WARM_UP_SECONDS));
  const measured = [];
  for (let round = 0; round < rounds; round++) measured.push((await generator.send(server, order(seconds))).perSecond);
  return median(measured);
}

const steady = (rate, seconds, connections) => ({
  kind: 'create',
  rate,
  seconds,
  prepared: rate * seconds,
  connections,
  tolerant: true,
});

/** The second after which the server refused or delayed no request any more. */
function recoveredAfter(timeline) {
  const last = timeline.findLastIndex(({ count, good, p99 }) => good < count || p99 >= P99_MS);
  return last + 1;
}
