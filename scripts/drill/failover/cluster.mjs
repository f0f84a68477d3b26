// A PostgreSQL cluster as docs/operate/high-availability.md describes it, from the same templates (deploy/patroni): on
// each of three machines etcd, Patroni and PostgreSQL, and HAProxy beside the product. Each part can be killed and
// started again.

import { randomBytes } from 'node:crypto';
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { freePort } from '../../free-port.mjs';
import { ROOT } from '../../test/install.mjs';
import { addressOf, closeMachines, NAMES, NOBODY, on, openMachines, RANGE } from './machines.mjs';

const TEMPLATES = path.join(ROOT, 'deploy/patroni');
const POSTGRES_ROOT = '/usr/lib/postgresql';
/** Debian's PostgreSQL: the embedded one has no pg_basebackup and no pg_rewind. */
const POSTGRES_BINARIES = path.join(POSTGRES_ROOT, newestVersion(), 'bin');
const READY_LIMIT_MS = 120_000;
const POLL_MS = 250;
/** Memory. etcd writes each change to its disk before it answers, and three of them on a busy disk delay each other. */
const ETCD_ROOT = '/dev/shm';
const REST_LIMIT_MS = 2000;

export class Cluster {
  #directory;
  #environment;
  #children = {};
  #passwords = Object.fromEntries(
    ['SUPERUSER', 'REPLICATION', 'REWIND', 'REST'].map((name) => [`${name}_PASSWORD`, randomBytes(16).toString('hex')]),
  );

  /** @param {string} directory that `nobody` may enter */
  constructor(directory) {
    this.#directory = path.join(directory, 'cluster');
  }

  /** Resolves when a leader has a synchronous standby and a second one. */
  async start() {
    openMachines();
    this.port = await freePort();
    this.#environment = {
      ...{ PATH: process.env.PATH, LANG: 'C.UTF-8', POSTGRES_BINARIES, DATABASE_NETWORK: RANGE },
      ...{ CLUSTER_TOKEN: 'drill', DATABASE_LISTEN: `127.0.0.1:${this.port}` },
      ...{ STATS_LISTEN: `127.0.0.1:${await freePort()}`, ...this.#passwords },
      ...Object.fromEntries(NAMES.map((name) => [`${name.toUpperCase()}_ADDRESS`, addressOf(name)])),
    };
    fs.mkdirSync(this.#directory);
    for (const name of NAMES) {
      for (const directory of [this.#of(name, ''), this.#of(name, 'socket'), this.#etcdOf(name)]) {
        fs.mkdirSync(directory, { mode: 0o700, recursive: true });
        fs.chownSync(directory, NOBODY, NOBODY);
      }
    }
    for (const name of NAMES) this.startEtcd(name);
    for (const name of NAMES) this.startPatroni(name);
    this.startHaproxy();
    await this.whole();
  }

  /** Makes the product's role and database, neither of a superuser, and resolves to their address. */
  async createDatabase(password) {
    const admin = new pg.Client({
      connectionString: this.#url('postgres', this.#passwords.SUPERUSER_PASSWORD, 'postgres'),
    });
    await admin.connect();
    await admin.query(`CREATE ROLE app LOGIN CREATEROLE PASSWORD '${password}'`);
    await admin.query('CREATE DATABASE app OWNER app');
    await admin.end();
    return this.#url('app', password, 'app');
  }

  #url(role, password, database) {
    return `postgresql://${role}:${password}@127.0.0.1:${this.port}/${database}`;
  }

  startEtcd(name) {
    const file = this.#fill('etcd.yml', name, 'etcd.yml');
    this.#begin(`etcd ${name}`, on(name, 'etcd', ['--config-file', file]));
  }

  startPatroni(name) {
    const file = this.#fill('patroni.yml', name, 'patroni.yml');
    this.#begin(`patroni ${name}`, on(name, 'patroni', [file]));
  }

  startHaproxy() {
    const file = this.#fill('haproxy.cfg', '', 'haproxy.cfg');
    this.#begin('haproxy', ['haproxy', '-db', '-f', file]);
  }

  killEtcd(name) {
    return this.#kill(`etcd ${name}`);
  }

  killPatroni(name) {
    return this.#kill(`patroni ${name}`);
  }

  killHaproxy() {
    return this.#kill('haproxy');
  }

  /** Kills the server process; its children end by themselves. False when it does not run. */
  killPostgres(name) {
    const file = path.join(this.#of(name, 'data'), 'postmaster.pid');
    if (!fs.existsSync(file)) return false;
    const pid = Number(fs.readFileSync(file, 'utf8').split('\n')[0]);
    // After a crash the file names a process that is gone, and its number may belong to another.
    if (!isServer(pid)) return false;
    process.kill(pid, 'SIGKILL');
    return true;
  }

  /** The members as the machine's Patroni, or any other, sees them: { name, role, state, lag }[]. */
  async members(among = NAMES) {
    const asked = among.map(async (name) => {
      const answer = await fetch(`http://${addressOf(name)}:8008/cluster`, {
        signal: AbortSignal.timeout(REST_LIMIT_MS),
      });
      return (await answer.json()).members ?? [];
    });
    return Promise.any(asked).catch(() => []);
  }

  /** The name of the member that answers as leader now, as HAProxy asks; undefined without one. */
  async leader(among = NAMES) {
    const asked = among.map(async (name) => {
      const answer = await fetch(`http://${addressOf(name)}:8008/primary`, {
        signal: AbortSignal.timeout(REST_LIMIT_MS),
      });
      if (!answer.ok) throw new Error('not the leader');
      return name;
    });
    return Promise.any(asked).catch(() => undefined);
  }

  async synchronousStandby() {
    return (await this.members()).find(({ role }) => role === 'sync_standby')?.name;
  }

  /** Resolves to the new leader's name. */
  async newLeader(former) {
    return this.#until(`a leader other than ${former}`, () => this.leader(NAMES.filter((one) => one !== former)));
  }

  /** Waits for a leader to which both standbys stream, one of them synchronous. */
  async whole() {
    return this.#until('both standbys follow the leader', async () => {
      const leader = await this.leader();
      if (!leader) return undefined;
      const answer = await fetch(`http://${addressOf(leader)}:8008/patroni`, {
        signal: AbortSignal.timeout(REST_LIMIT_MS),
      });
      const { replication = [] } = await answer.json();
      const states = replication.filter(({ state }) => state === 'streaming').map((one) => one.sync_state);
      return states.length === 2 && states.includes('sync') ? leader : undefined;
    });
  }

  /** A planned switchover to the synchronous standby, as `patronictl switchover` requests it. */
  async switchOver() {
    const [leader, candidate] = [await this.leader(), await this.synchronousStandby()];
    const answer = await fetch(`http://${addressOf(leader)}:8008/switchover`, {
      method: 'POST',
      headers: { Authorization: `Basic ${Buffer.from(`patroni:${this.#passwords.REST_PASSWORD}`).toString('base64')}` },
      body: JSON.stringify({ leader, candidate }),
    });
    if (!answer.ok) throw new Error(`the switchover was refused: ${answer.status} ${await answer.text()}`);
  }

  async #until(what, probe) {
    for (const end = Date.now() + READY_LIMIT_MS; Date.now() < end; await sleep(POLL_MS)) {
      const found = await probe().catch(() => undefined);
      if (found) return found;
    }
    throw new Error(`not within ${READY_LIMIT_MS / 1000} s: ${what}; members: ${JSON.stringify(await this.members())}`);
  }

  #of(name, part) {
    return path.join(this.#directory, name, part);
  }

  #etcdOf(name) {
    return path.join(ETCD_ROOT, `drill-${process.pid}-${name}`);
  }

  /** Writes a template with its variables filled in, as `envsubst` does. */
  #fill(template, name, file) {
    const target = this.#of(name, file);
    const variables = {
      ...this.#environment,
      ...{ NODE_NAME: name, NODE_ADDRESS: name ? addressOf(name) : '' },
      ...{ ETCD_DIRECTORY: this.#etcdOf(name), DATA_DIRECTORY: this.#of(name, 'data') },
      SOCKET_DIRECTORY: this.#of(name, 'socket'),
    };
    const text = fs.readFileSync(path.join(TEMPLATES, template), 'utf8');
    fs.writeFileSync(
      target,
      text.replaceAll(/\$\{([A-Z0-9_]+)\}/g, (_, key) => variables[key]),
      { mode: 0o644 },
    );
    return target;
  }

  #begin(part, [command, ...args]) {
    const log = fs.openSync(path.join(this.#directory, `${part.replace(' ', '-')}.log`), 'a');
    const env = { PATH: this.#environment.PATH, LANG: 'C.UTF-8' };
    const child = spawn(command, args, { cwd: '/', env, detached: true, stdio: ['ignore', log, log] });
    fs.closeSync(log);
    this.#children[part] = { child, ended: new Promise((resolve) => child.once('exit', resolve)) };
  }

  async #kill(part) {
    const { child, ended } = this.#children[part];
    child.kill('SIGKILL');
    await ended;
  }

  async stop() {
    for (const part of Object.keys(this.#children)) await this.#kill(part);
    for (const name of NAMES) this.killPostgres(name);
    await sleep(500);
    closeMachines();
    for (const name of NAMES) fs.rmSync(this.#etcdOf(name), { recursive: true, force: true });
  }
}

function newestVersion() {
  const versions = fs.existsSync(POSTGRES_ROOT) ? fs.readdirSync(POSTGRES_ROOT) : [];
  return versions.toSorted((a, b) => Number(b) - Number(a))[0] ?? 'none';
}

function isServer(pid) {
  try {
    return fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('postgres');
  } catch {
    return false;
  }
}
