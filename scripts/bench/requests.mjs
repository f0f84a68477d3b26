// `npm run bench -- requests`: how many requests a day watching costs at the pace of the main networks, idle and with 200 open
// sessions, and how soon a final payment reaches the merchant at that pace. Time is a clock that is moved, so minutes of a network
// take seconds; what this machine takes is added as it is. It runs the tests that hold the bounds (lib/watcher/requests.test.ts,
// pace.test.ts). Counted are the watcher's scans and the checks of endpoints; payouts, fees and balances come on top.

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
const REQUESTS = /^requests a day: (\w+), (\d+) open: (\d+) (\{.*\})$/gm;
/** Milliseconds from the final block to the webhook, at the median. */
const MOST_MS = 1500;
const WAITS = /^finality to webhook: (\w+): (\d+) ms$/gm;

/** Resolves to whether every network stays within its plan and its time. */
export function bench() {
  const goals = [
    ...[...outputOf('requests').matchAll(REQUESTS)].map(requestGoal),
    ...[...outputOf('pace').matchAll(WAITS)].map(([, network, wait]) => ({
      what: `${network}: milliseconds from finality to webhook at the median`,
      value: wait,
      target: `at most ${MOST_MS}`,
      met: Number(wait) <= MOST_MS,
    })),
  ];
  const expected = Object.keys(TARGETS).length * 3;
  if (goals.length !== expected) throw new Error(`${goals.length} of ${expected} numbers could be measured`);
  return judge(goals);
}

function outputOf(test) {
  const args = ['vitest', 'run', `lib/watcher/${test}.test.ts`, '--disable-console-intercept'];
  return execFileSync('npx', args, { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
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
