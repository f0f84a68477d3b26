// The checkout of a former release: a work tree of this repository below the directory for temporary files, with its own packages and
// built by its own scripts. It stays for the next run, because a build takes minutes; `git worktree remove` takes it away.

import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { ROOT } from '../../test/install.mjs';

const RELEASES = path.join(os.tmpdir(), 'stabletill-releases');

const git = (...args) => execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).trim();
const read = (root, file) => fs.readFileSync(path.join(root, file), 'utf8');

/** The newest release before this commit. Throws one sentence while there is none. */
export function formerRelease() {
  try {
    return git('describe', '--tags', '--match', 'v*', '--abbrev=0', 'HEAD^');
  } catch {
    throw new Error('no tag v* is before this commit: name the former release with --from REF');
  }
}

/**
 * Makes the release, and this checkout, ready to start.
 * @param {string} ref
 * @param {(line: string) => void} say
 * @returns {{ root: string, commit: string }}
 */
export function prepareRelease(ref, say) {
  build(ROOT);
  const commit = git('rev-parse', '--verify', `${ref}^{commit}`);
  const root = path.join(RELEASES, commit);
  // Git still knows those that were cleared from /tmp.
  git('worktree', 'prune');
  if (!fs.existsSync(root)) git('worktree', 'add', '--detach', root, commit);
  if (!fs.existsSync(path.join(root, 'node_modules/.package-lock.json'))) installPackages(root, say);
  say(`building ${ref}, unless it is built`);
  build(root);
  return { root, commit: git('rev-parse', '--short=8', commit) };
}

/** Links the packages of this checkout where they are the same, because npm takes minutes for its own. */
function installPackages(root, say) {
  if (read(root, 'package-lock.json') === read(ROOT, 'package-lock.json')) {
    run(root, 'cp', ['--archive', '--link', path.join(ROOT, 'node_modules'), root]);
    return;
  }
  say('installing packages of the former release');
  run(root, 'npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], { PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD: '1' });
}

const build = (root) => run(root, process.execPath, ['scripts/build.mjs', '--if-needed']);

function run(cwd, program, args, env = {}) {
  execFileSync(program, args, { cwd, stdio: ['ignore', 'ignore', 'inherit'], env: { ...process.env, ...env } });
}

/** The migrations that are in this checkout and not in the other one. */
export function newMigrations(root) {
  const namesIn = (checkout) => fs.readdirSync(path.join(checkout, 'prisma/migrations'));
  const known = new Set(namesIn(root));
  return namesIn(ROOT).filter((name) => !known.has(name));
}
