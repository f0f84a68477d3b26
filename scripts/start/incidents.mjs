// What the sandbox's page "A bad day" makes go wrong in the installation itself: a process that is stopped, a database that takes no writes,
// a pool without deposit addresses. Each can be ended, and a new start has none of it.

import { Refusal } from './refusal.mjs';

/** The service that a fault stops. Without it the pool would be filled again. */
const STOPS = { __proto__: null, signer_stopped: 'signer', worker_stopped: 'worker', pool_empty: 'signer' };
const READ_ONLY = 'database_read_only';
/** The sandbox makes it on its own chain. It stops the signing of every network, so it is asked for here. */
const THEFT = 'robbed';
const LIVE_ENDPOINTS = /^LIVE_[A-Z0-9]+_URLS$/;

export class Incidents {
  #given;
  /** The faults that are on. */
  #on = new Set();
  /** One change after the other. */
  #last = Promise.resolve();

  /**
   * `serviceOf` finds a service by its name. `databaseUrl`: the owner's; null for a database that is not ours to break. `readAll` reads
   * the settings.
   * @param {{ serviceOf: (name: string) => import('./service.mjs').Service | undefined, databaseUrl: string | null, readAll: () => Record<string, string | undefined> }} given
   */
  constructor(given) {
    this.#given = given;
  }

  /**
   * Begins or ends a fault. Once more changes nothing. Throws a Refusal for what is not possible here.
   * @param {{ fault: string, is_on: boolean }} change
   */
  set({ fault, is_on: isOn }) {
    const done = this.#last.then(() => (this.#on.has(fault) === isOn ? undefined : this.#change(fault, isOn)));
    this.#last = done.catch(() => {});
    return done;
  }

  /** Ends every fault. */
  async endAll() {
    for (const fault of [...this.#on]) await this.set({ fault, is_on: false });
  }

  async #change(fault, isOn) {
    // Anyone who reaches the page can press its buttons, and these stop the live environment too.
    if (isOn && Object.entries(this.#given.readAll()).some(([name, value]) => value && LIVE_ENDPOINTS.test(name)))
      throw new Refusal('This installation has live networks, so the sandbox breaks none of its processes.');
    if (fault === READ_ONLY) await setReadOnly(this.#database(), isOn);
    else if (fault !== THEFT) await this.#switch(fault, isOn);
    if (isOn) this.#on.add(fault);
    else this.#on.delete(fault);
  }

  async #switch(fault, isOn) {
    const name = STOPS[fault];
    const service = this.#given.serviceOf(name ?? '');
    if (!service) throw new Refusal(`There is no ${name ?? fault} here.`);
    if (fault === 'pool_empty') this.#database();
    const isStoppedByOther = [...this.#on].some((other) => other !== fault && STOPS[other] === name);
    const start = () => (isStoppedByOther ? undefined : service.start());
    if (!isOn) return await start();
    await service.stop();
    try {
      if (fault === 'pool_empty') await onDatabase(this.#database(), 'DELETE FROM address_pool');
    } catch (error) {
      await start();
      throw error;
    }
  }

  #database() {
    const { databaseUrl } = this.#given;
    if (databaseUrl === null) throw new Refusal('DATABASE_URL names a database that the sandbox does not break.');
    return databaseUrl;
  }
}

/** Whether every connection of the server refuses writes, as a standby does. The setting outlasts a restart of the server. */
export const setReadOnly = (databaseUrl, isReadOnly) =>
  onDatabase(
    databaseUrl,
    isReadOnly
      ? 'ALTER SYSTEM SET default_transaction_read_only = on'
      : 'ALTER SYSTEM RESET default_transaction_read_only',
    'SELECT pg_reload_conf()',
  );

async function onDatabase(databaseUrl, ...statements) {
  // Loaded late: a fresh checkout installs the packages first.
  const { default: pg } = await import('pg');
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}
