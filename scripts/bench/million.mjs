// `npm run bench -- million`: compares creates, reads and listings with 1,000,000 stored sessions and with 1,000. Two
// databases on one PostgreSQL each have a web process. They alternate in short blocks, so that other load on the
// machine affects both alike.

import { addAddresses, addStore, openBenchServer, withMigrated } from './database.mjs';
import { callsOn } from './million/calls.mjs';
import { addHistory, pickSessions } from './million/history.mjs';
import { startProduct } from './servers.mjs';
import { buildIfNeeded, judge, median, mustSucceed, openGenerator } from './setup.mjs';

const [FEW, MANY] = [1000, 1_000_000];
/** More rounds for calls that wait for the disk, and few calls in each, so that the small history stays small. */
const ROUNDS = { create: 60, get: 25 };
const BLOCK = { create: 15, get: 60 };
const WARM_UP = { create: 60, get: 150 };
/** Sequential: this measures the time of one call and not the capacity of the machine. */
const CONNECTIONS = 1;
const BLOCK_LIMIT_SECONDS = 60;
const ADDRESSES = 20_000;
const PICKED = 400;
const MAX_RATIO = 1.1;

/** Resolves to whether every target was met. */
export async function bench() {
  buildIfNeeded();
  const server = await openBenchServer();
  const closers = [() => server.stop()];
  try {
    const sides = [];
    for (const count of [FEW, MANY]) sides.push(await openSide(server.url, count, closers));
    return await measure(sides);
  } finally {
    for (const close of closers.toReversed()) await close();
  }
}

/** A database with this many sessions, and a web process on it. */
async function openSide(serverUrl, count, closers) {
  const name = `history_${count}`;
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  const started = performance.now();
  await withMigrated(serverUrl, (client) => client.query(`CREATE DATABASE ${name}`));
  const made = await withMigrated(url.href, async (client) => {
    const keys = await addStore(client);
    await addHistory(client, count);
    await addAddresses(client, ADDRESSES, count);
    await client.query('VACUUM ANALYZE');
    await client.query('CHECKPOINT');
    const { rows } = await client.query('SELECT pg_database_size(current_database()) AS bytes');
    return { ...keys, bytes: Number(rows[0].bytes), sessions: await pickSessions(client, PICKED) };
  });
  const took = (performance.now() - started) / 1000;
  console.log(`${count} sessions: ${(made.bytes / 2 ** 20).toFixed(0)} MB, made in ${took.toFixed(0)} s`);
  const server = await startProduct({ ...made, url: url.href });
  closers.push(() => server.stop());
  const generator = openGenerator({ ...made, ids: [] });
  closers.push(() => generator.stop());
  return { server, send: mustSucceed(generator.send), calls: await callsOn(made.sessions, count) };
}

async function measure(sides) {
  const rows = [];
  for (const name of Object.keys(sides[0].calls)) rows.push({ name, ...(await compare(sides, name)) });
  console.log(`\n${ROUNDS.get} rounds (${ROUNDS.create} of creates), one call at a time; medians in ms`);
  console.log(`${'call'.padEnd(32)} ${'1,000'.padStart(8)} ${'1,000,000'.padStart(10)}   ratio  (its quartiles)`);
  for (const { name, few, many, ratio, quartiles } of rows) {
    const spread = quartiles.map((one) => one.toFixed(2)).join(' to ');
    console.log(
      `${name.padEnd(32)} ${few.toFixed(2).padStart(8)} ${many.toFixed(2).padStart(10)}   ${ratio.toFixed(2).padStart(5)}  (${spread})`,
    );
  }
  return judge(
    rows.map(({ name, ratio }) => ({
      what: `${name}: with 1,000,000 sessions, of what it takes with 1,000`,
      value: ratio.toFixed(3),
      target: `at most ${MAX_RATIO}`,
      met: ratio <= MAX_RATIO,
    })),
  );
}

/** The medians of both, and the median of their ratio per round. */
async function compare(sides, name) {
  const block = async ({ server, send, calls }, counts) => {
    const order = calls[name];
    const prepared = counts[order.kind];
    const sent = { ...order, prepared, seconds: BLOCK_LIMIT_SECONDS, connections: CONNECTIONS };
    return (await send(server, sent)).p50;
  };
  for (const side of sides) await block(side, WARM_UP);
  const count = ROUNDS[sides[0].calls[name].kind];
  const rounds = [];
  for (let round = 0; round < count; round++) {
    // The order alternates, because the first run affects the second.
    const isTurned = round % 2 === 1;
    const first = await block(sides[isTurned ? 1 : 0], BLOCK);
    const second = await block(sides[isTurned ? 0 : 1], BLOCK);
    rounds.push(isTurned ? { few: second, many: first } : { few: first, many: second });
  }
  const ratios = rounds.map(({ few, many }) => many / few).toSorted((a, b) => a - b);
  return {
    few: median(rounds.map(({ few }) => few)),
    many: median(rounds.map(({ many }) => many)),
    ratio: median(ratios),
    quartiles: [ratios[Math.floor(count / 4)], ratios[Math.floor((count * 3) / 4)]],
  };
}
