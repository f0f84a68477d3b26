// The creates of the drill: as many a second as asked for, or as the machine carries, and beside them one every quarter
// of a second however long the others take. Every create is repeated until it is answered, at the other web process.

import { setTimeout as sleep } from 'node:timers/promises';

/** Requests in flight, beside those of the pulse. */
const CONNECTIONS = 24;
/** A pause of the product is then measured to this. */
const PULSE_MS = 250;
const SALE = { amount: 1250, currency: 'USD' };

export class Load {
  /** Ids of the sessions that were accepted, each with the time of the answer. */
  accepted = [];
  fault = null;
  #over = false;
  #loops = [];
  #pulses = new Set();

  /** @param {{ merchants: import('../../crash/merchant.mjs').Merchant[], rate: number }} options */
  constructor({ merchants, rate }) {
    Object.assign(this, { merchants, rate });
  }

  begin() {
    this.started = Date.now();
    this.#loops = [...Array.from({ length: CONNECTIONS }, (_, n) => this.#create(n)), this.#pulse()];
    for (const one of this.#loops) one.catch((error) => (this.fault = error));
  }

  /** Resolves when every create that was begun is answered. */
  async stop() {
    this.#over = true;
    await Promise.all(this.#loops);
    await Promise.all(this.#pulses);
    this.ended = Date.now();
  }

  /** Each connection sends its share of the rate, and no more when it is late. */
  async #create(n) {
    const pause = (1000 * CONNECTIONS) / this.rate;
    await sleep((pause * n) / CONNECTIONS);
    for (let due = Date.now(); !this.#over; due = Math.max(due + pause, Date.now())) {
      await this.#one(n);
      await sleep(Math.max(0, due + pause - Date.now()));
    }
  }

  async #pulse() {
    for (let n = 0; !this.#over; n++, await sleep(PULSE_MS)) {
      const one = this.#one(n).catch((error) => (this.fault = error));
      this.#pulses.add(one);
      void one.finally(() => this.#pulses.delete(one));
    }
  }

  async #one(n) {
    const { id } = await this.merchants[n % this.merchants.length].create(SALE);
    this.accepted.push({ id, at: Date.now() });
  }

  /** The longest time from `since` to now in which no create was answered. */
  longestPause(since) {
    const now = Date.now();
    const times = [since, ...this.accepted.filter(({ at }) => at > since).map(({ at }) => at), now].toSorted(
      (a, b) => a - b,
    );
    return Math.max(...times.slice(1).map((at, n) => at - times[n]));
  }

  /** Creates answered in the last milliseconds. */
  recent(milliseconds) {
    const since = Date.now() - milliseconds;
    let count = 0;
    for (let n = this.accepted.length - 1; n >= 0 && this.accepted[n].at > since; n--) count++;
    return count;
  }
}
