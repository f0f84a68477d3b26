// `npm run bench -- pages`: measures when each dashboard and console page becomes usable with 100,000 stored sessions.
// A page is usable when it reacts to keys and pointer and its last long task has ended, in Chromium on this machine.
// Each page loads in full, as from a bookmark, with the shared files in the cache.

import { openBrowser } from './pages/browser.mjs';
import { addPeople, cookieFor } from './pages/people.mjs';
import { pagesOf } from './pages/pages.mjs';
import { addAddresses, addStore, openBenchServer, withMigrated } from './database.mjs';
import { addHistory } from './growth/load.mjs';
import { startProduct } from './servers.mjs';
import { buildIfNeeded, judge, median } from './setup.mjs';

const SESSIONS = 100_000;
/** Beside the measured store, which has a fourth of the sessions. */
const STORES = 40;
const ADDRESSES = 1000;
const ROUNDS = 5;
const MAX_MS = 1000;

/** Resolves to whether every page is usable in time. */
export async function bench() {
  buildIfNeeded();
  const server = await openBenchServer();
  const closers = [() => server.stop()];
  try {
    const made = await withMigrated(server.url, async (client) => {
      const keys = await addStore(client);
      await addHistory(client, { sessions: SESSIONS, stores: STORES });
      await addAddresses(client, ADDRESSES, SESSIONS);
      const people = await addPeople(client, keys.masterKeys);
      await client.query('VACUUM ANALYZE');
      await client.query('CHECKPOINT');
      return { ...keys, people, pages: await pagesOf(client) };
    });
    const product = await startProduct({ ...made, url: server.url });
    closers.push(() => product.stop());
    const origin = `http://127.0.0.1:${product.port}`;
    const browser = await openBrowser();
    closers.push(() => browser.close());
    const rows = [];
    for (const { who, path } of made.pages) {
      const cookie = await cookieFor(made.masterKeys, origin, made.people[who]);
      rows.push({ path, ...(await measure(browser, { origin, cookie, path })) });
    }
    return report(rows);
  } finally {
    for (const close of closers.toReversed()) await close();
  }
}

async function measure(browser, { origin, cookie, path }) {
  const visit = await browser.visitor(cookie);
  try {
    await visit(`${origin}${path}`);
    const rounds = [];
    for (let round = 0; round < ROUNDS; round++) rounds.push(await visit(`${origin}${path}`));
    const of = (name) => median(rounds.map((one) => one[name]));
    return { firstByte: of('firstByte'), usable: of('usable'), shift: of('shift') };
  } finally {
    await visit.end();
  }
}

function report(rows) {
  console.log(`\n${SESSIONS} sessions, ${ROUNDS} full loads of each page; medians in ms`);
  console.log(`${'page'.padEnd(64)} first byte   usable   layout shift`);
  for (const { path, firstByte, usable, shift } of rows)
    console.log(
      `${path.padEnd(64)} ${firstByte.toFixed(0).padStart(10)} ${usable.toFixed(0).padStart(8)} ${shift.toFixed(3).padStart(14)}`,
    );
  const slowest = rows.reduce((worst, one) => (one.usable > worst.usable ? one : worst));
  const shifts = rows.filter(({ shift }) => shift > 0);
  return judge([
    {
      what: `the slowest page can be used (${slowest.path})`,
      value: `${slowest.usable.toFixed(0)} ms`,
      target: `at most ${MAX_MS} ms`,
      met: slowest.usable <= MAX_MS,
    },
    { what: 'pages whose layout shifts', value: String(shifts.length), target: 'none', met: shifts.length === 0 },
  ]);
}
