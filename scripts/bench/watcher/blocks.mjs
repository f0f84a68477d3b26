// What is measured on a network that is read block by block: what a block costs with few and with many watched addresses, and
// whether the watcher keeps up when blocks come twenty times as fast as on the real network.

export const FEW = 1000;
export const MANY = 100_000;
const DATABASES = ['few', 'many'];
const TIMES_THE_PACE = 20;
const MOST_GROWTH = 0.1;
/** Long enough that passes of half a second repeat often. */
const PACED_SECONDS = 8;
/** A pass begins every half second and takes a part of one; beyond this the watcher would be falling behind. */
const MOST_SECONDS_BEHIND = 2;
const WARM_UP_ROUNDS = 2;
const ROUNDS = 16;
/** Work for about a third of a second: many short rounds, of which the least disturbed count. */
export const BLOCKS_PER_ROUND = { ethereum: 200, bsc: 100, tron: 60 };

/** The same blocks read into both databases in turns, and who begins changes; the first rounds warm both up. */
export async function costPerBlock({ network, nodes, watcher, pace }) {
  const results = { few: [], many: [] };
  let height = 0;
  for (let round = 0; round < WARM_UP_ROUNDS + ROUNDS; round++) {
    height += BLOCKS_PER_ROUND[network];
    await nodes.set({ network, height: height + pace.finalAfter, perSecond: 0 });
    for (const who of round % 2 === 0 ? DATABASES : DATABASES.toReversed()) {
      const result = await watcher.run({ database: DATABASES.indexOf(who), until: height });
      if (round >= WARM_UP_ROUNDS) results[who].push(result);
    }
  }
  const of = (who, read) => leastDisturbed(results[who].map((one) => read(one) / one.blocks));
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
  // Processor time, since waiting depends on what else the machine does; the wall's own growth stands in the table.
  const growth = rows[1][2] / rows[0][2] - 1;
  const goal = {
    what: `${network}: growth of a block's cost from ${FEW} to ${MANY} watched addresses`,
    value: `${(growth * 100).toFixed(1)} %`,
    target: 'under 10 %',
    met: growth < MOST_GROWTH,
  };
  return { height, goals: [goal] };
}

/** Blocks come at twenty times the network's pace, and the watcher looks as often as the worker does. */
export async function keepUp({ network, nodes, watcher, pace }, height) {
  const perSecond = TIMES_THE_PACE / pace.seconds;
  const before = await nodes.set({ network, height: height + pace.finalAfter, perSecond });
  const result = await watcher.run({ database: DATABASES.indexOf('many'), seconds: PACED_SECONDS });
  const cores = result.cpuMs / result.wallMs;
  const behind = (before.final + (perSecond * result.wallMs) / 1000 - result.final) / perSecond;
  await nodes.set({ network, height: result.tip, perSecond: 0 });
  return [
    {
      what: `${network}: seconds behind after ${PACED_SECONDS} s at ${perSecond.toFixed(2)} blocks/s, ${TIMES_THE_PACE} times its pace`,
      value: behind.toFixed(2),
      target: `under ${MOST_SECONDS_BEHIND}`,
      met: behind < MOST_SECONDS_BEHIND,
    },
    {
      what: `${network}: cores of the watcher meanwhile`,
      value: `${cores.toFixed(2)}, and ${(result.databaseMs / result.wallMs).toFixed(2)} of the database`,
      target: 'at most 1',
      met: cores <= 1,
    },
  ];
}

/** Whatever else the machine does only ever adds to what a piece of work takes, so the lower quartile says most of the work. */
function leastDisturbed(values) {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 4)];
}
