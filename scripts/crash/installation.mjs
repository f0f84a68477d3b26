// A whole installation whose parts can be killed one by one, started as the supervisor starts them. Unless told
// otherwise, each network has a separate worker, so that each can stop at a different place at the same time.

import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { freePort } from '../free-port.mjs';
import { migrate } from '../migrate.mjs';
import { startPostgres } from '../postgres.mjs';
import { prepareCheckout } from '../start/checkout.mjs';
import { startServer, startWeb } from '../start/child.mjs';
import { LOCAL_COLD_WALLETS, localEntries } from '../start/local-treasury.mjs';
import { openLogFile } from '../start/log-file.mjs';
import { readSecrets } from '../start/secrets.mjs';
import { environments, readSettings } from '../start/settings.mjs';
import { Tasks } from '../start/tasks.mjs';
import { ROOT } from '../test/install.mjs';
import { CrashPoints } from './crash-points.mjs';
import { DATABASE_FILE } from './database.mjs';
import { packPrograms } from './pack.mjs';
import { kill, killWithChildren } from './processes.mjs';
import { workerEnvironment } from './worker-environment.mjs';

/** As long as the Helm chart lets a worker finish its payments in progress. */
const END_LIMIT_MS = 60_000;

/** The judges tell refunds and payouts from sweeps by their wallets, so sweeps do not fill the refund wallet here. */
const SEPARATE_TREASURY = localEntries(LOCAL_COLD_WALLETS);

export class Installation {
  /** Where a network's worker, or the signer, is stopped. */
  points = {};
  #children = {};
  #logs = {};
  #env;
  #secrets;
  #chains;
  #postgres = null;
  #serverOf;
  #root;
  /** Of every checkout whose programs were started. */
  #packed = new Set();
  #openDatabase;
  #isSplit;

  /**
   * `workers` names the networks of each worker, `webs` the web processes. With `isSplit`, only the first worker runs the steps of no network. `serverOf` returns PostgreSQL's extra settings and programs for
   * { dataDirectory, password, port }. `openDatabase` gets the data directory and the owner's password, and resolves to the address of a
   * database that this class does not start. `root` is the checkout whose release runs; one that is not this one must be built.
   * @param {{ networks: string[], environment: Record<string, string>, root?: string, workers?: Record<string, string[]>, isSplit?: boolean, webs?: string[], serverOf?: (given: { dataDirectory: string, password: string, port: number }) => { settings?: string[], programs?: string | null }, openDatabase?: (given: { dataDir: string, password: string }) => Promise<string> }} options
   */
  constructor({ networks, environment, root = ROOT, workers, webs = ['web'], serverOf = () => ({}), ...others }) {
    this.networks = networks;
    this.#isSplit = others.isSplit ?? false;
    this.workers = workers ?? Object.fromEntries(networks.map((network) => [network, [network]]));
    this.webs = Object.fromEntries(webs.map((name) => [name, '']));
    this.#serverOf = serverOf;
    this.#openDatabase = others.openDatabase;
    this.dataDir = fs.mkdtempSync(path.join(os.tmpdir(), 'stabletill-crash-'));
    // As root, PostgreSQL runs as another user and must be able to enter.
    fs.chmodSync(this.dataDir, 0o755);
    fs.mkdirSync(path.join(this.dataDir, 'logs'));
    this.#root = root;
    this.environment = {
      ...{ ...process.env, TREASURY_WALLETS: SEPARATE_TREASURY, ...environment },
      ...{ DATA_DIR: this.dataDir, DATABASE_URL: '', PORT: '0' },
    };
    for (const name of [...Object.keys(this.workers), 'signer']) this.#addPoint(name);
  }

