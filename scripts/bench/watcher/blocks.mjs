// Benchmark of a network that is read block by block: the cost of a block with few and many watched addresses. It also
// tests whether the watcher keeps up with blocks at twenty times the real rate.

import { randomInt } from 'node:crypto';

export const FEW = 1000;
export const MANY = 100_000;
const DATABASES = ['few', 'many'];
const TIMES_THE_PACE = 20;
const MAX_GROWTH = 0.1;
/** Long enough for many runs, which are half a second apart. */
const PACED_SECONDS = 8;
/** A run starts every half second and takes part of one. The rest of the margin is for a busy machine. */
const MAX_SECONDS_BEHIND = 4;
const WARM_UP_ROUNDS = 4;
const ROUNDS = 60;
/** Work for about a tenth of a second. */
export const BLOCKS_PER_ROUND = { ethereum: 100, bsc: 50, tron: 20 };

/**
 * Reads the same blocks into both databases, alternating; the first rounds warm both up. The order is random. With a
 * fixed order, a periodic event such as garbage collection would hit the same side each time.
 */
export async function costPerBlock({ network, nodes, watcher, pace }) {
  const results = { few: [], many: [] };
  let height = 0;
  for (let round = 0; round < WARM_UP_ROUNDS + ROUNDS; round++) {
    height += BLOCKS_PER_ROUND[network];
    await nodes.set({ network, height: height + pace.finalAfter, perSecond: 0 });
    for (const who of randomInt(2) === 0 ? DATABASES : DATABASES.toReversed()) {
      const result = await watcher.run({ database: DATABASES.indexOf(who), until: height });
      if (round >= WARM_UP_ROUNDS) results[who].push(result);
    }
  }
  const of = (who, read) => middle(results[who].map((one) => read(one) / one.blocks));
  console.log(
    `\n${network}: milliseconds per block of ${pace.transfers} token transfers, ${ROUNDS} rounds of ${BLOCKS_PER_ROUND[network]} blocks`,
  );
  console.log('  watched   watcher CPU   database CPU     all CPU        wall');
  const rows = DATABASES.map((who) =>
    [(one) => one.cpuMs, (one) => one.databaseMs, (one) => one.cpuMs + one.databaseMs, (one) => one.wallMs].map(
      (read) => of(who, read),
    ),
  );
  for (const [index, count] of [FEW, MANY].entries()) {
    console.log(`${String(count).padStart(9)} ${rows[index].map((one) => one.toFixed(3).padStart(12)).join(' ')}`);
  }
  // Processor time, because waiting depends on other load; the table also shows the growth of wall time.
  const growth = rows[1][2] / rows[0][2] - 1;
  const goal = {
    what: `${network}: growth of a block's cost from ${FEW} to ${MANY} watched addresses`,
    value: `${(growth * 100).toFixed(1)} %`,
    target: 'under 10 %',
    met: growth < MAX_GROWTH,
  };
  return { height, goals: [goal] };
}

/** Blocks arrive at twenty times the network's rate, and the watcher polls as often as the worker does. */
export async function keepUp({ network, nodes, watcher, pace }, height) {
  const perSecond = TIMES_THE_PACE / pace.seconds;
  const before = await nodes.set({ network, height: height + pace.finalAfter, perSecond });
  const result = await watcher.run({ database: DATABASES.indexOf('many'), seconds: PACED_SECONDS });
  const [seconds, cpuSeconds] = [result.wallMs / 1000, result.cpuMs / 1000];
  const behind = (before.final + perSecond * seconds - result.final) / perSecond;
  await nodes.set({ network, height: result.tip, perSecond: 0 });
  const cores = [cpuSeconds, result.databaseMs / 1000].map((one) => (one / seconds).toFixed(2));
  console.log(`  at ${perSecond.toFixed(2)} blocks/s: ${cores[0]} cores of the watcher, ${cores[1]} of the database`);
  // Processor time, because the watcher's share of a core depends on other load.
  const sustained = result.blocks / cpuSeconds;
  return [
    {
      what: `${network}: blocks a second that one core sustains, read twice each as they come`,
      value: sustained.toFixed(1),
      target: `${perSecond.toFixed(2)}, ${TIMES_THE_PACE} times its pace`,
      met: sustained >= perSecond,
    },
    {
      what: `${network}: seconds behind after ${PACED_SECONDS} s at that pace`,
      value: behind.toFixed(2),
      target: `under ${MAX_SECONDS_BEHIND}`,
      met: behind < MAX_SECONDS_BEHIND,
    },
  ];
}

/** The mean of the middle half, so that outliers do not count. */
function middle(values) {
  const quarter = Math.floor(values.length / 4);
  const half = values.toSorted((a, b) => a - b).slice(quarter, values.length - quarter);
  return half.reduce((sum, one) => sum + one, 0) / half.length;
}
