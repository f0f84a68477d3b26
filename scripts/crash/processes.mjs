// Processes of this machine by their id.

import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** The processes that a process started. */
function childrenOf(parent) {
  const lines = execFileSync('ps', ['-eo', 'pid=,ppid='], { encoding: 'utf8' }).trim().split('\n');
  return lines.map((line) => line.trim().split(/\s+/).map(Number)).flatMap(([pid, of]) => (of === parent ? [pid] : []));
}

/** One that has ended, and whose parent has not noticed yet, does not run: it holds no memory, files or connections. */
function isRunning(pid) {
  try {
    const [, state] = fs.readFileSync(`/proc/${pid}/stat`, 'utf8').split(/\) (?=\S )/);
    return !state.startsWith('Z');
  } catch (error) {
    if (error.code === 'ENOENT' || error.code === 'ESRCH') return false;
    throw error;
  }
}

/** Kills a process, or does nothing when it has ended. */
export function kill(pid) {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if (error.code !== 'ESRCH') throw error;
  }
}

/** Kills a process and all that it started at once, so that none of them finishes pending work. `ended` resolves when it has exited. */
export async function killWithChildren(pid, ended) {
  process.kill(pid, 'SIGSTOP');
  const children = childrenOf(pid);
  for (const one of [...children, pid]) kill(one);
  await ended;
  // A killed process may need a moment to exit, and holds shared memory until then.
  while (children.some(isRunning)) await sleep(5);
}
