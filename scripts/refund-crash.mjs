// The kill campaign: refunds, payouts, sweeps and moves to cold wallets run on every local chain while SIGKILL hits workers, signer and
// PostgreSQL. Each dies exactly at every step of them, N times per network. Afterwards none of them may be lost or made twice. `--rounds N`
// (20), `--spread` counts the kills of all networks together, `--network NAME`, `--minutes N`, `--seed N`, `--keep`
// leaves the data directory.

import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { advanceTime, killAtEveryStep, POINTS, Tally, VICTIMS } from './crash/campaign.mjs';
import { judgeColdTransfers, pauseColdTransfers } from './crash/cold-judge.mjs';
import { inDatabase, openPayouts, pointWebhooks } from './crash/database.mjs';
import { Installation } from './crash/installation.mjs';
import { seeded } from './crash/killer.mjs';
import { Merchant } from './crash/merchant.mjs';
import { openReceiver } from './crash/receiver.mjs';
import { judgeRefunds } from './crash/refund-judge.mjs';
import { Refunding } from './crash/refunding.mjs';
import { judgeSweeps } from './crash/sweep-judge.mjs';
import { openWallets } from './crash/wallets.mjs';
import { localEntries } from './start/local-treasury.mjs';
import { closingLine } from './test/counts.mjs';

const NETWORKS = ['ethereum', 'bsc', 'tron', 'solana'];
/** Finality takes a few blocks, and lapsed payments are retried after a minute or two. */
const SETTLE_LIMIT_MS = 240_000;
/** Wallets that only the refund wallet pays. Their keys are unknown. */
const COLD_WALLETS = {
  ethereum: '0xc01dc01dc01dc01dc01dc01dc01dc01dc01dc01d',
  bsc: '0xc01dc01dc01dc01dc01dc01dc01dc01dc01dc01d',
  tron: 'TTV2NzGd96Wkh1v1tBKZK7UdFoBvhRMwwY',
  solana: 'GfxjN7rAvkhz1dRckjhLWqKdUQ6EM8TwgC53Se8aCpEu',
};
/** The refund wallet is far above its mark, so that five dollars at a time go to the cold wallet, always. */
const COLD_ENVIRONMENT = {
  COLD_WALLETS: localEntries(COLD_WALLETS),
  REFUND_WALLET_LEVELS: NETWORKS.flatMap((network) =>
    ['USDT', 'USDC'].map((currency) => `${network}@local/${currency}=1:2:3`),
  ).join(','),
  SIGNER_COLD_CENTS_PER_TRANSFER: '500',
  SIGNER_COLD_CENTS_PER_HOUR: '1000000000',
  SIGNER_COLD_CENTS_PER_DAY: '1000000000',
};
/** Limits that thousands of refunds would reach; other tests cover them. */
const ENVIRONMENT = {
  ...COLD_ENVIRONMENT,
  REFUND_HOLD_SECONDS_TEST: '1',
  SIGNER_CENTS_PER_HOUR: '1000000000',
  SIGNER_CENTS_PER_DAY: '1000000000',
  SIGNER_PAYOUT_CENTS_PER_PAYOUT: '1000000000',
  SIGNER_PAYOUT_CENTS_PER_HOUR: '1000000000',
  SIGNER_PAYOUT_CENTS_PER_DAY: '1000000000',
  PAYOUT_ADDRESS_DELAY_SECONDS_TEST: '0',
  LOG_LEVEL: 'info',
};
const DAY_LIMIT = 1_000_000_000;
const SAID_EVERY = 20;

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '20' },
    network: { type: 'string', multiple: true, default: NETWORKS },
    minutes: { type: 'string', default: '60' },
    seed: { type: 'string', default: String(randomInt(2 ** 31)) },
    spread: { type: 'boolean', default: false },
    keep: { type: 'boolean', default: false },
  },
});
const random = seeded(Number(options.seed));
const rounds = Number(options.rounds);
console.log(
  `kill campaign, ${rounds} kills of each at each step of ${options.spread ? 'a' : 'each'} network, seed ${options.seed}`,
);

const installation = new Installation({ networks: options.network, environment: ENVIRONMENT, isSplit: true });
let stopping = false;
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => void stop().finally(() => process.exit(1)));
const found = await run().catch((error) => [{ guarantee: 'the campaign runs to its end', broken: [error.stack] }]);
const isBroken = found.some(({ broken }) => broken.length > 0);
const guarantees = [
  ...found,
  { guarantee: 'the installation ends cleanly', broken: await stop({ keep: options.keep || isBroken }) },
];
for (const { guarantee, broken } of guarantees) {
  console.log(`${broken.length === 0 ? 'ok    ' : 'FAILED'}  ${guarantee}`);
  for (const one of broken.slice(0, 10)) console.log(`          ${one}`);
}
if (isBroken) console.log(`the data directory is kept: ${installation.dataDir}`);
const failed = guarantees.filter((one) => one.broken.length > 0).length;
console.log(closingLine({ passed: guarantees.length - failed, failed }));
process.exit(failed > 0 ? 1 : 0);

