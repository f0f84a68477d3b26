// `npm run drill -- failover`: an installation on a PostgreSQL cluster of three machines (Patroni, etcd, HAProxy), two web
// processes, three workers and a signer. Merchants create, customers pay, refunds and payouts run on four networks, while
// each part is killed, cut off or replaced in turn. `--rounds N` (20) strikes of each, `--only TEXT` those whose name has
// it, `--rate N` creates a second (300), `--seed N`, `--record` writes docs/drills.md, `--keep` leaves the data directory.

import { randomInt } from 'node:crypto';
import fs from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { pointWebhooks } from '../crash/database.mjs';
import { Installation } from '../crash/installation.mjs';
import { seeded } from '../crash/killer.mjs';
import { Merchant } from '../crash/merchant.mjs';
import { openReceiver } from '../crash/receiver.mjs';
import { judgeRefunds } from '../crash/refund-judge.mjs';
import { judgeSweeps } from '../crash/sweep-judge.mjs';
import { openWallets } from '../crash/wallets.mjs';
import { closingLine } from '../test/counts.mjs';
import { Cluster } from './failover/cluster.mjs';
import { finishReading, judgeFailover } from './failover/judge.mjs';
import { Load } from './failover/load.mjs';
import { record, sectionOf, tableOf } from './failover/report.mjs';
import { openSides, settled, WITHOUT_LIMITS } from './failover/sides.mjs';
import { strikesOn } from './failover/strikes.mjs';
import { Comparer, Reader } from './failover/witnesses.mjs';

export const summary = 'kills, cuts off and replaces each part of an installation on a PostgreSQL cluster';

const NETWORKS = ['ethereum', 'bsc', 'tron', 'solana'];
const WORKERS = Object.fromEntries(['1', '2', '3'].map((name) => [name, NETWORKS]));
const WEBS = ['web-1', 'web-2'];
const WRITES_BACK_MS = 15_000;
/** After a strike creates run for so long again before the next. */
const CALM_MS = 3000;
const CALM_LIMIT_MS = 60_000;

/** Resolves to whether every guarantee held. */
export async function drill(args) {
  const { values: options } = parseArgs({
    args,
    options: {
      rounds: { type: 'string', default: '20' },
      rate: { type: 'string', default: '300' },
      only: { type: 'string', default: '' },
      seed: { type: 'string', default: String(randomInt(2 ** 31)) },
      record: { type: 'boolean', default: false },
      keep: { type: 'boolean', default: false },
    },
  });
  console.log(`failover drill, ${options.rounds} rounds, seed ${options.seed}`);
  let cluster;
  const installation = new Installation({
    networks: NETWORKS,
    environment: WITHOUT_LIMITS,
    workers: WORKERS,
    webs: WEBS,
    openDatabase: async ({ dataDir, password }) => {
      cluster = new Cluster(dataDir);
      await cluster.start();
      return cluster.createDatabase(password);
    },
  });
  const close = async ({ keep }) => {
    await installation.stop({ keep: true });
    await cluster?.stop();
    if (!keep) fs.rmSync(installation.dataDir, { recursive: true, force: true, maxRetries: 5 });
  };
  for (const signal of ['SIGINT', 'SIGTERM'])
    process.once(signal, () => void close({ keep: true }).finally(() => process.exit(1)));
  const found = await run({ installation, cluster: () => cluster, options }).catch((error) => ({
    guarantees: [{ guarantee: 'the drill runs to its end', broken: [error.stack] }],
  }));
  const isBroken = found.guarantees.some(({ broken }) => broken.length > 0);
  const keep = options.keep || isBroken;
  const fault = await close({ keep }).then(
    () => [],
    (error) => [error.message],
  );
  const guarantees = [...found.guarantees, { guarantee: 'the installation ends cleanly', broken: fault }];
  for (const { guarantee, broken } of guarantees) {
    console.log(`${broken.length === 0 ? 'ok    ' : 'FAILED'}  ${guarantee}`);
    for (const one of broken.slice(0, 10)) console.log(`          ${one}`);
  }
  if (keep) console.log(`the data directory is kept: ${installation.dataDir}`);
  if (options.record && found.results) record(sectionOf({ ...found, guarantees }));
  const failed = guarantees.filter((one) => one.broken.length > 0).length;
  console.log(closingLine({ passed: guarantees.length - failed, failed }));
  return failed === 0;
}

