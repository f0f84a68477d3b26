// The secrets of an installation that was given none: made once, kept in the data directory for this user alone, and never
// made again for data that was encrypted with the old ones.

import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { Refusal } from './refusal.mjs';

const FILE = 'secrets.json';
/** What secrets.json must not be missing beside: both can be read with its secrets only. */
const NEEDS_SECRETS = ['postgres/PG_VERSION', 'keystore.json'];

const MAKE = {
  MASTER_KEYS: () => `1:${randomBytes(32).toString('base64')}`,
  KEYSTORE_PASSPHRASE: () => randomBytes(32).toString('base64url'),
  CRON_SECRET: () => randomBytes(32).toString('base64url'),
};

/**
 * The three secrets: each from the environment if it is there, else from the file, which is made at the first start.
 * @returns {{ MASTER_KEYS: string, KEYSTORE_PASSPHRASE: string, CRON_SECRET: string }}
 */
export function readSecrets(directory, environment) {
  const given = Object.fromEntries(
    Object.keys(MAKE).flatMap((name) => (environment[name] ? [[name, environment[name]]] : [])),
  );
  if (Object.keys(given).length === Object.keys(MAKE).length) return given;
  return { ...(readFile(directory) ?? makeFile(directory)), ...given };
}

function readFile(directory) {
  const file = path.join(directory, FILE);
  if (!fs.existsSync(file)) return null;
  const kept = parse(fs.readFileSync(file, 'utf8'));
  if (Object.keys(MAKE).every((name) => typeof kept?.[name] === 'string')) return kept;
  throw new Refusal(`${file} is damaged: put back a copy of it; without it the data beside it cannot be read.`);
}

function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function makeFile(directory) {
  const file = path.join(directory, FILE);
  const orphan = NEEDS_SECRETS.find((name) => fs.existsSync(path.join(directory, name)));
  if (orphan) {
    throw new Refusal(
      `${file} is missing, and ${orphan} beside it cannot be read without it: put it back, or set its secrets in the environment.`,
    );
  }
  const made = Object.fromEntries(Object.entries(MAKE).map(([name, make]) => [name, make()]));
  const draft = fs.openSync(`${file}.new`, 'w', 0o600);
  fs.writeSync(draft, `${JSON.stringify(made, null, 2)}\n`);
  fs.fsyncSync(draft);
  fs.closeSync(draft);
  fs.renameSync(`${file}.new`, file);
  return made;
}
