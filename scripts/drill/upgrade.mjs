// `npm run drill -- upgrade`: the former release runs with payments, refunds and payouts under way and events that no receiver takes. Under
// load it is upgraded to this release as docs/operate/upgrade.md says, taken back to the former one on the new schema, and upgraded again.
// `--from REF` (the newest tag v* before this commit), `--rate N` creates a second (20), `--seconds N` that both releases run side by side
// (20), `--seed N`, `--record` writes docs/drills.md, `--keep` leaves the data directory.

import { randomInt } from 'node:crypto';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { inDatabase, pointWebhooks } from '../crash/database.mjs';
import { Installation } from '../crash/installation.mjs';
import { seeded } from '../crash/killer.mjs';
import { Merchant } from '../crash/merchant.mjs';
import { openReceiver } from '../crash/receiver.mjs';
import { judgeRefunds } from '../crash/refund-judge.mjs';
import { judgeSweeps } from '../crash/sweep-judge.mjs';
import { openWallets } from '../crash/wallets.mjs';
import { migrate } from '../migrate.mjs';
import { closingLine } from '../test/counts.mjs';
import { ROOT } from '../test/install.mjs';
import { finishReading, judgeFailover } from './failover/judge.mjs';
import { Load } from './failover/load.mjs';
import { record } from './failover/report.mjs';
import { openSides, settled, WITHOUT_LIMITS } from './failover/sides.mjs';
import { Comparer, Reader } from './failover/witnesses.mjs';
import { Balancer } from './upgrade/balancer.mjs';
import { judgeUpgrade, openWork } from './upgrade/judge.mjs';
import { formerRelease, newMigrations, prepareRelease } from './upgrade/release.mjs';
import { sectionOf, tableOf } from './upgrade/report.mjs';
import { DRAIN_SECONDS, operate, Rollout } from './upgrade/rollout.mjs';

export const summary = 'upgrades the former release under load, takes it back, and upgrades it again';

const NETWORKS = ['ethereum', 'bsc', 'tron', 'solana'];
/** What a later version may add, because the drill also migrates under this release. */
const LATER_MIGRATIONS = path.join(import.meta.dirname, 'upgrade/migrations');
/** The upgrade begins once so many events wait and each network has paid a refund. */
const WAITING_EVENTS = 20;
const BUSY_LIMIT_MS = 300_000;

/** Resolves to whether every guarantee held. */
export async function drill(args) {
  const { values: options } = parseArgs({
    args,
    options: {
      from: { type: 'string' },
      rate: { type: 'string', default: '20' },
      seconds: { type: 'string', default: '20' },
      seed: { type: 'string', default: String(randomInt(2 ** 31)) },
      record: { type: 'boolean', default: false },
      keep: { type: 'boolean', default: false },
    },
  });
  const ref = options.from ?? formerRelease();
  const former = prepareRelease(ref, (line) => console.log(line));
  console.log(`upgrade drill from ${ref} (${former.commit}), seed ${options.seed}`);
  const installation = new Installation({
    networks: NETWORKS,
    environment: { ...WITHOUT_LIMITS, DRAIN_SECONDS: String(DRAIN_SECONDS) },
    root: former.root,
    workers: { 0: NETWORKS },
    webs: ['web-1', 'web-2'],
  });
  for (const signal of ['SIGINT', 'SIGTERM'])
    process.once(signal, () => void installation.stop({ keep: true }).finally(() => process.exit(1)));
  const found = await run({ installation, former, options }).catch((error) => ({
    guarantees: [{ guarantee: 'the drill runs to its end', broken: [error.stack] }],
  }));
  const keep = options.keep || found.guarantees.some(({ broken }) => broken.length > 0);
  const fault = await installation.stop({ keep }).then(
    () => [],
    (error) => [error.message],
  );
  const guarantees = [...found.guarantees, { guarantee: 'the installation ends cleanly', broken: fault }];
  for (const { guarantee, broken } of guarantees) {
    console.log(`${broken.length === 0 ? 'ok    ' : 'FAILED'}  ${guarantee}`);
    for (const one of broken.slice(0, 10)) console.log(`          ${one}`);
  }
  if (keep) console.log(`the data directory is kept: ${installation.dataDir}`);
  if (options.record && found.steps) record(sectionOf({ ...found, guarantees }));
  const failed = guarantees.filter((one) => one.broken.length > 0).length;
  console.log(closingLine({ passed: guarantees.length - failed, failed }));
  return failed === 0;
}

