// The test's side of lib/platform/crash-point: a folder that orders a process to stop at a point, and in which the
// process reports that it stopped.

import fs from 'node:fs';
import path from 'node:path';

/** The points of the worker in the order of a refund, then in that of a sweep. The signer's points are within `after-asked`. */
export const WORKER_POINTS = [
  ...['after-claim', 'after-draft', 'after-asked', 'after-signed', 'after-stored', 'after-broadcast', 'after-seen'],
  ...['before-finish', 'after-finish'],
  ...['after-sweep-planned', 'after-sweep-signed', 'after-sweep-broadcast'],
];
export const SIGNER_POINTS = ['before-journal', 'after-journal', 'before-answer'];

export class CrashPoints {
  #armed;
  #standing;

  /** Makes the folder. `setting` is the process's CRASH_POINT. */
  constructor(folder) {
    fs.mkdirSync(folder, { recursive: true });
    this.setting = `at:${folder}`;
    this.#armed = path.join(folder, 'armed');
    this.#standing = path.join(folder, 'standing');
  }

  /** From now on a process that reaches one of these stops there. Each is a point, or a point and a network. */
  arm(names) {
    fs.mkdirSync(this.#armed, { recursive: true });
    for (const name of names) fs.writeFileSync(path.join(this.#armed, name), name);
  }

  /** What a process stopped at, as it was armed, or null. */
  standing() {
    return fs.existsSync(this.#standing) ? fs.readFileSync(this.#standing, 'utf8') : null;
  }

  /** No more processes stop from now on; stopped ones stay stopped. */
  disarm() {
    fs.rmSync(this.#armed, { recursive: true, force: true });
  }

  letGo() {
    fs.rmSync(this.#standing, { force: true });
  }
}
