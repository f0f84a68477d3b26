// The drill of a lost database: refunds and payouts run on local chains, pgBackRest archives the log, and then the database is lost.
// It is restored to a point in the middle of refunds and payouts, long before the loss, while chains and the signer's journal are as they
// are. The operator follows docs/operate/backup.md, merchants repeat their requests, and nothing may be paid or given out twice.
// `--seconds N` before and after the point (60), `--network NAME` (ethereum and bsc), `--seed N`, `--keep`.

import { randomInt } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { findEngine, prepareEngine } from '../backup/testing-engine.mjs';
import { inDatabase, openPayouts, pointWebhooks } from '../crash/database.mjs';
import { Installation } from '../crash/installation.mjs';
import { seeded } from '../crash/killer.mjs';
import { Merchant } from '../crash/merchant.mjs';
import { openReceiver } from '../crash/receiver.mjs';
import { Refunding } from '../crash/refunding.mjs';
import { openWallets } from '../crash/wallets.mjs';
import { command as backup } from '../stabletill/backup.mjs';
import { command as restore } from '../stabletill/restore.mjs';
import { givenOut, judgeRestore } from './restore/judge.mjs';
import { archivedUpTo, middleOf, settled } from './restore/moments.mjs';
import { frozenBecause, recoverRefunds, unfreeze } from './restore/operator.mjs';

export const summary = 'loses the database in the middle of refunds and payouts, and restores an earlier point in time';

const ENVIRONMENT = {
  REFUND_HOLD_SECONDS_TEST: '1',
  ...{ SIGNER_CENTS_PER_HOUR: '1000000000', SIGNER_CENTS_PER_DAY: '1000000000' },
  ...{ SIGNER_PAYOUT_CENTS_PER_PAYOUT: '1000000000', SIGNER_PAYOUT_CENTS_PER_HOUR: '1000000000' },
  ...{ SIGNER_PAYOUT_CENTS_PER_DAY: '1000000000', PAYOUT_ADDRESS_DELAY_SECONDS_TEST: '0', LOG_LEVEL: 'info' },
};
const DAY_LIMIT = 1_000_000_000;

/** @param {string[]} args */
export async function drill(args) {
  const { values: options } = parseArgs({
    args,
    options: {
      seconds: { type: 'string', default: '60' },
      network: { type: 'string', multiple: true, default: ['ethereum', 'bsc'] },
      seed: { type: 'string', default: String(randomInt(2 ** 31)) },
      keep: { type: 'boolean', default: false },
    },
  });
  const engine = findEngine();
  if (!engine) throw new Error('pgBackRest is not installed: apt-get install pgbackrest.');
  console.log(
    `drill restore, pgBackRest ${engine.version}, ${engine.programs ?? 'embedded PostgreSQL'}, seed ${options.seed}`,
  );
  const home = fs.mkdtempSync(path.join(os.tmpdir(), 'stabletill-backups-'));
  fs.chmodSync(home, 0o755);
  const serverOf = (given) => {
    const prepared = prepareEngine({ directory: home, ...given });
    Object.assign(process.env, prepared.environment);
    return { settings: prepared.settings, programs: engine.programs };
  };
  const installation = new Installation({ networks: options.network, environment: ENVIRONMENT, serverOf });
  const found = await run({ installation, options }).catch((error) => [
    { guarantee: 'the drill runs to its end', broken: [error.stack] },
  ]);
  const isBroken = found.some(({ broken }) => broken.length > 0);
  const keep = options.keep || isBroken;
  await installation
    .stop({ keep })
    .catch((error) => found.push({ guarantee: 'the installation ends cleanly', broken: [error.message] }));
  for (const { guarantee, broken } of found) {
    console.log(`${broken.length === 0 ? 'ok    ' : 'FAILED'}  ${guarantee}`);
    for (const one of broken.slice(0, 10)) console.log(`          ${one}`);
  }
  if (keep) console.log(`kept: ${installation.dataDir}, ${home}`);
  else for (const one of [home, `${installation.dataDir}.lost`]) fs.rmSync(one, { recursive: true, force: true });
  return !isBroken;
}

