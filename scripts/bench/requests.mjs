// `npm run bench -- requests`: how many requests a day watching costs at the pace of the main networks, idle and with 200 open
// sessions. Time is a clock that is moved, so minutes of a network take seconds. It runs the test that holds the bounds
// (lib/watcher/requests.test.ts) and judges its numbers by what fits ordinary plans. Counted are the watcher's scans and the
// checks of endpoints; payouts, fees and the comparison with the ledger come on top.

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
const LINE = /^requests a day: (\w+), (\d+) open: (\d+) (\{.*\})$/gm;

/** Resolves to whether every network stays within its plan. */
export function bench() {
  const args = ['vitest', 'run', 'lib/watcher/requests.test.ts', '--disable-console-intercept'];
  const output = execFileSync('npx', args, { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
  const goals = [...output.matchAll(LINE)].map(([, network, open, perDay, methods]) => {
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
  });
  if (goals.length === 0) throw new Error('the requests could not be counted');
  return judge(goals);
}
