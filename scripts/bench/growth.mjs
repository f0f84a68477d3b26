// `npm run bench -- growth`: compares every operation of API, dashboard, console, worker and export with millions of stored
// sessions and with 10,000. Two databases on one PostgreSQL alternate in short blocks. Also prints the bytes of each table.
// `--sessions=`: how many are stored. `--vacuum-minutes=`: how long 200 creates a second are kept up afterwards.

import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { tsImport } from 'tsx/esm/api';
import { addAddresses, addStore, openBenchServer, STORE, withMigrated } from './database.mjs';
import { ordinaryStore } from './growth/lives.mjs';
import { addHistory, pickSessions } from './growth/load.mjs';
import { printSizes } from './growth/sizes.mjs';
import { judge } from './setup.mjs';

const FEW = 10_000;
const MANY = 3_000_000;
/** Stores of the large history, unless they would have fewer sessions than this. */
const [STORES, LEAST_OF_STORE] = [5000, 200];
const ADDRESSES = 20_000;
const PICKED = 400;
const MAX_RATIO = 1.1;
const MASTER_KEY = randomBytes(32);

/** Resolves to whether every target was met. */
export async function bench(args) {
  const sessions = numberIn(args, 'sessions', MANY);
  const minutes = numberIn(args, 'vacuum-minutes', 0);
  const stores = Math.min(STORES, Math.ceil(sessions / LEAST_OF_STORE));
  const server = await openBenchServer();
  const closers = [() => server.stop()];
  try {
    const measure = await tsImport('./growth/measure.ts', import.meta.url);
    const goals = [];
    const sides = [];
    // As many sessions in each ordinary store on both sides: a merchant does not grow because the installation does.
    const sizes = [
      { sessions: FEW, stores: Math.ceil((stores * FEW) / sessions) },
      { sessions, stores },
    ];
    for (const size of sizes) {
      const made = await fill(server.url, size);
      const side = measure.openSide(made);
      closers.push(() => side.end());
      // Months are closed with the statistics that an installation has.
      await connected(made.url, settle);
      await measure.finish(side);
      const broken = await measure.brokenInvariants(side);
      const what = `violated invariants of the books with ${size.sessions.toLocaleString('en-US')} sessions`;
      for (const line of broken) console.log(line);
      goals.push({ what, value: broken.length, target: 'none', met: broken.length === 0 });
      await connected(made.url, settle);
      sides.push({ side, bytes: await connected(made.url, sizeOf) });
    }
    const [few, many] = sides;
    goals.push(
      await connected(many.side.url, (client) => printSizes(client, sessions, { sessions: FEW, bytes: few.bytes })),
    );
    const compared = [];
    for await (const one of measure.compareAll(few.side, many.side)) {
      compared.push(one);
      process.stdout.write(`\r${compared.length} operations`);
    }
    print(compared, sessions);
    goals.push(...compared.map((one) => goalOf(one, sessions)));
    if (minutes > 0) {
      const { keepUp } = await tsImport('./growth/vacuum.ts', import.meta.url);
      goals.push(...(await keepUp(many.side, minutes)));
    }
    return judge(goals);
  } finally {
    for (const close of closers.toReversed()) await close();
  }
}

function numberIn(args, name, otherwise) {
  const given = args.find((one) => one.startsWith(`--${name}=`))?.slice(name.length + 3);
  if (given === undefined) return otherwise;
  if (!/^[1-9]\d*$/.test(given)) throw new Error(`--${name}= needs a number`);
  return Number(given);
}

/** A database with this history. Resolves to what `openSide` needs. */
async function fill(serverUrl, { sessions, stores }) {
  const name = `history_${sessions}`;
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  const started = performance.now();
  await withMigrated(serverUrl, (client) => client.query(`CREATE DATABASE ${name}`));
  return withMigrated(url.href, async (client) => {
    const { apiKey, apiSecret, masterKeys } = await addStore(client, MASTER_KEY);
    await client.query(`UPDATE api_keys SET scopes = scopes || '{payouts:read}'`);
    const seconds = () => ((performance.now() - started) / 1000).toFixed(0);
    const onProgress = (done) => process.stdout.write(`\r${done.toLocaleString('en-US')} sessions in ${seconds()} s`);
    // Logging whole pages takes most of the time of filling indexes. A crash meanwhile ends the benchmark anyway.
    await setting(client, 'SET full_page_writes = off');
    await addHistory(client, { sessions, stores, onProgress });
    await addAddresses(client, ADDRESSES, sessions);
    await setting(client, 'RESET full_page_writes');
    console.log(`\r${sessions.toLocaleString('en-US')} sessions of ${stores + 1} stores, made in ${seconds()} s`);
    return {
      ...{ url: url.href, masterKeys, sessions, ordinaryStore: ordinaryStore(0) },
      evidenceKey: randomBytes(32).toString('base64'),
      key: { storeId: STORE, keyId: 1, apiKey, apiSecret },
      large: await pickSessions(client, STORE, PICKED),
      ordinary: await pickSessions(client, ordinaryStore(0), PICKED),
    };
  });
}

async function setting(client, change) {
  await client.query(`ALTER SYSTEM ${change}`);
  await client.query('SELECT pg_reload_conf()');
}

/** Leaves nothing to do for autovacuum and the checkpointer. */
async function settle(client) {
  await client.query('VACUUM ANALYZE');
  await client.query('CHECKPOINT');
}

const sizeOf = async (client) =>
  (await client.query('SELECT pg_database_size(current_database())::float8 AS bytes')).rows[0].bytes;

async function connected(url, work) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

function print(compared, sessions) {
  console.log(`\none run at a time; medians in ms`);
  const columns = [FEW, sessions].map((one) => one.toLocaleString('en-US').padStart(11)).join('');
  console.log(`${''.padEnd(44)}${columns}   ratio  (its quartiles)`);
  for (const { group, name, few, many, ratio, quartiles } of compared) {
    const spread = quartiles.map((one) => one.toFixed(2)).join(' to ');
    console.log(
      `${`${group}: ${name}`.padEnd(44)}${few.toFixed(2).padStart(11)}${many.toFixed(2).padStart(11)}   ${ratio.toFixed(2).padStart(5)}  (${spread})`,
    );
  }
}

const goalOf = ({ group, name, ratio }, sessions) => ({
  what: `${group}: ${name}: with ${sessions.toLocaleString('en-US')} sessions, of what it takes with ${FEW.toLocaleString('en-US')}`,
  value: ratio.toFixed(3),
  target: `at most ${MAX_RATIO}`,
  met: ratio <= MAX_RATIO,
});
