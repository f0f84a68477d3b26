// `stabletill setup`: the first set-up from a file, and the keystore's recovery words at this terminal. It works on the
// data directory of `npm start`, with the same settings. lib/installation/setup/command.ts defines a set-up.

import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { openDataDirectory } from '../start/data-directory.mjs';
import { openLogFile } from '../start/log-file.mjs';
import { Refusal, WrongUsage } from '../start/refusal.mjs';
import { readSecrets } from '../start/secrets.mjs';
import { readEnvironment, readSettings } from '../start/settings.mjs';
import { setupFileOf } from '../start/setup-file.mjs';
import { runSigner } from '../start/signer-terminal.mjs';
import { Tasks } from '../start/tasks.mjs';

const ROOT = path.join(import.meta.dirname, '../..');
/** Size limit of a set-up file: larger than any real one. */
const MAX_BYTES = 100_000;

export const command = {
  name: 'setup',
  summary: 'sets an installation of npm start up from a file',
  usage: `stabletill setup FILE          sets an installation up from a file (docs/operate.md, First set-up)
stabletill setup --check FILE  checks and tries what the file says, and changes nothing
stabletill setup words         the same as "stabletill signer words"
It works on the data directory of npm start, while the installation is stopped.`,
  run: async (words, { print }) => {
    const environment = readEnvironment(ROOT);
    const settings = readSettings({ ...environment, SANDBOX: 'off' }, ROOT, 3000);
    if (words.length === 1 && words[0] === 'words') return showWords(settings);
    const [file, ...more] = words.filter((word) => word !== '--check');
    if (file === undefined || more.length > 0 || file.startsWith('-')) throw new WrongUsage();
    return setUp({ settings, environment, text: readText(file), isCheck: words.includes('--check'), print });
  },
};

function readText(file) {
  const found = fs.statSync(file, { throwIfNoEntry: false });
  if (!found?.isFile() || found.size > MAX_BYTES) throw new Refusal(`${file} is not a set-up file.`);
  if ((found.mode & 0o077) !== 0)
    console.error(`${file} can be read by others: it may hold passwords. Set its mode to 600.`);
  return fs.readFileSync(file, 'utf8');
}

async function setUp({ settings, environment, text, isCheck, print }) {
  if (!fs.existsSync(path.join(ROOT, 'scripts/build.mjs')))
    throw new Refusal(
      'This sets up an installation of npm start. A container takes its settings from its environment.',
    );
  const { dataDirectory, databaseUrl } = settings;
  const lock = openDataDirectory(dataDirectory, { open: databaseUrl === null && process.getuid?.() === 0 });
  const tasks = new Tasks(path.join(dataDirectory, 'logs'));
  let postgres = null;
  try {
    const { prepareCheckout } = await import('../start/checkout.mjs');
    await prepareCheckout({ root: ROOT, environment, tasks, say: print });
    // A check creates no secrets: the next start still finds a new data directory.
    const secrets = isCheck
      ? { MASTER_KEYS: `1:${randomBytes(32).toString('base64')}` }
      : readSecrets(dataDirectory, environment);
    const database = async () => {
      if (databaseUrl === null) {
        const { startPostgres } = await import('../postgres.mjs');
        const log = openLogFile(path.join(dataDirectory, 'logs/postgres.log'));
        const directory = path.join(dataDirectory, 'postgres');
        postgres = await startPostgres({ directory, password: secrets.OWNER_DATABASE_PASSWORD, log });
      }
      const url = databaseUrl ?? postgres.url;
      const { migrate } = await import('../migrate.mjs');
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
    const { runSetup } = await import('../../dist/setup.mjs');
    const file = setupFileOf(dataDirectory);
    return await runSetup(text, { environment: own, file, isCheck, database, print });
  } finally {
    await postgres?.stop();
    lock.release();
  }
}

function showWords({ dataDirectory }) {
  if (!fs.existsSync(path.join(dataDirectory, 'keystore.json')))
    throw new Refusal(`There is no keystore in ${dataDirectory} yet: the first npm start makes it.`);
  return runSigner(['words']);
}
