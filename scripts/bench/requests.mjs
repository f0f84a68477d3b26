// `npm run bench -- requests`: how many requests a day watching costs at the pace of the main networks, idle and with 200 open
// sessions. Time is a clock that is moved, so minutes of a network take seconds. Counted are the watcher's scans and the checks of
// endpoints; payouts, fees and the comparison with the ledger come on top.

import { fork } from 'node:child_process';
import { judge } from './setup.mjs';
import { openDatabases } from './watcher/database.mjs';
import { bundle } from './watcher/processes.mjs';

/** Requests a day, idle and busy, that fit ordinary plans. */
const TARGETS = {
  ethereum: [10_000, 30_000],
  bsc: [20_000, 180_000],
  tron: [30_000, 60_000],
  solana: [10_000, 400_000],
};

/** Resolves to whether every network stays within its plan. */
export async function bench() {
  const databases = await openDatabases();
  try {
    const url = await databases.fill([], []);
    const child = fork(await bundle('requests'), [url]);
    const goals = [];
    console.log('\nnetwork    open   requests a day');
    child.on('message', ({ network, open, perDay, methods }) => {
      console.log(`${network.padEnd(10)} ${String(open).padStart(4)} ${perDay.toLocaleString('en').padStart(16)}`);
      for (const [method, count] of Object.entries(methods)) {
        console.log(`                ${count.toLocaleString('en').padStart(16)}  ${method}`);
      }
      const target = TARGETS[network][open === 0 ? 0 : 1];
      const what = `${network}, ${open === 0 ? 'idle' : `${open} open sessions`}: requests a day`;
      goals.push({
        what,
        value: perDay.toLocaleString('en'),
        target: `at most ${target.toLocaleString('en')}`,
        met: perDay <= target,
      });
    });
    const code = await new Promise((resolve) => child.once('exit', resolve));
    if (code !== 0) throw new Error('the requests could not be counted');
    return judge(goals);
  } finally {
    await databases.stop();
  }
}
