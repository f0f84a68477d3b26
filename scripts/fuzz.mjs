// `npm run fuzz`: sends a million requests drawn from the OpenAPI document to the real server and a separate database.
// `--requests N` sets the number, `--seed N` repeats a run. It prints a fault with its smallest request.

import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import path from 'node:path';

const ROOT = path.join(import.meta.dirname, '..');

const wholeNumber = (name, otherwise) => {
  const at = process.argv.indexOf(`--${name}`);
  if (at < 0) return otherwise;
  const text = process.argv[at + 1] ?? '';
  if (/^\d{1,10}$/.test(text)) return Number(text);
  console.error(`--${name} needs a whole number`);
  process.exit(2);
};

const seed = wholeNumber('seed', randomInt(2 ** 31));
const requests = wholeNumber('requests', 1_000_000);
console.log(`${requests} requests, seed ${seed} (repeat with: npm run fuzz -- --seed ${seed} --requests ${requests})`);

const child = spawn(
  path.join(ROOT, 'node_modules/.bin/vitest'),
  ['run', 'scripts/fuzz/stateful.test.ts', '--disable-console-intercept'],
  { cwd: ROOT, stdio: 'inherit', env: { ...process.env, FUZZ_SEED: String(seed), FUZZ_REQUESTS: String(requests) } },
);
child.once('error', (error) => {
  console.error(`the fuzzer could not be started: ${error.message}`);
  process.exitCode = 1;
});
child.once('close', (code) => (process.exitCode = code ?? 1));
