// `npm run simulate`: runs histories and prints what they found. See README.md in this folder.

import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { openLog } from '@/lib/platform/log';
import { addTally, emptyTally, tallyLines, type Tally } from './tally';
import { allSteps, runHistory, type Outcome, type Plan } from './history';
import { EMPTY } from './snapshot';
import { NETWORKS, type Network } from './chain/open-chain';
import { openHarness, type Harness } from './harness';
import { startServer } from './server';
import { shrink } from './shrink';
import { drawSwarm } from './swarm';

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: String(randomInt(1_000_000)) },
    histories: { type: 'string' },
    /** The length of each history, in place of that of its swarm. */
    steps: { type: 'string' },
    minutes: { type: 'string' },
    hours: { type: 'string' },
    replay: { type: 'string' },
    only: { type: 'string' },
    logs: { type: 'boolean', default: false },
    /** Histories of the pure functions only (model/command.ts). */
    model: { type: 'boolean', default: false },
    server: { type: 'string' },
    /** Runs each history twice and compares the traces. */
    twice: { type: 'boolean', default: false },
    /** Goes on after a failure; prints its first sentence only. */
    all: { type: 'boolean', default: false },
    /** Such as ethereum,tron: every history has these networks instead of those that its seed draws. */
    networks: { type: 'string' },
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
  print(
    `Replay it: npm run simulate -- --replay ${seed} --only ${steps.join()}${values.networks ? ` --networks ${values.networks}` : ''} --logs`,
  );
}

function networkOf(name: string): Network {
  const found = NETWORKS.find((network) => network === name);
  if (!found) throw new Error(`--networks must name some of ${NETWORKS.join(', ')}, not "${name}"`);
  return found;
}

type Job = {
  readonly stepsOf: (seed: number) => readonly number[];
  readonly firstSeed: number;
  readonly histories: number;
  readonly milliseconds: number;
};

/** Throws an Error for an option that is not a whole number. */
function readJob(): Job {
  const minutes =
    (values.minutes === undefined ? 0 : positive('--minutes', values.minutes)) +
    (values.hours === undefined ? 0 : positive('--hours', values.hours) * 60);
  const steps = values.steps === undefined ? null : positive('--steps', values.steps);
  const histories = minutes > 0 ? Number.POSITIVE_INFINITY : DEFAULT_HISTORIES;
  return {
    stepsOf: (seed) => allSteps(steps ?? drawSwarm(seed).steps),
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
  const harness = await openHarness(server.url, server.template, {
    log: values.logs ? openLog('test', 'info') : undefined,
    networks: values.networks?.split(',').map(networkOf),
  });
  try {
    return replayed === null
      ? await runMany(harness, job)
      : await replay(harness, replayed, only ?? job.stepsOf(replayed));
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

async function runMany(harness: Harness, { stepsOf, firstSeed, histories, milliseconds }: Job): Promise<number> {
  const started = performance.now();
  const tally = emptyTally();
  print(`seeds from ${firstSeed}`);
  while (tally.histories < histories && performance.now() < started + milliseconds) {
    const seed = firstSeed + tally.histories;
    const steps = stepsOf(seed);
    const outcome = await runOrReport(harness, { seed, steps, invariantsEvery: 10 });
    addTally(tally, outcome);
    if (values.twice) {
      const again = await runHistory(harness, { seed, steps, invariantsEvery: 10 });
      const differs = firstDifference(outcome, again);
      if (differs >= 0) return reportDifference(outcome, again, differs);
    }
    if (outcome.violations.length === 0) continue;
    tally.failed++;
    if (!values.all) return reportFailure(harness, outcome, { steps, tally });
    print(failureLine(outcome, tally));
  }
  for (const line of tallyLines(tally, (performance.now() - started) / 1000)) print(line);
  // A run that judged nothing has shown nothing.
  return tally.steps > 0 && tally.failed === 0 ? 0 : 1;
}

/** With `--all`, a history in which the simulator itself fails is a failed one, and the run goes on. */
async function runOrReport(harness: Harness, plan: Plan): Promise<Outcome> {
  try {
    return await runHistory(harness, plan);
  } catch (error) {
    if (!values.all || !(error instanceof Error)) throw error;
    const violations = [`${error.message}: ${String(error.cause)}`];
    return {
      seed: plan.seed,
      trace: [],
      violations,
      failedAt: 0,
      counts: new Map(),
      coverage: new Map(),
      snapshot: EMPTY,
    };
  }
}

/** The first line in which two traces differ; -1 when there is none. */
function firstDifference({ trace }: Outcome, other: Outcome): number {
  const length = Math.max(trace.length, other.trace.length);
  return Array.from({ length }, (_, index) => index).find((index) => trace[index] !== other.trace[index]) ?? -1;
}

function reportDifference(one: Outcome, other: Outcome, at: number): number {
  print(`seed ${one.seed} gives another history the second time, from line ${at + 1} on:`);
  for (const violation of [...one.violations, ...other.violations]) print(`  violation: ${violation}`);
  print(`  ${one.trace[at] ?? 'nothing'}`);
  print(`  ${other.trace[at] ?? 'nothing'}`);
  return 1;
}

/** The violations without the stack traces of errors, which also show who ran the history. */
const headsOf = ({ violations }: Outcome): string => violations.map((one) => one.split('\n', 1)[0]).join('\n');

const failureLine = ({ seed, failedAt, violations }: Outcome, { histories }: Tally): string =>
  `history ${histories}: seed ${seed} failed after step ${failedAt}: ${violations[0]}`;

async function reportFailure(
  harness: Harness,
  outcome: Outcome,
  { steps, tally }: { readonly steps: readonly number[]; readonly tally: Tally },
): Promise<number> {
  const { seed } = outcome;
  const again = await runHistory(harness, { seed, steps, invariantsEvery: 10 });
  if (headsOf(again) !== headsOf(outcome)) return reportDifference(outcome, again, firstDifference(outcome, again));
  print(failureLine(outcome, tally));
  if (values.first) return 1;
  const short = await shrink(harness, outcome, steps);
  printFailure(short.outcome, short.steps);
  return 1;
}

if (values.model) await import('./model/command');
else process.exitCode = await main();
