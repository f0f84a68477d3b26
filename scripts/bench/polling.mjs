// `npm run bench -- polling`: the load of 100 open payment pages on the web process. Each page requests its session's
// status every two seconds, as pages do in their first ten minutes.

import pg from 'pg';
import { onProduct } from './on-product.mjs';
import { judge, mustSucceed } from './setup.mjs';

const PAGES = 100;
/** The poll interval of components/checkout/live.tsx. */
const EVERY_SECONDS = 2;
const [WARM_UP_SECONDS, SECONDS] = [10, 60];
const MAX_OF_A_CORE = 0.05;

/** Resolves to whether the load of the pages stays below the target. */
export function bench() {
  if (process.platform !== 'linux') throw new Error('What a process costs is read from /proc, which only Linux has.');
  return onProduct((generator, server, database) => measure(mustSucceed(generator.send), server, database.url));
}

async function measure(send, server, url) {
  await send(server, { kind: 'create', rate: PAGES, seconds: 1, prepared: PAGES, connections: 4 });
  const targets = await waitingPages(url);
  const poll = (seconds) => {
    const rate = PAGES / EVERY_SECONDS;
    return send(server, { kind: 'get', targets, rate, seconds, prepared: rate * seconds, connections: PAGES });
  };
  await poll(WARM_UP_SECONDS);
  const idle = await costOf(server, () => new Promise((wake) => setTimeout(wake, WARM_UP_SECONDS * 1000)));
  let result;
  const busy = await costOf(server, async () => (result = await poll(SECONDS)));
  console.log(`\n${PAGES} pages, each asking every ${EVERY_SECONDS} s, for ${SECONDS} s: ${result.count} answers`);
  console.log(
    `p50 ${result.p50.toFixed(2)} ms, p99 ${result.p99.toFixed(2)} ms; ${percent(busy)} of a core in all, ${percent(idle)} when idle`,
  );
  const cost = busy - idle;
  return judge([
    {
      what: 'of a core for the pages',
      value: percent(cost),
      target: `under ${percent(MAX_OF_A_CORE)}`,
      met: cost < MAX_OF_A_CORE,
    },
  ]);
}

/** The web process's share of a core while `work` runs. */
async function costOf(server, work) {
  const [cpu, start] = [server.cpuSeconds(), performance.now()];
  await work();
  return (server.cpuSeconds() - cpu) / ((performance.now() - start) / 1000);
}

const percent = (share) => `${(share * 100).toFixed(1)} %`;

/** Requests the status of pending sessions as their pages do. */
async function waitingPages(url) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const text = `SELECT id FROM sessions WHERE status = 'pending' AND expires_at > now() ORDER BY created_at DESC LIMIT ${PAGES}`;
  const { rows } = await client.query(text).finally(() => client.end());
  if (rows.length < PAGES) throw new Error(`only ${rows.length} sessions wait for a payment`);
  return rows.map(({ id }) => `/pay/${id}/status`);
}