async function run({ installation, former, options }) {
  const { dataDir } = installation;
  const scene = await openScene(installation, options);
  const { load, sellers, merchants, readers, receiver, balancer, wallets, sides } = scene;
  for (const one of [load, ...sellers, ...readers.map(({ reader }) => reader)]) one.begin();

  const compared = { compared: 0, broken: [] };
  const rollout = new Rollout({ installation, balancer, worker: '0' });
  const sideBySide = () => sleep(Number(options.seconds) * 1000);
  const compare = async (urls) => {
    const comparer = new Comparer(urls.map((one) => new Merchant(one, scene.description.stores[0])));
    comparer.begin();
    await sideBySide();
    await comparer.stop();
    compared.compared += comparer.compared;
    compared.broken.push(...comparer.broken);
  };
  const { step, steps } = stepsUnder({ load, sellers, merchants });
  const outcome = await upgradeAndBack({ installation, former, rollout, sideBySide, compare, step, dataDir });
  const working = await openWork(dataDir);
  receiver.setDown(false);
  await Promise.all([load, ...sellers].map((one) => one.stop()));
  const open = await settled(dataDir, { isShared: false });
  const seen = await Promise.all(readers.map((one) => finishReading(dataDir, one)));
  const own = await judgeUpgrade({ dataDir, merchants, balancer, readers: seen, ends: rollout.ends });
  const { guarantees: judged, counts } = await judgeRefunds({ sides, receiver, installation });
  const swept = await judgeSweeps({ dataDir, wallets });
  const kept = await judgeFailover({ dataDir, load, readers: seen, receiver, comparer: compared });
  scene.close();
  const lines = linesOf({ ...outcome, former, load, counts, working, excused: own.excused, options });
  console.log(`${lines.join('\n')}\n\n${tableOf(steps)}\n`);
  return {
    steps,
    lines,
    guarantees: [
      { guarantee: 'every step of the upgrade, of the way back and of the second upgrade ends', broken: outcome.fault },
      { guarantee: 'the plan says that web and worker may run meanwhile', broken: outcome.planned },
      { guarantee: 'every process ends by itself when it is told to', broken: rollout.forced },
      ...own.guarantees,
      { guarantee: 'nothing is left to be done', broken: open },
      ...kept,
      ...judged,
      ...swept,
    ],
  };
}

/** Starts the installation and what works against it: merchants behind a balancer, customers' wallets and a receiver that is down. */
async function openScene(installation, options) {
  const random = seeded(Number(options.seed));
  const description = await installation.start();
  const { dataDir } = installation;
  const balancer = new Balancer();
  const url = await balancer.open();
  for (const [name, address] of Object.entries(installation.webs)) await balancer.add(name, address);
  const receiver = await openReceiver(random);
  receiver.setDown(true);
  await pointWebhooks(dataDir, receiver.url);
  // Without it a delivery is given up after half a minute, as the contract says.
  await inDatabase(dataDir, (query) => query('UPDATE webhook_endpoints SET slow_lane = true'));
  const wallets = openWallets(description.networks);
  const sides = await openSides({ networks: NETWORKS, description, webs: [url], wallets, dataDir, random });
  const load = new Load({
    merchants: description.stores.map((one) => new Merchant(url, one)),
    rate: Number(options.rate),
  });
  const readers = description.stores.map((one) => ({ storeId: one.id, reader: new Reader(new Merchant(url, one)) }));
  const merchants = [
    ...load.merchants,
    ...Object.values(sides).map((one) => one.merchant),
    ...readers.map(({ reader }) => reader.merchant),
  ];
  const close = () => {
    receiver.close();
    balancer.close();
    for (const wallet of Object.values(wallets)) wallet.close();
  };
  const sellers = Object.values(sides).map((one) => one.refunding);
  return { description, balancer, receiver, wallets, sides, load, readers, sellers, merchants, close };
}