/** The error, as a list of one or none. */
async function stop(how = {}) {
  if (stopping) return [];
  stopping = true;
  return installation.stop(how).then(
    () => [],
    (error) => [error.message],
  );
}

async function run() {
  const description = await installation.start();
  const { dataDir } = installation;
  const receiver = await openReceiver(random);
  await pointWebhooks(dataDir, receiver.url);
  await inDatabase(dataDir, (query) => query('UPDATE stores SET refund_day_limit = $1', [DAY_LIMIT]));
  const wallets = openWallets(description.networks);
  const sides = {};
  for (const [n, network] of options.network.entries()) {
    const merchant = new Merchant(description.base_url, description.stores[n % description.stores.length]);
    const wallet = wallets[network];
    await openPayouts(dataDir, {
      storeId: merchant.store.id,
      network,
      address: storedAddress(wallet.network.payer.address),
    });
    const before = {};
    for (const currency of Object.keys(wallet.network.tokens))
      before[currency] = await wallet.balance(currency, wallet.network.payer.address);
    const refunding = new Refunding({
      network,
      merchant,
      wallet,
      dataDir,
      random: seeded(Math.floor(random() * 2 ** 31)),
    });
    sides[network] = { refunding, merchant, wallet, before };
  }

  const tally = new Tally(options.network, rounds, options.spread);
  const started = performance.now();
  const seconds = () => Math.round((performance.now() - started) / 1000);
  const progress = (round) => {
    for (const { refunding } of Object.values(sides)) if (refunding.fault) throw refunding.fault;
    if (round % SAID_EVERY === 0)
      console.log(`  round ${round}: ${tally.total()} kills, ${tally.gaps().length} steps to go, ${seconds()} s`);
  };
  for (const { refunding } of Object.values(sides)) refunding.begin();
  await killAtEveryStep({ installation, tally, random, limitMs: Number(options.minutes) * 60_000, progress });
  await Promise.all(Object.values(sides).map(({ refunding }) => refunding.stop()));
  console.log(`${tally.total()} kills in ${seconds()} s`);
  await pauseColdTransfers(dataDir);
  const open = await settled(dataDir);
  console.log(`settled after ${seconds()} s`);
  const {
    guarantees: judged,
    counts,
    moves,
  } = await judgeRefunds({ sides, receiver, installation, coldWallets: COLD_WALLETS });
  const followed = Object.fromEntries(options.network.map((network) => [network, wallets[network]]));
  const moved = await judgeColdTransfers({ dataDir, wallets: followed, coldWallets: COLD_WALLETS, moves });
  const swept = await judgeSweeps({ dataDir, wallets });
  receiver.close();
  for (const wallet of Object.values(wallets)) wallet.close();
  printTable(tally, counts);
  return [
    {
      guarantee: `each was killed at each step of ${options.spread ? 'a' : 'each'} network at least ${rounds} times`,
      broken: tally.gaps(),
    },
    { guarantee: 'nothing is left to be done', broken: open },
    ...judged,
    ...moved,
    ...swept,
  ];
}

/** Waits until no work is left, or the time is up; returns the remaining work. A cold transfer that the pause holds has no open transaction. */
async function settled(dataDir) {
  for (const end = Date.now() + SETTLE_LIMIT_MS; ; await sleep(1000)) {
    const open = await inDatabase(dataDir, (query) =>
      query(
        `SELECT concat_ws(' ', refund_id, status, hold, hold_message) AS what FROM refunds WHERE status IN ('pending', 'processing')
         UNION ALL SELECT concat_ws(' ', payout_id, status, hold, hold_message) FROM payouts WHERE status IN ('pending', 'processing')
         UNION ALL SELECT concat_ws(' ', id, status, hold_message) FROM cold_transfers
           WHERE status = 'processing' AND signature_requested_at IS NOT NULL AND hold IS DISTINCT FROM 'paused'
         UNION ALL SELECT concat('delivery of event ', event_id) FROM deliveries WHERE status = 'pending'`,
      ),
    );
    if (open.length === 0 || Date.now() > end) return open.map(({ what }) => what);
    await advanceTime(dataDir);
  }
}

/** Addresses of EVM networks are stored in lower case. */
function storedAddress(address) {
  return address.startsWith('0x') ? address.toLowerCase() : address;
}

function printTable(tally, counts) {
  console.log(`\n${'network'.padEnd(10)}${'step'.padEnd(24)}${VICTIMS.map((one) => one.padStart(10)).join('')}`);
  for (const network of options.network) {
    for (const point of POINTS) {
      const kills = VICTIMS.map((victim) => String(tally.count(network, victim, point)).padStart(10));
      console.log(`${network.padEnd(10)}${point.padEnd(24)}${kills.join('')}`);
    }
    const { refunds, payouts, completed, transfers, doubles, lost } = counts[network];
    console.log(
      `${network.padEnd(10)}refunds ${refunds}, payouts ${payouts}, completed ${completed}, transfers on the chain ${transfers}, paid twice ${doubles}, lost ${lost}\n`,
    );
  }
}
