// Generates the secrets that an installation lacks, once, and stores them in the data directory for this user alone. It
// never generates them again for data that the old ones encrypted.

import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { Refusal } from './refusal.mjs';

const FILE = 'secrets.json';
/** Data that must not exist without secrets.json, because only its secrets can decrypt it. */
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

/** Secrets that older installations lack: no stored data depends on them alone. */
const ADDED_LATER = ['EVIDENCE_KEY', 'OWNER_DATABASE_PASSWORD', 'WEB_DATABASE_PASSWORD', 'WORKER_DATABASE_PASSWORD'];

/**
 * The secrets: each from the environment if set, else from the file, which the first start creates.
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
  // A new file holds all secrets, so that those in the environment may be removed later.
  const make = text === null && missing.length > ADDED_LATER.length ? names : missing;
  const made = { ...kept, ...Object.fromEntries(make.map((name) => [name, MAKE[name]()])) };
  writeFile(file, made);
  return { ...made, ...given };
}

/** Throws a Refusal when existing data needs a missing secret. */
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
