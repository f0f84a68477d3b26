// `npm run bench -- idle`: what a whole installation with four local networks does in the database while it is idle:
// transactions a second, changed rows a second by table, and write-ahead log a day.

import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { Installation } from '../crash/installation.mjs';
import { judge } from './setup.mjs';

const NETWORKS = ['ethereum', 'bsc', 'tron', 'solana'];
/** The first seconds fill the address pool, read the chains and send the first mails; a minute later the installation is quiet. */
const [SETTLE_SECONDS, SECONDS] = [210, 120];
const TARGETS = { transactions: 5, walMegabytes: 50 };
const SHOWN = 25;

/** Resolves to whether both targets are met. */
export async function bench() {
  const installation = new Installation({ networks: NETWORKS, workers: { all: NETWORKS }, environment: {} });
  try {
    await installation.start();
    await sleep(SETTLE_SECONDS * 1000);
    const measured = await measure(installation.databaseUrl);
    report(measured.changes);
    return judge([
      goal('transactions a second', measured.transactions, TARGETS.transactions),
      goal('write-ahead log a day, MB', measured.walMegabytes, TARGETS.walMegabytes),
    ]);
  } finally {
    await installation.stop();
  }
}

const goal = (what, value, target) => ({
  what,
  value: value.toFixed(1),
  target: `at most ${target}`,
  met: value <= target,
});

async function measure(connectionString) {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    const before = await read(client);
    await sleep(SECONDS * 1000);
    const after = await read(client);
    const changes = Object.entries(after.changes).map(([table, count]) => [
      table,
      (count - (before.changes[table] ?? 0)) / SECONDS,
    ]);
    return {
      transactions: (after.commits - before.commits) / SECONDS,
      walMegabytes: ((after.wal - before.wal) / 2 ** 20) * (86_400 / SECONDS),
      changes,
    };
  } finally {
    await client.end();
  }
}

/** Processes hand their counts in within a second or, when idle, ten. */
async function read(client) {
  const { rows } =
    await client.query(`SELECT xact_commit::float8 AS commits, (pg_current_wal_lsn() - '0/0')::float8 AS wal,
      (SELECT json_object_agg(relname, n_tup_ins + n_tup_upd + n_tup_del) FROM pg_stat_user_tables) AS changes
    FROM pg_stat_database WHERE datname = current_database()`);
  return rows[0];
}

function report(counts) {
  const some = counts.filter(([, perSecond]) => perSecond > 0).toSorted(([, a], [, b]) => b - a);
  console.log(`\nchanged rows a second: ${some.reduce((sum, [, one]) => sum + one, 0).toFixed(2)}`);
  for (const [name, perSecond] of some.slice(0, SHOWN)) console.log(`${perSecond.toFixed(2).padStart(9)}  ${name}`);
}
