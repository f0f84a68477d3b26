// The crash test: customers pay on all local chains while SIGKILL hits web, worker and PostgreSQL at random times, at
// least fifty times. Afterwards nothing may be lost or doubled. `--seed N` repeats the kills of a run.

import { randomInt } from 'node:crypto';
import fs from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { openSessions, pointWebhooks } from './crash/database.mjs';
import { judge } from './crash/judge.mjs';
import { killOften, seeded } from './crash/killer.mjs';
import { judgeSweeps } from './crash/sweep-judge.mjs';
import { Merchant } from './crash/merchant.mjs';
import { openReceiver } from './crash/receiver.mjs';
import { openWallets } from './crash/wallets.mjs';
import { closingLine } from './test/counts.mjs';
import { lastLines, startSandbox } from './test/sandbox.mjs';

/** On a busy machine, payments take longer: the kills continue until enough payments overlapped them. */
const [LEAST_KILLS, MAX_KILLS] = [70, 200];
const LEAST_PAYMENTS = 50;
/** Customers who come one after the other, each with a pause between actions. */
const CUSTOMERS = 3;
const MAX_SESSIONS = 150;
/** A customer's pauses, so that payments last as long as the kills. */
const PAUSE_MS = 1500;
/** Finality takes a few blocks; a delivery that a kill interrupted is retried after its lease of 45 seconds. */
const SETTLE_LIMIT_MS = 180_000;
const LARGEST_PRICE = 100_000;

const at = process.argv.indexOf('--seed');
const seed = at > 0 ? Number(process.argv[at + 1]) : randomInt(2 ** 31);
const random = seeded(seed);
console.log(`crash test, seed ${seed} (repeat with: node scripts/crash.mjs --seed ${seed})`);

const guarantees = await startSandbox().then(tried, (error) => [
  { guarantee: 'the sandbox starts', broken: [error.message] },
]);
for (const { guarantee, broken } of guarantees) {
  console.log(`${broken.length === 0 ? 'ok    ' : 'FAILED'}  ${guarantee}`);
  for (const one of broken.slice(0, 10)) console.log(`          ${one}`);
}
const failed = guarantees.filter((one) => one.broken.length > 0).length;
console.log(closingLine({ passed: guarantees.length - failed, failed }));
process.exitCode = failed > 0 ? 1 : 0;

async function tried(sandbox) {
  const found = await run(sandbox).catch((error) => [
    { guarantee: 'the crash test runs to its end', broken: [error.stack, lastLines(sandbox.dataDir)] },
  ]);
  const fault = await sandbox.stop().then(
    () => [],
    (error) => [error.message],
  );
  return [...found, { guarantee: 'the sandbox ends cleanly', broken: fault }];
}

async function run(sandbox) {
  const description = JSON.parse(fs.readFileSync(sandbox.jsonFile, 'utf8'));
  const merchants = description.stores.map((store) => new Merchant(description.base_url, store));
  const wallets = openWallets(description.networks);
  const receiver = await openReceiver(seeded(seed + 1));
  await pointWebhooks(sandbox.dataDir, receiver.url);
  const paid = [];
  const state = { over: false };
  const started = performance.now();
  try {
    const customers = Array.from({ length: CUSTOMERS }, () =>
      buyUntilOver({ merchants, wallets, paid, state, random: seeded(Math.floor(random() * 2 ** 31)) }),
    );
    const killing = killOften({
      supervisor: sandbox.child.pid,
      baseUrl: sandbox.baseUrl,
      isEnough: (kills) => kills >= (paid.length >= LEAST_PAYMENTS ? LEAST_KILLS : MAX_KILLS),
      random,
    }).finally(() => (state.over = true));
    const [kills] = await Promise.all([killing, ...customers]);
    const all = Object.values(kills).reduce((sum, one) => sum + one, 0);
    const each = Object.entries(kills).map(([name, count]) => `${name} ${count}`);
    console.log(
      `${all} kills (${each.join(', ')}) during ${paid.length} payments in ${Math.round((performance.now() - started) / 1000)} s`,
    );
    const networks = Object.keys(wallets).map(
      (name) => `${name} ${paid.filter(({ network }) => network === name).length}`,
    );
    console.log(`paid on: ${networks.join(', ')}`);
    const repeats = merchants.reduce((sum, one) => sum + one.repeats, 0);
    const longestWait = Math.round(Math.max(...merchants.map((one) => one.longestWaitMs)) / 1000);
    console.log(`requests that merchants had to repeat: ${repeats}; the longest took ${longestWait} s`);
    await settled(
      sandbox.dataDir,
      paid.map((one) => one.id),
    );
    console.log(`webhooks received: ${receiver.count()}`);
    return [
      {
        guarantee: `there were at least ${LEAST_KILLS} kills during ${LEAST_PAYMENTS} payments or more`,
        broken: all >= LEAST_KILLS && paid.length >= LEAST_PAYMENTS ? [] : [`${all} kills, ${paid.length} payments`],
      },
      {
        guarantee: 'there were payments on every network',
        broken: Object.keys(wallets).filter((name) => !paid.some(({ network }) => network === name)),
      },
      ...(await judge({ paid, wallets, receiver, dataDir: sandbox.dataDir })),
      ...(await judgeSweeps({ wallets, dataDir: sandbox.dataDir })),
    ];
  } finally {
    state.over = true;
    receiver.close();
    for (const wallet of Object.values(wallets)) wallet.close();
  }
}

/** Customers buy and pay one after another: at once, in two parts, or too much. */
async function buyUntilOver({ merchants, wallets, paid, state, random: draw }) {
  const pick = (list) => list[Math.floor(draw() * list.length)];
  while (!state.over && paid.length < MAX_SESSIONS) {
    const merchant = pick(merchants);
    const amount = 2 + Math.floor(draw() * LARGEST_PRICE);
    const session = await merchant.create({ amount, currency: pick(['USD', 'USDT', 'USDC']) });
    const { methods } = await merchant.status(session.id);
    const method = pick(methods.filter((one) => one.network in wallets));
    const parts = pick([[amount], [amount], [1, amount - 1], [amount + 5]]);
    // From here on the session must be completed, because the transfers are sent.
    paid.push({ id: session.id, network: method.network, address: method.address, merchant });
    for (const cents of parts) {
      await wallets[method.network].pay(method.currency, method.address, cents);
      await sleep(draw() * 300);
    }
    await sleep(draw() * PAUSE_MS);
  }
}

/** Waits until these sessions need no more work, or the time is up. */
async function settled(dataDir, ids) {
  const end = Date.now() + SETTLE_LIMIT_MS;
  while (Date.now() < end && (await openSessions(dataDir, ids)).length > 0) await sleep(1000);
}
