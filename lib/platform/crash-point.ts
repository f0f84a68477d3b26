// Crash points let tests stop a process, or what it needs, between any two durable facts of a refund, a sweep or a cold return. They do nothing unless
// the settings of a process on local chains arm one.

import fs from 'node:fs';
import path from 'node:path';

/** All crash points, in the order in which a refund passes them. The last three are the signer's. */
export const CRASH_POINTS = [
  'after-claim',
  'after-draft',
  'after-asked',
  'after-signed',
  'after-stored',
  'after-broadcast',
  'after-seen',
  'before-finish',
  'after-finish',
  'before-journal',
  'after-journal',
  'before-answer',
] as const;
/** Those of a sweep. */
export const SWEEP_CRASH_POINTS = ['after-sweep-planned', 'after-sweep-signed', 'after-sweep-broadcast'] as const;
/** Those of a transfer from the cold wallet. */
export const RETURN_CRASH_POINTS = ['after-return-stored', 'after-return-broadcast', 'after-return-ended'] as const;
const ALL_POINTS = [...CRASH_POINTS, ...SWEEP_CRASH_POINTS, ...RETURN_CRASH_POINTS] as const;
export type CrashPoint = (typeof ALL_POINTS)[number];

type Armed = (point: CrashPoint, network: string) => void;
let armed: Armed | null = null;

/**
 * Arms the crash point that a setting names. `name` or `name:hit` ends the process there; hits are counted from 1. `at:FOLDER`
 * lets files in the folder arm points repeatedly: see `haltAtPoint`. Undefined disarms. `end` is for tests. Throws an Error for
 * a setting that names no point.
 */
export function armCrashPoint(setting: string | undefined, end: () => void = endProcess): void {
  const [name = '', ...rest] = setting?.split(':') ?? [];
  if (name === 'at' && rest.length > 0) {
    const folder = rest.join(':');
    armed = (point, network) => haltAtPoint(folder, point, network);
    return;
  }
  const hit = rest.join(':') || '1';
  const chosen = ALL_POINTS.find((one) => one === name);
  if (setting !== undefined && (!chosen || !/^[1-9]\d{0,5}$/.test(hit))) {
    throw new Error(`CRASH_POINT: must be one of ${ALL_POINTS.join(', ')}, or one with a number like after-signed:2`);
  }
  let left = Number(hit);
  const endAt: Armed = (point) => {
    if (point === chosen && --left === 0) end();
  };
  armed = chosen ? endAt : null;
}

/** Ends or halts the process if this is the armed point and the armed hit. */
export function crashpoint(point: CrashPoint, network = ''): void {
  armed?.(point, network);
}

/** Like kill -9: the process flushes, closes and rolls back nothing. */
function endProcess(): void {
  process.kill(process.pid, 'SIGKILL');
}

const POLL_MILLISECONDS = 5;
/** One minute, so that a process does not stay halted after its test was killed. */
const MAX_POLLS = 12_000;

/**
 * Halts the process when the folder `armed` in this one has a file with the name of this point, or of the point and the network. The file
 * becomes `standing`. The process does nothing until the test removes it or kills the process.
 */
function haltAtPoint(folder: string, point: CrashPoint, network: string): void {
  const standing = path.join(folder, 'standing');
  if (![point, `${point} ${network}`].some((name) => isTaken(path.join(folder, 'armed', name), standing))) return;
  const cell = new Int32Array(new SharedArrayBuffer(4));
  for (let poll = 0; poll < MAX_POLLS && fs.existsSync(standing); poll++) Atomics.wait(cell, 0, 0, POLL_MILLISECONDS);
}

function isTaken(file: string, standing: string): boolean {
  try {
    fs.renameSync(file, standing);
    return true;
  } catch (error) {
    // Not armed, or disarmed just now.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
}