async function run({ installation, cluster, options }) {
  const random = seeded(Number(options.seed));
  const description = await installation.start();
  const { dataDir } = installation;
  const webs = Object.values(installation.webs);
  const receiver = await openReceiver(random);
  await pointWebhooks(dataDir, receiver.url);
  const wallets = openWallets(description.networks);
  const sides = await openSides({ networks: NETWORKS, description, webs, wallets, dataDir, random });
  const load = new Load({
    merchants: description.stores.map((one) => new Merchant(webs, one)),
    rate: Number(options.rate),
  });
  const readers = description.stores.map((one) => ({ storeId: one.id, reader: new Reader(new Merchant(webs, one)) }));
  const comparer = new Comparer(webs.map((url) => new Merchant(url, description.stores[0])));

  const parts = [
    load,
    comparer,
    ...readers.map(({ reader }) => reader),
    ...Object.values(sides).map((one) => one.refunding),
  ];
  for (const one of parts) one.begin();
  await calm(load);
  const strikes = strikesOn({ cluster: cluster(), installation, random }).filter(({ name }) =>
    name.includes(options.only),
  );
  /** @type {{ name: string, isFailover?: boolean, pauses: number[] }[]} */
  const results = strikes.map(({ name, isFailover }) => ({ name, isFailover, pauses: [] }));
  const fault = await strikeAll({
    strikes,
    results,
    parts,
    load,
    cluster: cluster(),
    rounds: Number(options.rounds),
  }).then(
    () => [],
    (error) => [error.message],
  );
  await Promise.all([load, comparer, ...Object.values(sides).map((one) => one.refunding)].map((one) => one.stop()));
  const perSecond = (1000 * load.accepted.length) / (load.ended - load.started);
  const open = await settled(dataDir);
  const seen = await Promise.all(readers.map((one) => finishReading(dataDir, one)));
  const { guarantees: judged, counts } = await judgeRefunds({ sides, receiver, installation });
  const swept = await judgeSweeps({ dataDir, wallets });
  const own = await judgeFailover({ dataDir, load, readers: seen, receiver, comparer });
  receiver.close();
  for (const wallet of Object.values(wallets)) wallet.close();
  const moved = Object.entries(counts).map(([network, one]) => `${network} ${one.refunds} and ${one.payouts}`);
  const lines = [
    `Seed ${options.seed}; ${load.accepted.length} creates, ${perSecond.toFixed(0)} a second (${options.rate} asked for);`,
    `refunds and payouts: ${moved.join(', ')}.`,
  ];
  console.log(`${lines.join(' ')}\n\n${tableOf(results)}\n`);
  const late = results.filter((one) => one.isFailover && one.pauses.some((pause) => pause > WRITES_BACK_MS));
  return {
    results,
    lines,
    guarantees: [
      { guarantee: 'the cluster is whole and creates are steady after every strike', broken: fault },
      {
        guarantee: `writes are back within ${WRITES_BACK_MS / 1000} s of every loss or change of the database's leader`,
        broken: late.map(({ name, pauses }) => `${name}: ${Math.max(...pauses)} ms`),
      },
      { guarantee: 'nothing is left to be done', broken: open },
      ...own,
      ...judged,
      ...swept,
    ],
  };
}

/** Strikes one after the other, each once the cluster is whole again. */
async function strikeAll({ strikes, results, parts, load, cluster, rounds }) {
  for (let round = 1; round <= rounds; round++) {
    for (const [n, one] of strikes.entries()) {
      const fault = parts.find((part) => part.fault)?.fault;
      if (fault) throw fault;
      const since = Date.now();
      const repair = await one.strike();
      await repair();
      await calm(load);
      const pause = load.longestPause(since);
      results[n].pauses.push(pause);
      console.log(`  ${round} ${one.name}: creates paused ${(pause / 1000).toFixed(1)} s`);
      await cluster.whole();
      await calm(load);
    }
  }
}

/** Waits until creates have been answered in every second for a while. */
async function calm(load) {
  const end = Date.now() + CALM_LIMIT_MS;
  for (let since = Date.now(); Date.now() - since < CALM_MS; await sleep(200)) {
    if (load.fault) throw load.fault;
    if (load.recent(1000) === 0) since = Date.now();
    if (Date.now() > end) throw new Error(`creates were not steady again within ${CALM_LIMIT_MS / 1000} s`);
  }
}
