// Where a process ends itself or stands still on purpose, so that tests can kill it, or what it needs, between any two durable
// facts of a refund. Does nothing unless a process that runs on local chains only was armed by its settings.

import fs from 'node:fs';
import path from 'node:path';

/** Every point there is, in the order in which a refund passes them; the last three are the signer's. */
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
export type CrashPoint = (typeof CRASH_POINTS)[number];

type Armed = (point: CrashPoint, network: string) => void;
let armed: Armed | null = null;

/**
 * Arms the point that a setting names: `name` or `name:hit`, with hits counted from 1, ends the process there. `at:FOLDER`
 * leaves it to the folder, again and again: see `standStill`. Undefined disarms. `end` is for tests. Throws an Error for a
 * setting that names no point.
 */
export function armCrashPoint(setting: string | undefined, end: () => void = endProcess): void {
  const [name = '', ...rest] = setting?.split(':') ?? [];
  if (name === 'at' && rest.length > 0) {
    const folder = rest.join(':');
    armed = (point, network) => standStill(folder, point, network);
    return;
  }
  const hit = rest.join(':') || '1';
  const chosen = CRASH_POINTS.find((one) => one === name);
  if (setting !== undefined && (!chosen || !/^[1-9]\d{0,5}$/.test(hit))) {
    throw new Error(`CRASH_POINT: must be one of ${CRASH_POINTS.join(', ')}, or one with a number like after-signed:2`);
  }
  let left = Number(hit);
  const endAt: Armed = (point) => {
    if (point === chosen && --left === 0) end();
  };
  armed = chosen ? endAt : null;
}

/** Ends the process or stands still if it was armed for this point and this is the hit. */
export function crashpoint(point: CrashPoint, network = ''): void {
  armed?.(point, network);
}

/** As by kill -9: nothing is flushed, closed or rolled back by us. */
function endProcess(): void {
  process.kill(process.pid, 'SIGKILL');
}

const LOOK_MILLISECONDS = 5;
/** A minute: a test that was ended itself leaves nobody standing. */
const MOST_LOOKS = 12_000;

/**
 * When the folder's file `armed` names this point, alone or with this network, it is renamed to `standing`, and this process
 * does nothing whatsoever until that file is gone, or it is killed there.
 */
function standStill(folder: string, point: CrashPoint, network: string): void {
  const standing = path.join(folder, 'standing');
  if (!isTaken(path.join(folder, 'armed'), standing, [point, `${point} ${network}`])) return;
  const cell = new Int32Array(new SharedArrayBuffer(4));
  for (let look = 0; look < MOST_LOOKS && fs.existsSync(standing); look++) Atomics.wait(cell, 0, 0, LOOK_MILLISECONDS);
}

function isTaken(file: string, standing: string, names: readonly string[]): boolean {
  try {
    if (!names.includes(fs.readFileSync(file, 'utf8'))) return false;
    fs.renameSync(file, standing);
    return true;
  } catch (error) {
    // Not armed, or disarmed at this very moment.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
}
