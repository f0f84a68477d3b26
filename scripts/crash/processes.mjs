// Processes of this machine by their id.

import { execFileSync } from 'node:child_process';

/** The processes that a process started. */
export function childrenOf(parent) {
  const lines = execFileSync('ps', ['-eo', 'pid=,ppid='], { encoding: 'utf8' }).trim().split('\n');
  return lines.map((line) => line.trim().split(/\s+/).map(Number)).flatMap(([pid, of]) => (of === parent ? [pid] : []));
}

export function isRunning(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code !== 'ESRCH';
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
