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
  EVIDENCE_KEY: () => randomBytes(32).toString('base64'),
  ...Object.fromEntries(
    ['OWNER_DATABASE_PASSWORD', 'WEB_DATABASE_PASSWORD', 'WORKER_DATABASE_PASSWORD'].map((name) => [
      name,
      () => randomBytes(32).toString('base64url'),
    ]),
  ),
};

/** Secrets that older installations have none of: nothing that is kept can be read with them only. */
const ADDED_LATER = ['EVIDENCE_KEY', 'OWNER_DATABASE_PASSWORD', 'WEB_DATABASE_PASSWORD', 'WORKER_DATABASE_PASSWORD'];

/**
 * The secrets: each from the environment if it is there, else from the file, which is made at the first start.
 * @returns {Record<'MASTER_KEYS' | 'KEYSTORE_PASSPHRASE' | 'EVIDENCE_KEY' | 'OWNER_DATABASE_PASSWORD' | 'WEB_DATABASE_PASSWORD' | 'WORKER_DATABASE_PASSWORD', string>}
 */
export function readSecrets(directory, environment) {
  const names = Object.keys(MAKE);
  const given = Object.fromEntries(names.flatMap((name) => (environment[name] ? [[name, environment[name]]] : [])));
  const file = path.join(directory, FILE);
  const text = fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : null;
  const kept = text === null ? {} : parse(text);
  const missing = names.filter((name) => given[name] === undefined && typeof kept?.[name] !== 'string');
  if (missing.length === 0) return { ...kept, ...given };
  if (!kept || missing.some((name) => !ADDED_LATER.includes(name))) refuseToReplace(directory, file, text);
  // A new file holds all of them, so that those given now may be left out one day.
  const make = text === null && missing.length > ADDED_LATER.length ? names : missing;
  const made = { ...kept, ...Object.fromEntries(make.map((name) => [name, MAKE[name]()])) };
  writeFile(file, made);
  return { ...made, ...given };
}

/** Throws a Refusal when a secret that is gone was needed for what is there. */
function refuseToReplace(directory, file, text) {
  if (text !== null) {
    throw new Refusal(`${file} is damaged: put back a copy of it; without it the data beside it cannot be read.`);
  }
  const orphan = NEEDS_SECRETS.find((name) => fs.existsSync(path.join(directory, name)));
  if (!orphan) return;
  throw new Refusal(
    `${file} is missing, and ${orphan} beside it cannot be read without it: put it back, or set its secrets in the environment.`,
  );
}

function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function writeFile(file, made) {
  const draft = fs.openSync(`${file}.new`, 'w', 0o600);
  fs.writeSync(draft, `${JSON.stringify(made, null, 2)}\n`);
  fs.fsyncSync(draft);
  fs.closeSync(draft);
  fs.renameSync(`${file}.new`, file);
}
