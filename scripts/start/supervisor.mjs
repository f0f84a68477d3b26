// Starts an installation in order and supervises it: PostgreSQL, signer, local chains, demo data, web and worker. It
// stops exactly what it started, in reverse order.

import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startPostgres } from '../postgres.mjs';
import { startServer, startWeb } from './child.mjs';
import { Incidents, setReadOnly } from './incidents.mjs';
import { needsKeystore } from './keystore.mjs';
import { openLogFile } from './log-file.mjs';
import { writeStart } from './installation.mjs';
import { Refusal, Stopped } from './refusal.mjs';
import { separateRoles } from './roles.mjs';
import { Service } from './service.mjs';
import { environments } from './settings.mjs';
import { onceFinished } from './setup-file.mjs';
import { endOf } from './tasks.mjs';

/** The demo data is prepared again after the chains restart; the database may be down for the same reason. */
const PREPARE_TRIES = 10;
const PREPARE_PAUSE_MS = 1000;
/** Processes that use the set-up's settings. The worker calls the signer from its first step, so it starts after it. */
const SET_UP = [['signer'], ['web', 'worker']];
/** A signer that cannot use its settings logs it, and the others continue without it. */
const SIGNER_PATIENCE_MS = 15_000;

export class Supervisor {
  #given;
  #logs;
  #env;
  /** Groups of services in start order. */
  #groups = [];
  #stopping = false;
  /** The sandbox's ready line: the addresses of the local chains. They change with each start. */
  #chains = null;
  #refreshed = Promise.resolve();
  #logFiles = new Map();
  #databaseUrls;
  #stopWatching = () => {};
  /** What the sandbox's page made go wrong. */
  #incidents;

  /**
   * @param {{ settings: ReturnType<typeof import('./settings.mjs').readSettings>, secrets: Record<string, string>, environment: Record<string, string | undefined>, setupFile: string | null, readAll: () => Record<string, string | undefined>, tasks: import('./tasks.mjs').Tasks, say: (line: string) => void, warn: (line: string) => void }} given
   */
  constructor(given) {
    this.#given = given;
    this.#logs = path.join(given.settings.dataDirectory, 'logs');
  }

  #serviceOf = (name) => this.#groups.flat().find((service) => service.name === name);

