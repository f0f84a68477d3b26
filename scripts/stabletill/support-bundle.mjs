// `stabletill support-bundle`: one archive for a person who helps, without secrets. Runs the built code of
// lib/installation/support/bundle-command.ts.

import fs from 'node:fs';
import path from 'node:path';
import { writeArchive } from '../start/archive.mjs';
import { runProgram } from '../start/command.mjs';
import { DECIDED, ENDPOINTS, FORWARDED, SIGNER_FORWARDED, WORKER_FORWARDED } from '../start/settings.mjs';

const ROOT = path.join(import.meta.dirname, '../..');
const MIGRATIONS = path.join(ROOT, 'prisma/migrations');
const OURS = new Set([...FORWARDED, ...WORKER_FORWARDED, ...SIGNER_FORWARDED, ...DECIDED]);
/** The end of a log is enough for its last errors. */
const LOG_BYTES = 2_000_000;

export const command = {
  name: 'support-bundle',
  summary: 'writes one archive for a person who helps, without secrets or data of customers',
  usage: `stabletill support-bundle [--out FILE] [--log FILE …]
Versions, settings, the doctor's findings, schema, sizes of tables, queues, heartbeats, and the last errors of the logs. Settings are shown
by a list; all others only as set or not set. Mail addresses, hashes, wallets and URLs are removed from messages and logs. With npm start the
logs are found; of containers, save them first: docker compose logs --no-log-prefix worker > worker.log`,
  options: { '--out FILE': 'where to write it', '--log FILE': 'a log whose last errors belong to it; may be repeated' },
  run: (words, { print }) =>
    runProgram(
      'support-bundle',
      ({ runSupportBundle }, directory) =>
        runSupportBundle(words, {
          environment: process.env,
          secrets: secretsOf(directory),
          isOwn: (name) => OURS.has(name) || ENDPOINTS.test(name),
          migrations: fs
            .readdirSync(MIGRATIONS)
            .filter((name) => fs.existsSync(path.join(MIGRATIONS, name, 'migration.sql'))),
          directory: directory ?? '.',
          version: JSON.parse(fs.readFileSync(path.join(ROOT, 'package.json'), 'utf8')).version,
          now: new Date(),
          logs: () => logsOf(directory),
          readFile: endOfFile,
          write: writeArchive,
          print,
        }),
      { role: 'worker', mayBeDown: true },
    ),
};

/** Of a data directory of `npm start`. */
function secretsOf(directory) {
  if (directory === null) return [];
  const kept = JSON.parse(fs.readFileSync(path.join(directory, 'secrets.json'), 'utf8'));
  return Object.values(kept).flatMap((value) => [value, ...value.split(/[:,]/)]);
}

function logsOf(directory) {
  const folder = directory === null ? null : path.join(directory, 'logs');
  if (folder === null || !fs.existsSync(folder)) return [];
  const names = fs.readdirSync(folder).filter((name) => name.endsWith('.log'));
  return names.map((name) => [name, endOfFile(path.join(folder, name))]);
}

function endOfFile(file) {
  const handle = fs.openSync(file, 'r');
  try {
    const { size } = fs.fstatSync(handle);
    const bytes = Buffer.alloc(Math.min(size, LOG_BYTES));
    fs.readSync(handle, bytes, 0, bytes.length, size - bytes.length);
    return bytes.toString('utf8');
  } finally {
    fs.closeSync(handle);
  }
}
