// A process that is kept running: started, started again when it ends by itself, at first at once and then ever later, and
// ended when it is no longer wanted.

import { setTimeout as sleep } from 'node:timers/promises';
import { Stopped } from './refusal.mjs';

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 5000;
/** A process that worked so long is not failing at its start, so the next pause is the first again. */
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
   * `launch` starts the process. `onAgain` is told what it said when it was ready, from the second time on. `say` prints a line.
   * @param {{ name: string, launch: () => Promise<Running> | Running, say: (line: string) => void, onAgain?: (said: any) => void }} options
   */
  constructor(options) {
    this.#options = options;
  }

  get name() {
    return this.#options.name;
  }

  /** Resolves to what the process said when it was ready the first time. Rejects when it failed to start. */
  start() {
    const ready = this.#nextReady();
    this.#loop = this.#keep();
    return ready;
  }

  /** Ends the process and resolves when its successor is ready; on a service that was stopped, it does nothing. */
  async restart() {
    if (!this.#wanted) return;
    const ready = this.#nextReady();
    this.#planned = true;
    this.#pause.abort();
    await this.#running?.stop();
    await ready;
  }

  /** Ends the process for good. */
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

  /** One life of the process, from its launch to its end: how that came, and for how long it had worked. */
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
