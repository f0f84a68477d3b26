// Identifies a process by its number and start time, because the system reuses numbers.

import { execFileSync } from 'node:child_process';
import fs from 'node:fs';

/** A text that no later process with the same number has, or null when no such process exists. */
export function processIdentity(pid) {
  try {
    process.kill(pid, 0);
  } catch (error) {
    // A process of another user exists but may not be signalled.
    if (error.code !== 'EPERM') return null;
  }
  return fs.existsSync('/proc/self/stat') ? fromProc(pid) : fromPs(pid);
}

function fromProc(pid) {
  try {
    const stat = fs.readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name in brackets may contain spaces. After it, the state is field 1 and the start in clock ticks field 20.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (fields[0] === 'Z' || fields[0] === 'X') return null;
    return `${fs.readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()} ${fields[19]}`;
  } catch (error) {
    if (error.code === 'ENOENT' || error.code === 'ESRCH') return null;
    throw error;
  }
}

function fromPs(pid) {
  try {
    return execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim() || null;
  } catch {
    return null; // ps fails when no such process exists.
  }
}