async function run({ installation, options }) {
  const random = seeded(Number(options.seed));
  const started = performance.now();
  const say = (text) =>
    console.log(`  ${String(Math.round((performance.now() - started) / 1000)).padStart(4)} s  ${text}`);
  const description = await installation.start();
  const { dataDir } = installation;
  process.env.DATABASE_URL = installation.databaseUrl;
  const receiver = await openReceiver(random);
  await pointWebhooks(dataDir, receiver.url);
  await inDatabase(dataDir, (query) => query('UPDATE stores SET refund_day_limit = $1', [DAY_LIMIT]));
  const wallets = openWallets(description.networks);
  const sides = {};
  for (const [n, network] of options.network.entries()) {
    const merchant = new Merchant(description.base_url, description.stores[n % description.stores.length]);
    const wallet = wallets[network];
    const { address } = wallet.network.payer;
    await openPayouts(dataDir, {
      storeId: merchant.store.id,
      network,
      address: address.startsWith('0x') ? address.toLowerCase() : address,
    });
    sides[network] = { merchant, wallet, refunding: newLoad({ network, merchant, wallet, dataDir, random }) };
  }
  say('the installation runs; full backup');
  await operate(backup, ['--type', 'full'], say);

  for (const { refunding } of Object.values(sides)) refunding.begin();
  const point = await middleOf({ dataDir, seconds: Number(options.seconds) });
  say(
    `the point: ${point.time}, with ${point.completed} completed, ${point.open} under way (${point.signed} of them signed)`,
  );
  await operate(backup, [], say);
  await sleep(Number(options.seconds) * 1000);
  for (const { refunding } of Object.values(sides)) {
    await refunding.stop();
    if (refunding.fault) throw refunding.fault;
  }
  await inDatabase(dataDir, (query) => query('SELECT pg_switch_wal()'));
  const before = await givenOut(dataDir);
  const stopped = ['web', 'signer', ...installation.networks.map((network) => `worker-${network}`)];
  for (const name of stopped) await installation.kill(name);
  const lastSay = await archivedUpTo(dataDir);
  await installation.killPostgres();
  say(
    `lost: ${before.payments.size} refunds and payouts, ${before.sessions.size} sessions, ${before.events.size} events; ${lastSay}`,
  );

  const directory = path.join(dataDir, 'postgres');
  fs.renameSync(directory, `${dataDir}.lost`);
  await restoreInto({ point, directory, lost: `${dataDir}.lost`, say });
  await installation.startPostgres();
  process.env.DATABASE_URL = installation.databaseUrl;
  const restored = await givenOut(dataDir);
  say(
    `restored: ${restored.payments.size} refunds and payouts, ${restored.sessions.size} sessions, ${restored.events.size} events`,
  );
  await installation.startSigner();
  await Promise.all([
    installation.startWeb('web'),
    ...installation.networks.map((network) => installation.startWorker(network)),
  ]);
  const reason = await frozenBecause(dataDir);
  say(`the worker froze the signer: ${reason}`);
  const recovered = await recoverRefunds({ dataDir, databaseUrl: installation.databaseUrl });
  say(`refunds recover: ${recovered.split('\n').length} lines; ${recovered.split('\n').at(-1)}`);
  await unfreeze({ dataDir, signerEnvironment: installation.signerEnvironment });
  say('the signer is unfrozen; merchants repeat all their requests');
  const refused = await repeatAll(sides);
  say(`${refused} of them are refused, because their session or money came after the point`);

  for (const side of Object.values(sides)) {
    const next = newLoad({ ...side.refunding.options, random });
    // Names go on, because a merchant never uses one twice.
    next.payments = side.refunding.payments;
    side.refunding = next;
    next.begin();
  }
  await sleep((Number(options.seconds) * 1000) / 2);
  for (const { refunding } of Object.values(sides)) {
    await refunding.stop();
    if (refunding.fault) throw refunding.fault;
  }
  await settled(dataDir);
  say('settled');
  const { guarantees, counts, ...numbers } = await judgeRestore({ installation, before, sides });
  say(JSON.stringify({ ...counts, ...numbers }));
  const proof = await operate(backup, [], say).then(() => operate(restore, ['--verify'], say));
  receiver.close();
  for (const wallet of Object.values(wallets)) wallet.close();
  return [
    {
      guarantee: 'the point was in the middle: refunds or payouts were signed and not final',
      broken: point.signed > 0 ? [] : ['none'],
    },
    { guarantee: 'the worker froze the signer', broken: reason ? [] : ['it did not'] },
    ...guarantees,
    { guarantee: 'the backup of the restored database is proven', broken: proof.code === 0 ? [] : proof.lines },
  ];
}

const newLoad = (options) =>
  Object.assign(new Refunding({ ...options, random: seeded(Math.floor(options.random() * 2 ** 31)) }), { options });

/** Runs a command of `stabletill` and says its first line. */
async function operate(command, words, say) {
  const lines = [];
  const code = await command.run(words, { print: (line) => lines.push(line), note: (line) => lines.push(line) });
  say(`stabletill ${command.name} ${words.join(' ')}: ${lines[0]} (exit code ${code})`);
  return { code, lines };
}

async function restoreInto({ point, directory, lost, say }) {
  // The owner of the files is read from the data directory, which is gone: the restore goes beside the lost one first.
  process.env.PGBACKREST_PG1_PATH = lost;
  await operate(restore, ['--to', point.time, '--into', directory], say);
  delete process.env.PGBACKREST_PG1_PATH;
}

/** Merchants repeat every request with the same name. Returns how many are refused. */
async function repeatAll(sides) {
  let refused = 0;
  for (const { merchant, refunding } of Object.values(sides)) {
    for (const payment of refunding.payments) {
      const { kind, request } = payment;
      const again = kind === 'refund' ? merchant.refund(request) : merchant.payOut(request);
      await again.catch((error) => {
        if (!/ answered 4/.test(error.message)) throw error;
        refused++;
        payment.isRefused = true;
      });
    }
  }
  return refused;
}
