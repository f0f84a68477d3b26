// `npm run simulate`: runs histories and prints what they found. See README.md in this folder.

import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { openLog } from '@/lib/platform/log';
import { allSteps, runHistory, USUAL_STEPS, type Outcome } from './history';
import { openLaboratory } from './laboratory';
import { startServer } from './server';
import { shrink } from './shrink';

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: String(randomInt(1_000_000)) },
    histories: { type: 'string', default: '50' },
    steps: { type: 'string', default: String(USUAL_STEPS) },
    minutes: { type: 'string' },
    replay: { type: 'string' },
    only: { type: 'string' },
    logs: { type: 'boolean', default: false },
    server: { type: 'string' },
    /** Ends at the first failure without making it short. */
    first: { type: 'boolean', default: false },
  },
});

// The audit log reads its key from the settings of the process.
process.env.DATABASE_URL ??= 'postgresql://unused';
process.env.MASTER_KEYS ??= `1:${Buffer.from([...Array(32).keys()]).toString('base64')}`;

const print = (line: string): void => void process.stdout.write(`${line}\n`);

/** A failure as a short story, with the command that replays it. */
function tell({ seed, trace, faults }: Outcome, steps: readonly number[]): void {
  for (const line of trace) print(line);
  print('');
  for (const fault of faults) print(`FAILED: ${fault}`);
  print(`Replay it: npm run simulate -- --replay ${seed} --only ${steps.join()} --logs`);
}

async function main(): Promise<number> {
  const server = await startServer(values.server);
  const laboratory = await openLaboratory(
    server.url,
    server.template,
    values.logs ? openLog('test', 'info') : undefined,
  );
  try {
    if (values.replay !== undefined) {
      const steps = values.only?.split(',').map(Number) ?? allSteps(Number(values.steps));
      const outcome = await runHistory(laboratory, { seed: Number(values.replay), steps });
      tell(outcome, steps);
      return outcome.faults.length > 0 ? 1 : 0;
    }
    return await runMany(laboratory);
  } finally {
    await laboratory.close();
    await server.stop();
  }
}

async function runMany(laboratory: Awaited<ReturnType<typeof openLaboratory>>): Promise<number> {
  const first = Number(values.seed);
  const steps = allSteps(Number(values.steps));
  const until =
    values.minutes === undefined ? Number.POSITIVE_INFINITY : performance.now() + Number(values.minutes) * 60_000;
  const counts = new Map<string, number>();
  const started = performance.now();
  let histories = 0;
  print(`seeds from ${first}, ${steps.length} steps each`);
  for (let seed = first; seed < first + Number(values.histories) && performance.now() < until; seed++) {
    const outcome = await runHistory(laboratory, { seed, steps, invariantsEvery: 10 });
    histories++;
    for (const [name, count] of outcome.counts) counts.set(name, (counts.get(name) ?? 0) + count);
    if (outcome.faults.length === 0) continue;
    print(`history ${histories}: seed ${seed} failed after step ${outcome.failedAt}: ${outcome.faults[0]}`);
    if (values.first) return 1;
    const short = await shrink(laboratory, outcome, steps);
    tell(short.outcome, short.steps);
    return 1;
  }
  const seconds = (performance.now() - started) / 1000;
  const done = [...counts.values()].reduce((sum, one) => sum + one, 0);
  const byName = [...counts].toSorted(([, one], [, other]) => other - one).map(([name, count]) => `${name} ${count}`);
  print(`${histories} histories and ${done} steps in ${seconds.toFixed(1)} s: nothing found`);
  print(`${(histories / seconds).toFixed(2)} histories and ${(done / seconds).toFixed(1)} steps a second`);
  print(byName.join(', '));
  return 0;
}

process.exitCode = await main();
