// `npm run bench`: compares the product's signed creates and reads per second with a bare server that runs the same
// SQL, one statement for each call, where the product sends creates that wait together as one. Both use the same machine, database
// and run. Also measures latency at half load and round trips per call. `--strict` fails on a missed target.
// `npm run bench -- help` lists the other benchmarks.

import { openBenchDatabase } from './bench/database.mjs';
import { openCountingProxy } from './bench/round-trips.mjs';
import { startBare, startProduct } from './bench/servers.mjs';
import { buildIfNeeded, median, mustSucceed, openGenerator } from './bench/setup.mjs';

/** What is measured, each with the least ratio to the bare server. */
const LOADS = [
  { name: 'create, 64 connections', kind: 'create', connections: 64, ratio: 2.5 },
  { name: 'create, 1 connection', kind: 'create', connections: 1, ratio: 0.9 },
  { name: 'read, 64 connections', kind: 'read', connections: 64, ratio: 0.9 },
];
/** Where the load is given otherwise. */
const CONNECTIONS = 64;
/** Many short rounds, so that other load on the machine affects both servers alike. */
const ROUNDS = 9;
const ROUND_SECONDS = 1.5;
const WARM_UP_SECONDS = 2;
const PAGES_FIRST = 5;
/** Requests prepared for a round: more than any Node server answers in it. */
const MAX_PER_SECOND = { create: 20_000, read: 25_000 };
/** Few enough to fit into the one second for which a key is cached, so that at most two look-ups are counted. */
const COUNTED_CALLS = 500;
const TARGETS = { roundTrips: 1, p99: 50 };
const KINDS = ['create', 'read'];
/** Other benchmarks, by the name on the command line: `npm run bench -- load`. */
const OTHERS = {
  load: { file: './bench/sustained.mjs', what: '1,000 signed creates a second for a minute' },
  overload: { file: './bench/overload.mjs', what: 'five times what it can carry, and how it recovers' },
  growth: {
    file: './bench/growth.mjs',
    what: 'every operation and the bytes a session with 3,000,000 sessions beside 10,000; takes --sessions= and --vacuum-minutes=',
  },
  pages: { file: './bench/pages.mjs', what: 'how soon the dashboard’s pages can be used with 100,000 sessions' },
  polling: { file: './bench/polling.mjs', what: 'what 100 open payment pages cost while they wait' },
  watcher: { file: './bench/watcher/main.mjs', what: 'how fast chains are read; takes names of networks' },
  idle: { file: './bench/idle.mjs', what: 'transactions and write-ahead log of an idle installation' },
  journal: { file: './bench/journal.mjs', what: 'a start of the signer with 1,000,000 records in its journal' },
  requests: {
    file: './bench/requests.mjs',
    what: 'requests a day of watching and of everything, idle and with 200 open sessions',
  },
  statement: {
    file: './bench/statement.mjs',
    what: 'a statement of 1,000,000 lines as a file; takes a number of lines',
  },
  treasury: {
    file: './bench/treasury.mjs',
    what: 'speed and cost of sweeps, payouts and statements; takes names of parts; a missed goal is a failure',
    isStrict: true,
  },
  webhooks: { file: './bench/webhooks.mjs', what: 'deliveries: how soon, how many, a backlog, a restart' },
  latency: { file: './bench/latency.mjs', what: 'from the final block to the webhook; takes --sandbox=FILE' },
};

const strict = process.argv.includes('--strict');
const closers = [];
try {
  const name = process.argv[2] ?? '';
  const other = Object.hasOwn(OTHERS, name) ? OTHERS[name] : null;
  if (/^(--)?help$/.test(name)) help();
  else {
    const met = other ? await (await import(other.file)).bench(process.argv.slice(3)) : await bench();
    process.exitCode = met || !(strict || other?.isStrict) ? 0 : 1;
  }
} finally {
  for (const close of closers.toReversed()) await close();
}

function help() {
  console.log(
    'npm run bench             calls a second beside a bare server, latency at half load, round trips per call',
  );
  for (const [name, { what }] of Object.entries(OTHERS)) console.log(`npm run bench -- ${name.padEnd(8)} ${what}`);
  console.log('With --strict a missed target is a failure: the exit code is 1.');
}

async function bench() {
  buildIfNeeded();
  const database = await openBenchDatabase();
  closers.push(() => database.stop());
  const generator = openGenerator(database);
  closers.push(() => generator.stop());
  const load = loader(generator);

  const servers = [await startBare(database), await startProduct(database)];
  for (const server of servers) closers.push(() => server.stop());
  for (const server of servers) for (const kind of KINDS) await load(server, { kind, seconds: WARM_UP_SECONDS });
  // Production processes render pages too, and the measurement must include that cost.
  for (let n = 0; n < PAGES_FIRST; n++) await (await fetch(`http://127.0.0.1:${servers[1].port}/docs`)).text();

  const results = [];
  for (let round = 0; round < ROUNDS; round++) {
    for (const { name, kind, connections } of LOADS) {
      // The first server alternates, so that a busy moment does not always hit the same one.
      for (const server of round % 2 === 0 ? servers : servers.toReversed()) {
        const result = await load(server, { kind, seconds: ROUND_SECONDS, connections });
        results.push({ server: server.name, name, ...result });
      }
    }
  }
  const half = {};
  const halfLoad = halfLoader(load, servers);
  for (const { name, kind } of LOADS.filter((one) => one.connections === CONNECTIONS))
    half[kind] = await halfLoad(kind, medianOf(results, 'bare', name, 'perSecond') / 2);
  for (const server of servers) await server.stop();
  return report(results, half, await countRoundTrips(database, load));
}

