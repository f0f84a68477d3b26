// Clients that find out whether web processes are interchangeable and whether events are skipped. A Reader pages through the
// events of a store with its cursor during the whole drill. A Comparer creates at one web process, repeats the create at
// the other with the same Idempotency-Key, and reads the session there at once.

import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

const READ_EVERY_MS = 500;
const COMPARE_EVERY_MS = 500;
const SALE = { amount: 1250, currency: 'USD' };

export class Reader {
  /** Ids of the events in the order of the list. */
  seen = [];
  #cursor = null;
  #over = false;
  #loop = Promise.resolve();

  /** @param {import('../../crash/merchant.mjs').Merchant} merchant */
  constructor(merchant) {
    this.merchant = merchant;
  }

  begin() {
    this.#loop = this.#read();
    this.#loop.catch(() => {});
  }

  async #read() {
    while (!this.#over) {
      if (!(await this.#page())) await sleep(READ_EVERY_MS);
    }
  }

  /** Whether there are more. */
  async #page() {
    const page = await this.merchant.events(this.#cursor);
    this.seen.push(...page.data.map(({ id }) => id));
    this.#cursor = page.resume_cursor;
    return page.next_cursor !== null;
  }

  /** Reads what is left and resolves to all ids. */
  async stop() {
    this.#over = true;
    await this.#loop;
    while (await this.#page());
    return this.seen;
  }
}

export class Comparer {
  compared = 0;
  /** The differences, as lines. */
  broken = [];
  #over = false;
  #loop = Promise.resolve();

  /** @param {import('../../crash/merchant.mjs').Merchant[]} pair of one store, each with one web process */
  constructor(pair) {
    this.pair = pair;
  }

  begin() {
    this.#loop = this.#compare();
    this.#loop.catch(() => {});
  }

  async stop() {
    this.#over = true;
    await this.#loop;
  }

  async #compare() {
    for (let n = 0; !this.#over; n++, await sleep(COMPARE_EVERY_MS)) {
      const [here, there] = n % 2 === 0 ? this.pair : this.pair.toReversed();
      const name = randomUUID();
      try {
        const created = await here.create(SALE, name);
        const read = await there.read(created.id);
        const repeated = await there.create(SALE, name);
        if (read.id !== created.id) this.broken.push(`${created.id} reads as ${read.id}`);
        if (repeated.id !== created.id) this.broken.push(`${created.id} was repeated as ${repeated.id}`);
        this.compared++;
      } catch (error) {
        this.broken.push(error.message);
      }
    }
  }
}
