// A supervised process: restarted when it exits unexpectedly, first at once and then with a growing backoff, and
// stopped when no longer needed.

import { setTimeout as sleep } from 'node:timers/promises';
import { Stopped } from './refusal.mjs';

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 5000;
/** A process that ran this long did not fail at its start, so the backoff resets. */
const STEADY_MS = 2000;

/**
 * @typedef {{ ended: Promise<string>, ready: Promise<any>, stop: () => Promise<void> }} Running
 */

export class Service {
  #options;
  /** @type {Running | null} */
  #running = null;
  #wanted = true;
  #planned = false;
  #pause = new AbortController();
  #loop = Promise.resolve();
  #waiting = [];

  /**
   * `launch` starts the process. `onAgain` receives the result of each ready after the first one. `say` prints a line.
   * @param {{ name: string, launch: () => Promise<Running> | Running, say: (line: string) => void, onAgain?: (said: any) => void }} options
   */
  constructor(options) {
    this.#options = options;
  }

  get name() {
    return this.#options.name;
  }

  /** Resolves to the result of the first ready. Rejects when the process failed to start. Also starts a stopped service again. */
  start() {
    this.#wanted = true;
    const ready = this.#nextReady();
    this.#loop = this.#keep();
    return ready;
  }

  /** Stops the process and resolves when its successor is ready; a no-op on a stopped service. */
  async restart() {
    if (!this.#wanted) return;
    const ready = this.#nextReady();
    this.#planned = true;
    this.#pause.abort();
    await this.#running?.stop();
    await ready;
  }

  /** Stops the process until the next `start`. */
  async stop() {
    this.#wanted = false;
    this.#pause.abort();
    await this.#running?.stop();
    await this.#loop;
  }

  #nextReady() {
    return new Promise((resolve, reject) => this.#waiting.push({ resolve, reject }));
  }

  #settle(how, value) {
    for (const one of this.#waiting.splice(0)) one[how](value);
  }

  async #keep() {
    const { name, say } = this.#options;
    let readyOnce = false;
    for (let quickEnds = 0; this.#wanted;) {
      this.#planned = false;
      const why = await this.#runOnce(readyOnce);
      if (!this.#wanted) break;
      readyOnce ||= why.workedMs !== null;
      if (!readyOnce) return this.#settle('reject', new Error(why.text));
      if (this.#planned) continue;
      if (why.workedMs > STEADY_MS) quickEnds = 0;
      const pause = Math.min(FIRST_PAUSE_MS * 2 ** quickEnds++, LONGEST_PAUSE_MS);
      say(`${name} ${why.text}; starting it again${pause > 1000 ? ` in ${pause / 1000} s` : ''}`);
      await this.#wait(pause);
    }
    this.#settle('reject', new Stopped());
  }

  /** One life of the process, from launch to exit: how it ended, and how long it had worked. */
  async #runOnce(again) {
    let readyAt = null;
    const end = (text) => ({ text, workedMs: readyAt === null ? null : performance.now() - readyAt });
    try {
      const running = await this.#options.launch();
      this.#running = running;
      if (!this.#wanted) await running.stop();
      const early = running.ended.then((how) => {
        throw new Error(`ended (${how}) before it was ready`);
      });
      const said = await Promise.race([running.ready, early]);
      readyAt = performance.now();
      this.#settle('resolve', said);
      if (again) this.#options.onAgain?.(said);
      return end(`ended (${await running.ended})`);
    } catch (error) {
      await this.#running?.stop();
      return end(error.message);
    } finally {
      this.#running = null;
    }
  }

  async #wait(milliseconds) {
    this.#pause = new AbortController();
    await sleep(milliseconds, undefined, { signal: this.#pause.signal }).catch(() => {});
  }
}
