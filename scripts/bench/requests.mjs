// `npm run bench -- requests`: RPC requests a day at the poll intervals of the main networks, idle and with 200 open
// sessions. Also the requests of a whole installation (balances, fees, proofs, refunds), and how soon a final payment
// reaches the merchant. The clock is simulated, so minutes of a network take seconds. Processing time on this machine
// is added. Runs the tests that hold the bounds (lib/payments/watcher/requests.test.ts, pace.test.ts,
// lib/worker/requests.test.ts).

import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { judge } from './setup.mjs';

const ROOT = path.join(import.meta.dirname, '../..');
/** Requests a day, idle and busy. */
const TARGETS = {
  ethereum: [10_000, 30_000],
  bsc: [20_000, 180_000],
  tron: [30_000, 60_000],
  solana: [10_000, 400_000],
};
/** All requests of an installation must fit TronGrid's free plan. Paid plans of other networks count differently. */
const EVERYTHING = { tron: TARGETS.tron };
const ALL_REQUESTS = /^everything a day: (\w+), (\d+) open: (\d+) (\{.*\})$/gm;
const REQUESTS = /^requests a day: (\w+), (\d+) open: (\d+) (\{.*\})$/gm;
/** Milliseconds from the final block to the webhook, median. */
const MAX_MS = 1500;
const WAITS = /^finality to webhook: (\w+): (\d+) ms$/gm;

/** Resolves to whether every network meets its request and latency targets. */
export function bench() {
  const goals = [
    ...[...outputOf('payments/watcher/requests').matchAll(REQUESTS)].map(requestGoal),
    ...[...outputOf('worker/requests').matchAll(ALL_REQUESTS)].flatMap(everythingGoal),
    ...[...outputOf('payments/watcher/time-to-credit').matchAll(WAITS)].map(([, network, wait]) => ({
      what: `${network}: milliseconds from finality to webhook at the median`,
      value: wait,
      target: `at most ${MAX_MS}`,
      met: Number(wait) <= MAX_MS,
    })),
  ];
  const expected = Object.keys(TARGETS).length * 3 + Object.keys(EVERYTHING).length * 2;
  if (goals.length !== expected) throw new Error(`${goals.length} of ${expected} numbers could be measured`);
  return judge(goals);
}

function outputOf(test) {
  const args = ['vitest', 'run', `lib/${test}.test.ts`, '--disable-console-intercept'];
  const env = { ...process.env, MEASURE_ALL: '1' };
  return execFileSync('npx', args, { cwd: ROOT, encoding: 'utf8', env, stdio: ['ignore', 'pipe', 'inherit'] });
}

function requestGoal([, network, open, perDay, methods]) {
  console.log(`\n${network} with ${open} open sessions`);
  for (const [method, count] of Object.entries(JSON.parse(methods))) {
    console.log(`${Number(count).toLocaleString('en').padStart(12)}  ${method}`);
  }
  const target = TARGETS[network][Number(open) === 0 ? 0 : 1];
  return {
    what: `${network}, ${open} open sessions: requests a day`,
    value: Number(perDay).toLocaleString('en'),
    target: `at most ${target.toLocaleString('en')}`,
    met: Number(perDay) <= target,
  };
}

/** Prints the requests of a whole installation, and returns whether a network with a target meets it. */
function everythingGoal([, network, open, perDay, details]) {
  const { parts, each } = JSON.parse(details);
  console.log(`\n${network} with ${open} open sessions, everything: ${Number(perDay).toLocaleString('en')} a day`);
  for (const [part, count] of Object.entries(parts)) {
    console.log(`${Math.round(count).toLocaleString('en').padStart(12)}  ${part}`);
  }
  const costs = Object.entries(each).filter(([, cost]) => cost > 0);
  console.log(`${' '.repeat(14)}one costs: ${costs.map(([what, cost]) => `${what} ${cost.toFixed(1)}`).join(', ')}`);
  const target = EVERYTHING[network]?.[Number(open) === 0 ? 0 : 1];
  if (target === undefined) return [];
  return [
    {
      what: `${network}, ${open} open sessions: everything, requests a day`,
      value: Number(perDay).toLocaleString('en'),
      target: `at most ${target.toLocaleString('en')}`,
      met: Number(perDay) <= target,
    },
  ];
}
