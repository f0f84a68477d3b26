#!/usr/bin/env node
// `npm run setup`: the first set-up from a file, and the keystore's recovery words at this terminal. It works on the
// data directory of `npm start`, with the same settings. lib/installation/setup/command.ts defines a set-up.

import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { prepareCheckout } from './start/checkout.mjs';
import { openDataDirectory } from './start/data-directory.mjs';
import { openLogFile } from './start/log-file.mjs';
import { Refusal } from './start/refusal.mjs';
import { readSecrets } from './start/secrets.mjs';
import { readEnvironment, readSettings } from './start/settings.mjs';
import { setupFileOf } from './start/setup-file.mjs';
import { Tasks } from './start/tasks.mjs';

const ROOT = path.join(import.meta.dirname, '..');
const USAGE = `npm run setup -- FILE          sets an installation up from a file (docs/operate.md, First set-up)
npm run setup -- --check FILE  checks and tries what the file says, and changes nothing
npm run setup -- words         shows the keystore's words at this terminal, once, and has three of them typed back`;
/** Size limit of a set-up file: larger than any real one. */
const MAX_BYTES = 100_000;

process.exitCode = await main(process.argv.slice(2)).catch((error) => {
  console.error(error instanceof Refusal ? error.message : (error.stack ?? error));
  return 1;
});

async function main(words) {
  const environment = readEnvironment(ROOT);
  const settings = readSettings({ ...environment, SANDBOX: 'off' }, ROOT, 3000);
  if (words.length === 1 && words[0] === 'words') return showWords(settings, environment);
  const [file, ...more] = words.filter((word) => word !== '--check');
  if (file === undefined || more.length > 0 || file.startsWith('-')) {
    console.log(USAGE);
    return 1;
  }
  return setUp({ settings, environment, text: readText(file), isCheck: words.includes('--check') });
}

function readText(file) {
  const found = fs.statSync(file, { throwIfNoEntry: false });
  if (!found?.isFile() || found.size > MAX_BYTES) throw new Refusal(`${file} is not a set-up file.`);
  if ((found.mode & 0o077) !== 0)
    console.error(`${file} can be read by others: it may hold passwords. Set its mode to 600.`);
  return fs.readFileSync(file, 'utf8');
}

async function setUp({ settings, environment, text, isCheck }) {
  const { dataDirectory, databaseUrl } = settings;
  const lock = openDataDirectory(dataDirectory, { open: databaseUrl === null && process.getuid?.() === 0 });
  const tasks = new Tasks(path.join(dataDirectory, 'logs'));
  let postgres = null;
  try {
    await prepareCheckout({ root: ROOT, environment, tasks, say: console.log });
    // A check creates no secrets: the next start still finds a new data directory.
    const secrets = isCheck
      ? { MASTER_KEYS: `1:${randomBytes(32).toString('base64')}` }
      : readSecrets(dataDirectory, environment);
    const database = async () => {
      if (databaseUrl === null) {
        const { startPostgres } = await import('./postgres.mjs');
        const log = openLogFile(path.join(dataDirectory, 'logs/postgres.log'));
        const directory = path.join(dataDirectory, 'postgres');
        postgres = await startPostgres({ directory, password: secrets.OWNER_DATABASE_PASSWORD, log });
      }
      const url = databaseUrl ?? postgres.url;
      const { migrate } = await import('./migrate.mjs');
      await migrate(url);
      return url;
    };
    // Audit log entries are chained with the installation's own keys.
    const own = {
      ...environment,
      MASTER_KEYS: secrets.MASTER_KEYS,
      DATABASE_URL: databaseUrl ?? 'postgresql://127.0.0.1/app',
    };
    Object.assign(process.env, { MASTER_KEYS: own.MASTER_KEYS, DATABASE_URL: own.DATABASE_URL });
    const { runSetup } = await import('../dist/setup.mjs');
    const file = setupFileOf(dataDirectory);
    return await runSetup(text, { environment: own, file, isCheck, database, print: console.log });
  } finally {
    await postgres?.stop();
    lock.release();
  }
}

/** Runs the signer itself on this terminal: no process sits between the words and the screen. */
async function showWords({ dataDirectory }, environment) {
  if (!fs.existsSync(path.join(dataDirectory, 'keystore.json')))
    throw new Refusal(`There is no keystore in ${dataDirectory} yet: the first npm start makes it.`);
  const { KEYSTORE_PASSPHRASE } = readSecrets(dataDirectory, environment);
  const env = { PATH: process.env.PATH, KEYSTORE_FILE: 'keystore.json', KEYSTORE_PASSPHRASE };
  const signer = path.join(ROOT, 'dist/signer.mjs');
  const child = spawn(process.execPath, [signer, 'words'], { cwd: dataDirectory, env, stdio: 'inherit' });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => resolve(code ?? 1));
  });
}
