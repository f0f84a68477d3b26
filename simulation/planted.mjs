// `npm run simulate:planted`: plants each bug of planted/*.patch in a copy of the sources, and reports after how many
// histories the simulator finds it. The working tree stays as it is.

import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';

const ROOT = path.join(import.meta.dirname, '..');
const PLANTED = path.join(import.meta.dirname, 'planted');
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    histories: { type: 'string', default: '200' },
    seed: { type: 'string', default: '1' },
    server: { type: 'string' },
  },
});

const run = (command, args, cwd) => spawnSync(command, args, { cwd, encoding: 'utf8' });

const wanted = (name) => positionals.length === 0 || positionals.some((one) => name.includes(one));
for (const name of fs.readdirSync(PLANTED).filter((one) => one.endsWith('.patch') && wanted(one))) {
  const copy = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'stabletill-planted-')), 'copy');
  run('git', ['worktree', 'add', '--detach', copy, 'HEAD'], ROOT);
  fs.symlinkSync(path.join(ROOT, 'node_modules'), path.join(copy, 'node_modules'));
  fs.cpSync(path.join(ROOT, 'prisma/generated'), path.join(copy, 'prisma/generated'), { recursive: true });
  const applied = run('git', ['apply', path.join(PLANTED, name)], copy);
  const args = ['simulation/command.ts', '--first', '--seed', values.seed, '--histories', values.histories];
  if (values.server) args.push('--server', values.server);
  const found = applied.status === 0 ? run(path.join(copy, 'node_modules/.bin/tsx'), args, copy) : applied;
  const line = found.stdout.split('\n').find((one) => one.startsWith('history ')) ?? (found.stderr || 'not found');
  console.log(`${name}: ${line.split('\n')[0]}`);
  run('git', ['worktree', 'remove', '--force', copy], ROOT);
}