  #addPoint(name) {
    this.points[name] = new CrashPoints(path.join(this.dataDir, `at-${name}`));
  }

  /** Parts that start from now on run the programs of this checkout, which is built. */
  async use(root) {
    this.#root = root;
    if (this.#packed.has(this.#programs)) return;
    this.#packed.add(this.#programs);
    await packPrograms(root, this.#programs);
  }

  get #programs() {
    return path.join(this.#root, 'dist', `crash-${process.pid}`);
  }

  #bundle(name) {
    return path.join(this.#root, 'dist', `${name}.mjs`);
  }

  /** Resolves when everything runs. */
  async start() {
    const { dataDir, environment } = this;
    const tasks = new Tasks(path.join(dataDir, 'logs'));
    const root = this.#root;
    if (root === ROOT) await prepareCheckout({ root, environment, tasks, say: console.log });
    await this.use(root);
    const settings = readSettings(environment, ROOT, await freePort());
    this.baseUrl = settings.origin;
    this.#secrets = readSecrets(dataDir, environment);
    if (this.#openDatabase) await this.#openOtherDatabase();
    else await this.startPostgres();
    await migrate(this.databaseUrl, path.join(root, 'prisma/migrations'));
    // A release grants rights on its own tables only.
    const { separateRoles } = await import(path.join(root, 'scripts/start/roles.mjs'));
    const given = { owner: this.databaseUrl, secrets: this.#secrets, sandbox: true, warn: console.error };
    const databaseUrls = await separateRoles(given);
    this.#env = environments({ settings, secrets: this.#secrets, environment, databaseUrls });
    await this.startSigner();
    this.#chains = await this.#begin('sandbox', {
      args: [this.#bundle('sandbox')],
      cwd: dataDir,
      env: this.#env.sandbox,
    });
    await tasks.run({
      name: 'prepare',
      args: [this.#bundle('prepare')],
      cwd: root,
      env: this.#env.prepare(this.#chains),
    });
    const [first] = Object.keys(this.webs);
    this.webs[first] = this.baseUrl;
    const webs = Object.keys(this.webs).map((name) => this.startWeb(name));
    await Promise.all([...webs, ...Object.keys(this.workers).map((name) => this.startWorker(name))]);
    return JSON.parse(fs.readFileSync(path.join(dataDir, 'sandbox.json'), 'utf8'));
  }

  async #openOtherDatabase() {
    const { dataDir } = this;
    this.databaseUrl = await this.#openDatabase({ dataDir, password: this.#secrets.OWNER_DATABASE_PASSWORD });
    fs.writeFileSync(path.join(dataDir, DATABASE_FILE), this.databaseUrl, { mode: 0o600 });
  }

  /** Restarts PostgreSQL at the same address; it recovers from its write-ahead log. */
  async startPostgres() {
    const directory = path.join(this.dataDir, 'postgres');
    const password = this.#secrets.OWNER_DATABASE_PASSWORD;
    const port = this.#postgres?.port ?? (await freePort());
    this.#postgres = await startPostgres({
      ...{ directory, password, port, detached: true, log: this.#log('postgres') },
      ...this.#serverOf({ dataDirectory: directory, password, port }),
    });
    this.databaseUrl = this.#postgres.url;
  }

  killPostgres() {
    const [line] = fs.readFileSync(path.join(this.dataDir, 'postgres/postmaster.pid'), 'utf8').split('\n');
    return killWithChildren(Number(line), this.#postgres.ended);
  }

  /** The environment of the signer, for commands of the operator at its terminal. */
  get signerEnvironment() {
    return this.#env.signer;
  }

  startSigner() {
    const program = path.join(this.#programs, 'signer.mjs');
    // A signer without that command makes the keystore at its first start.
    const hasInit = fs.existsSync(path.join(this.#root, 'scripts/start/keystore.mjs'));
    if (hasInit && !fs.existsSync(path.join(this.dataDir, 'keystore.json')))
      execFileSync(process.execPath, [program, 'init'], { cwd: this.dataDir, env: this.#env.signer });
    const env = { ...this.#env.signer, CRASH_POINT: this.points.signer.setting };
    return this.#begin('signer', { args: [program], cwd: this.dataDir, env });
  }

  /** One more worker of these networks, beside those that run. */
  addWorker(name, networks) {
    this.workers[name] = networks;
    this.#addPoint(name);
    return this.startWorker(name);
  }

  /** A worker that follows its networks alone. */
  startWorker(name) {
    const env = workerEnvironment(this.#env.worker(this.#chains), {
      networks: this.workers[name],
      isBeside: this.#isSplit && name !== Object.keys(this.workers)[0],
    });
    env.CRASH_POINT = this.points[name].setting;
    return this.#begin(`worker-${name}`, { args: [path.join(this.#programs, 'worker.mjs')], cwd: this.dataDir, env });
  }

  /** Resolves when its health check answers. A name that is new gets a port. */
  async startWeb(name) {
    const url = (this.webs[name] ||= `http://127.0.0.1:${await freePort()}`);
    const env = { ...this.#env.web(this.#chains), PORT: new URL(url).port };
    const given = {
      args: [this.#bundle('server')],
      cwd: this.#root,
      env,
      log: this.#log(name),
      healthUrl: `${url}/health`,
    };
    this.#children[name] = startWeb(given);
    return this.#children[name].ready;
  }

  /** Resolves when the process has exited. `name` is `signer`, `worker-NAME` or that of a web process. */
  async kill(name) {
    const child = this.#children[name];
    kill(child.pid);
    await child.ended;
  }

  /** Ends a part as a supervisor does, and resolves to how it ended: `code 0`, or a signal where it took too long. */
  async end(name) {
    const child = this.#children[name];
    await child.stop({ limitMs: END_LIMIT_MS });
    return child.ended;
  }

  /** The settings of the database's roles, for commands of the operator. */
  get rolePasswords() {
    const { WEB_DATABASE_PASSWORD, WORKER_DATABASE_PASSWORD } = this.#secrets;
    return { WEB_DATABASE_PASSWORD, WORKER_DATABASE_PASSWORD };
  }

  async #begin(name, options) {
    const child = startServer({ ...options, log: this.#log(name) });
    this.#children[name] = child;
    const early = child.ended.then((how) => {
      throw new Error(`${name} ended (${how}) before it was ready: ${this.#log(name).tail().slice(-2000)}`);
    });
    return Promise.race([child.ready, early]);
  }

  #log(name) {
    this.#logs[name] ??= openLogFile(path.join(this.dataDir, 'logs', `${name}.log`));
    return this.#logs[name];
  }

  /** Stops everything and removes the directories; with `keep`, the data directory stays for inspection. */
  async stop({ keep = false } = {}) {
    for (const one of Object.values(this.points)) one.letGo();
    const { signer, sandbox, ...others } = this.#children;
    await Promise.all(Object.values(others).map((child) => child.stop()));
    await Promise.all([signer, sandbox].map((child) => child?.stop()));
    await this.#postgres?.stop();
    for (const one of this.#packed) fs.rmSync(one, { recursive: true, force: true });
    if (!keep) fs.rmSync(this.dataDir, { recursive: true, force: true, maxRetries: 5 });
  }
}
