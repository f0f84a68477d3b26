// `npm run simulate`: runs histories and prints what they found. See README.md in this folder.

import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { openLog } from '@/lib/platform/log';
import { addTally, emptyTally, tallyLines, type Tally } from './tally';
import { allSteps, runHistory, USUAL_STEPS, type Outcome } from './history';
import { openHarness, type Harness } from './harness';
import { startServer } from './server';
import { shrink } from './shrink';

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: String(randomInt(1_000_000)) },
    histories: { type: 'string' },
    steps: { type: 'string', default: String(USUAL_STEPS) },
    minutes: { type: 'string' },
    hours: { type: 'string' },
    replay: { type: 'string' },
    only: { type: 'string' },
    logs: { type: 'boolean', default: false },
    server: { type: 'string' },
    /** Ends at the first failure without making it short. */
    first: { type: 'boolean', default: false },
  },
});

const DEFAULT_HISTORIES = 50;

// The audit log reads its key from the settings of the process.
process.env.DATABASE_URL ??= 'postgresql://unused';
process.env.MASTER_KEYS ??= `1:${Buffer.from([...Array(32).keys()]).toString('base64')}`;

const print = (line: string): void => void process.stdout.write(`${line}\n`);

/** A whole number from 1 on. Throws an Error that names the option. */
function positive(option: string, text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new Error(`${option} must be a whole number from 1 on, not "${text}"`);
  return Number(text);
}

/** A failure as a short story, with the command that replays it. */
function printFailure({ seed, trace, violations }: Outcome, steps: readonly number[]): void {
  for (const line of trace) print(line);
  print('');
  for (const violation of violations) print(`FAILED: ${violation}`);
  print(`Replay it: npm run simulate -- --replay ${seed} --only ${steps.join()} --logs`);
}

type Job = {
  readonly steps: readonly number[];
  readonly firstSeed: number;
  readonly histories: number;
  readonly milliseconds: number;
};

/** Throws an Error for an option that is not a whole number. */
function readJob(): Job {
  const minutes =
    (values.minutes === undefined ? 0 : positive('--minutes', values.minutes)) +
    (values.hours === undefined ? 0 : positive('--hours', values.hours) * 60);
  const histories = minutes > 0 ? Number.POSITIVE_INFINITY : DEFAULT_HISTORIES;
  return {
    steps: allSteps(positive('--steps', values.steps)),
    firstSeed: values.seed === '0' ? 0 : positive('--seed', values.seed),
    histories: values.histories === undefined ? histories : positive('--histories', values.histories),
    milliseconds: minutes > 0 ? minutes * 60_000 : Number.POSITIVE_INFINITY,
  };
}

async function main(): Promise<number> {
  const job = readJob();
  const only = values.only?.split(',').map((step) => positive('--only', step));
  const replayed = values.replay === undefined ? null : values.replay === '0' ? 0 : positive('--replay', values.replay);
  const server = await startServer(values.server);
  const harness = await openHarness(server.url, server.template, values.logs ? openLog('test', 'info') : undefined);
  try {
    return replayed === null ? await runMany(harness, job) : await replay(harness, replayed, only ?? job.steps);
  } finally {
    await harness.close();
    await server.stop();
  }
}

async function replay(harness: Harness, seed: number, steps: readonly number[]): Promise<number> {
  const outcome = await runHistory(harness, { seed, steps });
  printFailure(outcome, steps);
  return outcome.violations.length > 0 ? 1 : 0;
}

async function runMany(harness: Harness, { steps, firstSeed, histories, milliseconds }: Job): Promise<number> {
  const started = performance.now();
  const tally = emptyTally();
  print(`seeds from ${firstSeed}, ${steps.length} steps each`);
  while (tally.histories < histories && performance.now() < started + milliseconds) {
    const outcome = await runHistory(harness, { seed: firstSeed + tally.histories, steps, invariantsEvery: 10 });
    addTally(tally, outcome);
    if (outcome.violations.length > 0) return reportFailure(harness, outcome, { steps, tally });
  }
  for (const line of tallyLines(tally, (performance.now() - started) / 1000)) print(line);
  // A run that judged nothing has shown nothing.
  return tally.steps > 0 ? 0 : 1;
}

async function reportFailure(
  harness: Harness,
  outcome: Outcome,
  { steps, tally }: { readonly steps: readonly number[]; readonly tally: Tally },
): Promise<number> {
  const { seed, failedAt, violations } = outcome;
  print(`history ${tally.histories}: seed ${seed} failed after step ${failedAt}: ${violations[0]}`);
  if (values.first) return 1;
  const short = await shrink(harness, outcome, steps);
  printFailure(short.outcome, short.steps);
  return 1;
}

process.exitCode = await main();