  /** Resolves when everything is up, to the demo accounts, or null without a sandbox. */
  async start() {
    const { settings, secrets, setupFile, say, warn } = this.#given;
    say('starting the database');
    const owner = settings.databaseUrl ?? (await this.#startPostgres());
    const ours = settings.databaseUrl === null ? owner : null;
    if (ours) await setReadOnly(ours, false);
    this.#incidents = new Incidents({ serviceOf: this.#serviceOf, databaseUrl: ours, readAll: this.#given.readAll });
    const { migrate } = await import('../migrate.mjs');
    const applied = await migrate(owner);
    if (applied.length > 0) say(`applied ${applied.length} ${applied.length === 1 ? 'migration' : 'migrations'}`);
    this.#databaseUrls = await separateRoles({ owner, secrets, sandbox: settings.sandbox, warn });
    this.#env = this.#environments(this.#given.environment, setupFile);

    if (!settings.watchOnly) {
      await this.#needKeystore(owner);
      await this.#begin([this.#service('signer', () => this.#program('signer', this.#env.signer))]);
    }
    const accounts = settings.sandbox ? await this.#startSandbox() : null;
    this.#writeStart();
    say('starting web and worker');
    await this.#begin([
      this.#service('web', () => this.#web()),
      this.#service('worker', () => this.#program('worker', this.#env.worker(this.#chains))),
    ]);
    if (setupFile !== null) this.#stopWatching = onceFinished(setupFile, () => void this.#takeSettings());
    return accounts;
  }

  /** The first start of an installation makes its keystore. The signer never does, so that a lost disk makes no new wallet. */
  async #needKeystore(owner) {
    const { tasks, settings } = this.#given;
    if (!(await needsKeystore(settings.dataDirectory, owner))) return;
    const args = [this.#bundle('signer'), 'init'];
    await tasks.run({ name: 'signer-init', args, cwd: settings.dataDirectory, env: this.#env.signer });
  }

  #environments(environment, setupFile) {
    const { settings, secrets } = this.#given;
    return environments({ settings, secrets, environment, databaseUrls: this.#databaseUrls, setupFile });
  }

  /** After the set-up, signer, worker and web restart with its settings, and the web process may write them no more. */
  async #takeSettings() {
    const { say, warn, readAll } = this.#given;
    say('the set-up is finished: starting signer, worker and web with its settings');
    try {
      this.#env = this.#environments(readAll(), null);
      for (const names of SET_UP) {
        const users = this.#groups.flat().filter(({ name }) => names.includes(name));
        const restarted = Promise.all(users.map((service) => service.restart()));
        restarted.catch(() => {}); // A failure after the timeout is in its log.
        await (names.includes('signer')
          ? Promise.race([restarted, sleep(SIGNER_PATIENCE_MS, null, { ref: false })])
          : restarted);
      }
      say('the settings of the set-up are in use');
    } catch (error) {
      if (!this.#stopping) warn(`the settings of the set-up could not be taken: ${error.message}`);
    }
  }

  #writeStart() {
    const { settings, environment } = this.#given;
    writeStart(settings.dataDirectory, { environment, chains: this.#chains });
  }

  /** Stops everything, newest first. */
  async stop() {
    this.#stopping = true;
    this.#stopWatching();
    for (const group of this.#groups.toReversed()) await Promise.all(group.map((service) => service.stop()));
  }

  async #startPostgres() {
    const log = this.#log('postgres');
    const directory = path.join(this.#given.settings.dataDirectory, 'postgres');
    const password = this.#given.secrets.OWNER_DATABASE_PASSWORD;
    let port;
    const launch = async () => {
      const server = await startPostgres({ directory, password, log, detached: true, ...(port ? { port } : {}) });
      // The other processes use this address, so a restarted server must keep it.
      port = server.port;
      return { ended: server.ended, stop: server.stop, ready: Promise.resolve(server.url) };
    };
    const [url] = await this.#begin([this.#service('postgres', launch)]);
    return url;
  }

  async #startSandbox() {
    this.#given.say('starting the local chains');
    const answer = (asked) => this.#answerSandbox(asked);
    const launch = () => this.#program('sandbox', this.#env.sandbox, { answer });
    [this.#chains] = await this.#begin([this.#service('sandbox', launch, (ready) => this.#chainsMoved(ready))]);
    this.#given.say('preparing the demo shop');
    return this.#prepare();
  }

  /** Begins or ends what a button of the page "A bad day" asks for. */
  async #answerSandbox({ id, ...change }) {
    if (this.#stopping) return { id, refused: 'The installation is ending.' };
    try {
      await this.#incidents.set(change);
      return { id, refused: null };
    } catch (error) {
      return { id, refused: error.message };
    }
  }

  async #prepare() {
    const { tasks, settings } = this.#given;
    const env = this.#env.prepare(this.#chains);
    const answer = await tasks.run({
      name: 'prepare',
      args: [this.#bundle('prepare')],
      cwd: settings.root,
      env,
      answers: true,
    });
    return JSON.parse(answer.trim().split('\n').at(-1) ?? '');
  }

  /** The local chains restarted at other addresses, which sandbox.json, web and worker need. */
  #chainsMoved(ready) {
    this.#chains = ready;
    this.#writeStart();
    this.#refreshed = this.#refreshed
      .then(() => this.#refresh())
      .catch((error) => {
        if (!this.#stopping) this.#given.warn(`the demo data could not be prepared again: ${error.message}`);
      });
  }

  async #refresh() {
    for (let attempt = 1; ; attempt++) {
      try {
        // The page of the new sandbox process knows of none.
        await this.#incidents.endAll();
        await this.#prepare();
        break;
      } catch (error) {
        if (this.#stopping || attempt === PREPARE_TRIES) throw error;
        await new Promise((resolve) => setTimeout(resolve, PREPARE_PAUSE_MS));
      }
    }
    const users = this.#groups.flat().filter(({ name }) => name === 'web' || name === 'worker');
    await Promise.all(users.map((service) => service.restart()));
  }

  #program(name, env, more = {}) {
    const cwd = this.#given.settings.dataDirectory;
    return startServer({ args: [this.#bundle(name)], cwd, env, log: this.#log(name), ...more });
  }

  #web() {
    const { root, origin } = this.#given.settings;
    const env = this.#env.web(this.#chains);
    // Next looks for its build in the current directory.
    return startWeb({
      args: [this.#bundle('server')],
      cwd: root,
      env,
      log: this.#log('web'),
      healthUrl: `${origin}/health`,
      // The link that creates the first operator is for the person at the terminal, not for readers of the log.
      lines: (line) => {
        if (!line.startsWith('There is no operator yet.')) return 'log';
        this.#given.say(line);
        return 'kept';
      },
    });
  }

  #bundle = (name) => path.join(this.#given.settings.root, 'dist', `${name}.mjs`);

  #service(name, launch, onAgain = undefined) {
    return new Service({ name, launch, say: this.#given.warn, onAgain });
  }

  /** Starts a group concurrently and resolves to the ready results. */
  async #begin(services) {
    if (this.#stopping) throw new Stopped();
    this.#groups.push(services);
    return Promise.all(services.map((service) => service.start().catch((error) => this.#explain(service, error))));
  }

  #explain(service, error) {
    if (error instanceof Stopped) throw error;
    throw new Refusal(`${service.name} ${error.message}. ${endOf(this.#log(service.name))}`, { cause: error });
  }

  #log(name) {
    const known = this.#logFiles.get(name) ?? openLogFile(path.join(this.#logs, `${name}.log`));
    this.#logFiles.set(name, known);
    return known;
  }
}
