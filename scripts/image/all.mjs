#!/usr/bin/env node
// Migrations, signer, worker and web in one container, for hosts that run only one: `node scripts/image/all.mjs` as its command. They are
// separate processes with their own settings and database roles, but one user's: who takes over one of them can read the files and the
// memory of the others, the keystore's among them (docs/operate/images.md). When one ends, all end, and the host starts the container again.

import { spawn } from 'node:child_process';
import { pathToFileURL } from 'node:url';
import { readSecretFiles } from '../../lib/platform/config/secret-files.mjs';
import { applyRoles, urlOfRole } from '../database-roles/apply.mjs';
import { migrate } from '../migrate.mjs';

/** What each process may not know. A setting that is not named here is none of a secret or belongs to that process. */
const ONLY_SIGNER = /^(?:KEYSTORE_|SIGNER_(?!SOCKET$)|JOURNAL_FILE$|ALLOW_PUBLIC_MNEMONIC$|MACHINE_ID_FILE$)/;
const ONLY_WORKER = /^(?:EVIDENCE_KEY$|ENERGY_MARKET)/;
const ONLY_WEB = /^VALKEY_URL$/;
const ONLY_OWNER = /^(?:DATABASE_URL|(?:WEB|WORKER|READ|OWNER)_DATABASE_PASSWORD)$/;
const OF_SYSTEM =
  /^(?:PATH|HOME|TZ|LANG|NODE_ENV|NODE_OPTIONS|LOG_LEVEL|PUBLIC_URL|SIGNER_SOCKET|EVIDENCE_KEY|CRASH_POINT)$/;

/** The environment of each process. @param {Record<string, string | undefined>} all */
export function environmentsOf(all) {
  const { DATABASE_URL: owner = '', WEB_DATABASE_PASSWORD: web = '', WORKER_DATABASE_PASSWORD: worker = '' } = all;
  if (!owner || !web || !worker)
    throw new Error('DATABASE_URL, WEB_DATABASE_PASSWORD and WORKER_DATABASE_PASSWORD are needed.');
  const without = (...patterns) =>
    Object.fromEntries(Object.entries(all).filter(([name]) => !patterns.some((pattern) => pattern.test(name))));
  const signer = Object.fromEntries(
    Object.entries(all).filter(([name]) => ONLY_SIGNER.test(name) || OF_SYSTEM.test(name)),
  );
  return {
    signer: { SIGNER_SOCKET: '/run/stabletill/signer.sock', ...signer },
    worker: {
      ...{ SIGNER_SOCKET: '/run/stabletill/signer.sock', ...without(ONLY_SIGNER, ONLY_WEB, ONLY_OWNER) },
      DATABASE_URL: urlOfRole(owner, 'worker', worker),
    },
    web: { ...without(ONLY_SIGNER, ONLY_WORKER, ONLY_OWNER), DATABASE_URL: urlOfRole(owner, 'web', web) },
  };
}

async function main() {
  const all = readSecretFiles({ ...process.env });
  const environments = environmentsOf(all);
  await migrate(all.DATABASE_URL);
  const passwords = { web: all.WEB_DATABASE_PASSWORD, worker: all.WORKER_DATABASE_PASSWORD };
  await applyRoles(all.DATABASE_URL ?? '', { passwords });
  const isWatchOnly = Boolean(all.WATCH_ONLY_EVM_XPUB);
  const names = isWatchOnly ? ['worker', 'web'] : ['signer', 'worker', 'web'];
  const children = names.map((name) => start(name, environments[name]));
  let isStopping = false;
  const stop = () => {
    isStopping = true;
    // The signer last: the worker finishes its steps first.
    const others = children.filter(({ name }) => name !== 'signer');
    for (const { child } of others) child.kill('SIGTERM');
    void Promise.all(others.map(({ ended }) => ended)).then(() =>
      children.forEach(({ child }) => child.kill('SIGTERM')),
    );
  };
  for (const signal of ['SIGTERM', 'SIGINT']) process.once(signal, stop);
  await Promise.race(children.map(({ ended }) => ended));
  const isFault = !isStopping;
  if (isFault) stop();
  const codes = await Promise.all(children.map(({ ended }) => ended));
  process.exit(isFault || codes.some((code) => code !== 0) ? 1 : 0);
}

function start(name, env) {
  const program = name === 'web' ? 'dist/server.mjs' : `dist/${name}.mjs`;
  const child = spawn(process.execPath, [program], { env, stdio: ['ignore', 'inherit', 'inherit'] });
  const ended = new Promise((resolve) => {
    child.once('exit', (code) => resolve(code ?? 1));
    child.once('error', () => resolve(1));
  });
  return { name, child, ended };
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  await main().catch((error) => {
    console.error(error.message);
    process.exit(1);
  });
}