/** The steps of the page, there, back and there again. */
async function upgradeAndBack({ installation, former, rollout, sideBySide, compare, step, dataDir }) {
  const environment = { DATABASE_URL: installation.databaseUrl, ...installation.rolePasswords };
  const outcome = { met: null, planned: [], applied: newMigrations(former.root).length, fault: [] };
  const forward = async (which) => {
    await installation.use(ROOT);
    await step(`${which}: signer`, () => rollout.signer());
    await step(`${which}: worker, both side by side`, () => rollout.worker({ together: sideBySide }));
    await step(`${which}: web, one at a time`, () => rollout.web({ together: compare, announces: false }));
    await step(`${which}: this release alone`, sideBySide);
  };
  try {
    await step('former release', async () => (outcome.met = await busy(dataDir)));
    await step('`stabletill upgrade --plan`', async () => {
      const { code, lines } = await operate(['upgrade', '--plan'], environment);
      if (code !== 0) outcome.planned = lines;
    });
    await step('`stabletill migrate`', async () => {
      const { code, lines } = await operate(['migrate'], environment);
      if (code !== 0) throw new Error(lines.join('\n'));
    });
    await step('former release on the new schema', sideBySide);
    await forward('upgrade');
    await step('migrations of a later version', () => migrate(installation.databaseUrl, LATER_MIGRATIONS));
    await installation.use(former.root);
    await step('back: web', () => rollout.web({ together: compare, announces: true }));
    await step('back: worker', () => rollout.worker({ together: sideBySide }));
    await step('back: signer', () => rollout.signer());
    await step('back: former release alone', sideBySide);
    await forward('again');
  } catch (error) {
    outcome.fault.push(error.stack);
  }
  return outcome;
}

/** Waits until there is enough work that the upgrade can break, and resolves to it. */
async function busy(dataDir) {
  for (const end = Date.now() + BUSY_LIMIT_MS; ; await sleep(500)) {
    const work = await openWork(dataDir);
    const isBusy = work.networks === NETWORKS.length && work.deliveries >= WAITING_EVENTS && work.refunds > 0;
    if (isBusy) return work;
    if (Date.now() > end) throw new Error(`too little work after ${BUSY_LIMIT_MS / 1000} s: ${JSON.stringify(work)}`);
  }
}

/** Measures each step: how long it took, how long creates waited, and which requests failed. */
function stepsUnder({ load, sellers, merchants }) {
  const steps = [];
  const step = async (name, work) => {
    const since = Date.now();
    for (const one of load.merchants) one.longestWaitMs = 0;
    const former = load.accepted.length;
    await work();
    const fault = [load, ...sellers].find((one) => one.fault)?.fault;
    const measured = {
      name,
      took: Date.now() - since,
      creates: load.accepted.length - former,
      pause: load.longestPause(since),
      waited: Math.max(...load.merchants.map((one) => one.longestWaitMs)),
      failed: merchants.flatMap((one) => one.faults).filter(({ at }) => at >= since).length,
    };
    steps.push(measured);
    console.log(`  ${name}: ${JSON.stringify({ ...measured, name: undefined })}`);
    if (fault) throw fault;
  };
  return { step, steps };
}

function linesOf({ former, load, counts, met, working, applied, excused, options }) {
  const rate = (1000 * load.accepted.length) / (load.ended - load.started);
  const moved = Object.entries(counts).map(([network, one]) => `${network} ${one.refunds} and ${one.payouts}`);
  return [
    `From commit ${former.commit} (${applied} migrations before), seed ${options.seed}; two web processes, a worker and a signer.`,
    `${load.accepted.length} creates, ${rate.toFixed(0)} a second (${options.rate} asked for). Refunds and payouts: ${moved.join(', ')}.`,
    `The upgrade met ${JSON.stringify(met)}, and ${JSON.stringify(working)} waited when the receiver answered again.`,
    `Connections that ended before their answer when web processes of the former release ended: ${excused}.`,
  ];
}
