// `npm run bench -- latency`: measures from the block that makes a payment final to the webhook's first byte. It covers
// every network of a sandbox with its own block times. `--sandbox=FILE` uses a running sandbox's sandbox.json.

import fs from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { startSandbox } from '../test/sandbox.mjs';
import { openShop } from './latency/shop.mjs';
import { WITNESSES } from './latency/witnesses.mjs';

const TARGET_MS = 1500;
const PAYMENTS = 8;
/** Not a multiple of a block time or of the poll interval, so that the payments meet every phase of both. */
const APART_MS = 830;
const POLL_MS = 15;
/** More than any local chain needs to make a block final, on a busy machine. */
const FINAL_LIMIT_MS = 90_000;
const WEBHOOK_LIMIT_MS = 30_000;

/** Resolves to whether the target was met on every network. */
export async function bench(args) {
  const given = args.find((one) => one.startsWith('--sandbox='))?.slice('--sandbox='.length);
  const sandbox = given ? null : await startSandbox();
  try {
    return await measure(JSON.parse(fs.readFileSync(given ?? sandbox.jsonFile, 'utf8')));
  } finally {
    await sandbox?.stop();
  }
}

async function measure(description) {
  const shop = openShop(description);
  const networks = Object.keys(description.networks).filter((name) => name in WITNESSES);
  // One network at a time, so that the result shows the product and not a machine under four loads.
  const rows = [];
  for (const network of networks) rows.push({ network, ...(await latencies(shop, network, description)) });
  console.log(`\nmilliseconds from the final block to the webhook, ${PAYMENTS} payments on each network`);
  console.log('  network     least   median     most');
  for (const { network, sorted, median } of rows) {
    const values = [sorted[0], median, sorted.at(-1)].map((one) => one.toFixed(0).padStart(8));
    console.log(`  ${network.padEnd(9)}${values.join(' ')}`);
  }
  console.log('');
  for (const { network, median } of rows) {
    const met = median < TARGET_MS ? 'met   ' : 'MISSED';
    console.log(`${met}  ${network}: median ${median.toFixed(0)} ms (target under ${TARGET_MS})`);
  }
  return rows.length > 0 && rows.every(({ median }) => median < TARGET_MS);
}

async function latencies(shop, network, { networks }) {
  const witness = WITNESSES[network](networks[network].rpc_url);
  const paid = [];
  for (let n = 0; n < PAYMENTS; n++) {
    const session = await shop.create();
    const started = Date.now();
    const hash = await shop.pay(session, network);
    paid.push(becomesFinal(witness, hash).then((at) => ({ session, at })));
    await sleep(Math.max(0, APART_MS - (Date.now() - started)));
  }
  const sorted = [];
  for (const { session, at } of await Promise.all(paid)) {
    const received = await shop.completed(session, WEBHOOK_LIMIT_MS);
    sorted.push(received - at);
  }
  sorted.sort((one, other) => one - other);
  return { sorted, median: (sorted[Math.floor((PAYMENTS - 1) / 2)] + sorted[Math.ceil((PAYMENTS - 1) / 2)]) / 2 };
}

/** The last time at which the payment was not final yet. This can only lengthen the result, by one poll interval. */
async function becomesFinal(witness, hash) {
  const end = Date.now() + FINAL_LIMIT_MS;
  let block = null;
  let before = Date.now();
  while (Date.now() < end) {
    const asked = Date.now();
    block ??= await witness.blockOf(hash);
    if (block !== null && (await witness.final()) >= block) return before;
    before = asked;
    await sleep(POLL_MS);
  }
  throw new Error(`transaction ${hash} was not final within ${FINAL_LIMIT_MS / 1000} s`);
}
