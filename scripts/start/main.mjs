// A start from beginning to end: the data directory and its lock, the checkout, the secrets, then the processes, until
// a signal. A failed start ends with one sentence and status 1; a stopped one ends with 0.

import path from 'node:path';
import { freePort } from '../free-port.mjs';
import { prepareCheckout } from './checkout.mjs';
import { openDataDirectory } from './data-directory.mjs';
import { checkPort } from './ports.mjs';
import { readyText } from './ready-text.mjs';
import { Refusal, Stopped } from './refusal.mjs';
import { readSecrets } from './secrets.mjs';
import { dataDirectoryOf, readEnvironment, readSettings } from './settings.mjs';
import { openSetup, withSetup } from './setup-file.mjs';
import { Supervisor } from './supervisor.mjs';
import { Tasks } from './tasks.mjs';

const ROOT = path.join(import.meta.dirname, '../..');
const say = (line) => console.log(line);
const warn = (line) => console.error(line);

/** Resolves when the installation is up. The process runs until a signal ends it. */
export async function main() {
  /** Clean-up actions, run in reverse order. */
  const ends = [];
  let ending = null;
  // Below npm, Ctrl-C arrives twice, from the terminal and from npm; the second is a no-op.
  const end = (status) => (ending ??= finish(ends, status));
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => void end(0));
  // The reader of our output closed it. That is no reason to stop.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
  process.on('uncaughtException', (error) => {
    if (ending) return; // For example a connection to a process that was just stopped.
    console.error(error);
    void end(1);
  });

  try {
    await start(ends);
  } catch (error) {
    if (ending) return ending;
    if (!(error instanceof Stopped)) warn(explain(error));
    await end(1);
  }
}

async function start(ends) {
  const given = readEnvironment(ROOT);
  const readAll = () => withSetup(given, dataDirectoryOf(given, ROOT));
  const environment = readAll();
  const settings = readSettings(environment, ROOT, await freePort());
  const { dataDirectory, databaseUrl, host, port } = settings;
  const embeddedAsRoot = databaseUrl === null && process.getuid?.() === 0;
  const lock = openDataDirectory(dataDirectory, { open: embeddedAsRoot });
  ends.push(() => lock.release());
  await checkPort({ host, port, patient: lock.takenOver });

  const tasks = new Tasks(path.join(dataDirectory, 'logs'));
  ends.push(() => tasks.stop());
  await prepareCheckout({ root: ROOT, environment, tasks, say });
  const setupFile = openSetup(settings, environment);
  const secrets = readSecrets(dataDirectory, environment);
  const supervisor = new Supervisor({ settings, secrets, environment, setupFile, readAll, tasks, say, warn });
  ends.push(() => supervisor.stop());
  const accounts = await supervisor.start();
  say(readyText(settings.publicUrl, accounts, setupFile !== null));
}

async function finish(ends, status) {
  if (status === 0) say('ending');
  for (const one of ends.toReversed()) await Promise.resolve(one()).catch((error) => console.error(error));
  process.exit(status);
}

/** A refusal is a sentence for the reader; any other error is printed with details for debugging. */
const explain = (error) => (error instanceof Refusal ? error.message : `The start failed: ${error.stack ?? error}`);