/** Latency at a steady rate. The bare server at the same rate shows the machine's share of it. */
function halfLoader(load, servers) {
  return async (kind, rate) => {
    const p99 = { bare: [], product: [] };
    for (let round = 0; round < ROUNDS; round++) {
      for (const server of servers)
        p99[server.name].push((await load(server, { kind, seconds: ROUND_SECONDS, rate })).p99);
    }
    return { rate, bare: median(p99.bare), product: median(p99.product) };
  };
}

/** Loads one server with one kind of call. */
function loader(generator) {
  const send = mustSucceed(generator.send);
  return (server, { kind, seconds, rate = null, count = null, connections = CONNECTIONS }) => {
    const prepared = count ?? Math.ceil(seconds * (rate ?? MAX_PER_SECOND[kind]));
    const order = { kind: kind === 'create' ? 'create' : 'get', prepared, seconds, rate, connections };
    return send(server, order);
  };
}

/** Counts the product's round trips through a proxy, once its connections are open and its statements prepared. */
async function countRoundTrips(database, load) {
  const proxy = await openCountingProxy(database.url);
  closers.push(() => proxy.close());
  const server = await startProduct({ ...database, url: proxy.url });
  closers.push(() => server.stop());
  const perCall = {};
  for (const kind of KINDS) {
    await load(server, { kind, seconds: 10, count: COUNTED_CALLS });
    const before = proxy.count();
    await load(server, { kind, seconds: 10, count: COUNTED_CALLS });
    perCall[kind] = (proxy.count() - before) / COUNTED_CALLS;
  }
  return perCall;
}

function report(results, half, roundTrips) {
  console.log(`\nmedians of ${ROUNDS} rounds of ${ROUND_SECONDS} s each`);
  console.log(`${''.padEnd(24)}server     calls/s   p50 ms   p99 ms   server CPU us/call   client CPU us/call`);
  for (const { name } of LOADS) {
    for (const server of ['bare', 'product']) {
      const of = (field) => medianOf(results, server, name, field);
      const clientMicros = (of('clientCpuSeconds') * 1e6) / of('count');
      const columns = [
        of('perSecond').toFixed(0).padStart(9),
        of('p50').toFixed(2).padStart(8),
        of('p99').toFixed(2).padStart(8),
        (of('serverMicros')?.toFixed(0) ?? '-').padStart(20),
        clientMicros.toFixed(0).padStart(20),
      ];
      console.log(`${name.padEnd(24)}${server.padEnd(8)} ${columns.join(' ')}`);
    }
  }
  console.log('');
  const goals = [
    ...LOADS.flatMap((one) => loadGoals(results, one)),
    ...KINDS.flatMap((kind) => callGoals(half, roundTrips, kind)),
  ];
  for (const [what, value, target, met] of goals)
    console.log(`${met ? 'met   ' : 'MISSED'}  ${what}: ${value.toFixed(2)} (target ${target})`);
  return goals.every(([, , , met]) => met);
}

function loadGoals(results, { name, ratio: least }) {
  const ratio = medianOf(results, 'product', name, 'perSecond') / medianOf(results, 'bare', name, 'perSecond');
  const p99 = medianOf(results, 'product', name, 'p99');
  return [
    [`${name}: calls per second beside the bare server`, ratio, `at least ${least}`, ratio >= least],
    [`${name}: p99, ms`, p99, `under ${TARGETS.p99}`, p99 < TARGETS.p99],
  ];
}

function callGoals(half, roundTrips, kind) {
  const { rate, bare, product } = half[kind];
  return [
    // The key look-up once a second is not part of a call; creates that wait together share a round trip.
    [
      `${kind}: database round trips per call`,
      roundTrips[kind],
      `at most ${TARGETS.roundTrips}`,
      roundTrips[kind] < TARGETS.roundTrips + 0.05,
    ],
    [
      `${kind}: p99 at half of the bare server's load (${rate.toFixed(0)} a second), ms`,
      product,
      `under ${TARGETS.p99}; the bare server takes ${bare.toFixed(2)}`,
      product < TARGETS.p99,
    ],
  ];
}

function medianOf(results, server, name, field) {
  return median(results.filter((one) => one.server === server && one.name === name).map((one) => one[field]));
}
