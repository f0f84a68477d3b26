// Replaces the parts of an installation by those of another release as docs/operate/upgrade.md says: one at a time, and web and worker
// each beside the one that it replaces.

import { spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { ROOT } from '../../test/install.mjs';

/** What the balancer has to notice a process that stops (DRAIN_SECONDS). */
export const DRAIN_SECONDS = 5;
/** After an operator took a process out of the balancer, responses are sent. */
const OUT_MS = 2000;
/** A client records a lost connection a moment later. */
const NOTICED_MS = 250;

export class Rollout {
  /** Parts that did not end by themselves, as lines. */
  forced = [];
  /** When web processes were ended that do not say so on /readyz. */
  ends = [];
  /** The names of the running web processes and worker. */
  webs;
  #worker;
  #installation;
  #balancer;
  #seen = 0;

  /** @param {{ installation: import('../../crash/installation.mjs').Installation, balancer: import('./balancer.mjs').Balancer, worker: string }} given */
  constructor({ installation, balancer, worker }) {
    this.#installation = installation;
    this.#balancer = balancer;
    this.webs = Object.keys(installation.webs);
    this.#worker = worker;
  }

  /** Two signers cannot share a journal, so refunds wait for a moment. */
  async signer() {
    await this.#end('signer');
    await this.#installation.startSigner();
  }

  /** @param {{ together: (names: string[]) => Promise<unknown> }} meanwhile while both run */
  async worker({ together }) {
    const former = this.#worker;
    this.#worker = `${++this.#seen}`;
    await this.#installation.addWorker(this.#worker, this.#installation.workers[former]);
    await together([former, this.#worker]);
    await this.#end(`worker-${former}`);
  }

  /**
   * `announces`: the processes that end say on /readyz that they stop. The operator takes others out of the balancer.
   * @param {{ together: (urls: string[]) => Promise<unknown>, announces: boolean }} given
   */
  async web({ together, announces }) {
    for (const former of [...this.webs]) {
      const name = `${former.replace(/\+\d+$/, '')}+${++this.#seen}`;
      await this.#installation.startWeb(name);
      await this.#balancer.add(name, this.#installation.webs[name]);
      await together([former, name].map((one) => this.#installation.webs[one]));
      if (!announces) {
        this.#balancer.remove(former);
        await sleep(OUT_MS);
      }
      const since = Date.now();
      await this.#end(former);
      if (!announces) this.ends.push({ since, until: Date.now() + NOTICED_MS });
      this.#balancer.remove(former);
      this.webs = this.webs.map((one) => (one === former ? name : one));
    }
  }

  async #end(name) {
    const how = await this.#installation.end(name);
    if (how !== 'code 0') this.forced.push(`${name} ended with ${how}`);
  }
}

/**
 * Runs a command of this release's `stabletill`, and resolves to its exit code and its lines.
 * @param {string[]} words
 * @param {Record<string, string>} environment
 * @returns {Promise<{ code: number, lines: string[] }>}
 */
export function operate(words, environment) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ['scripts/stabletill.mjs', ...words], {
      cwd: ROOT,
      env: { ...process.env, ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let said = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (said += chunk));
    child.once('error', reject);
    child.once('close', (code) => resolve({ code: code ?? 1, lines: said.trim().split('\n') }));
  });
}
