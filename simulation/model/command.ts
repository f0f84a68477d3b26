// `npm run simulate -- --model`: histories of the pure functions only, compared with the naive implementation. See README.md in the
// folder above.

import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { MODEL_STEPS, runModel, shrinkModel } from './history';

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: String(randomInt(1_000_000)) },
    histories: { type: 'string', default: '2000' },
    steps: { type: 'string', default: String(MODEL_STEPS) },
    replay: { type: 'string' },
    only: { type: 'string' },
    /** Also tells the differences that are known. */
    strict: { type: 'boolean', default: false },
    /** `npm run simulate -- --model` is the same command. */
    model: { type: 'boolean' },
  },
});

const print = (line: string): void => void process.stdout.write(`${line}\n`);
const all = Array.from({ length: Number(values.steps) }, (_, index) => index + 1);

function replay(seed: number): number {
  const outcome = runModel(seed, values.only?.split(',').map(Number) ?? all, values.strict);
  for (const line of [...outcome.story, '', ...outcome.faults.map((fault) => `FAILED: ${fault}`)]) print(line);
  return outcome.faults.length > 0 ? 1 : 0;
}

function runMany(first: number): number {
  const counts = new Map<string, number>();
  const started = process.cpuUsage();
  print(`seeds from ${first}, ${all.length} steps each`);
  for (let seed = first; seed < first + Number(values.histories); seed++) {
    const outcome = runModel(seed, all, values.strict);
    for (const [name, count] of outcome.counts) counts.set(name, (counts.get(name) ?? 0) + count);
    if (outcome.faults.length === 0) continue;
    print(`history ${seed - first + 1}: seed ${seed} failed after step ${outcome.failedAt}: ${outcome.faults[0]}`);
    const short = shrinkModel(outcome, all, values.strict);
    for (const line of [...short.outcome.story, '', ...short.outcome.faults.map((one) => `FAILED: ${one}`)])
      print(line);
    print(`Replay it: npm run simulate -- --model --replay ${seed} --only ${short.steps.join()}`);
    return 1;
  }
  const { user, system } = process.cpuUsage(started);
  const seconds = (user + system) / 1_000_000;
  print(`${values.histories} histories in ${seconds.toFixed(1)} s of a core: nothing found`);
  print(`${(Number(values.histories) / seconds).toFixed(1)} histories a second and core`);
  print([...counts].map(([name, count]) => `${name} ${count}`).join(', '));
  return 0;
}

process.exitCode = values.replay === undefined ? runMany(Number(values.seed)) : replay(Number(values.replay));
