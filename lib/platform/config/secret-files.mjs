// Secrets from files instead of the environment, where other processes and `docker inspect` show them. For each secret NAME, NAME_FILE
// names a file that holds it; and SECRETS_DIR names a directory whose files are called after secrets, as Docker, Podman and
// Kubernetes mount them. Plain JavaScript, because the migrations read it without a build.

import fs from 'node:fs';
import path from 'node:path';

/** Every setting that is a secret, or that a password can be part of. */
const SECRETS = [
  ...['DATABASE_URL', 'DATABASE_DIRECT_URL', 'WORKER_DATABASE_URL', 'DATABASE_PASSWORD'],
  ...['WEB_DATABASE_PASSWORD', 'WORKER_DATABASE_PASSWORD', 'READ_DATABASE_PASSWORD', 'OWNER_DATABASE_PASSWORD'],
  ...['MASTER_KEYS', 'EVIDENCE_KEY', 'KEYSTORE_PASSPHRASE', 'CRON_SECRET', 'METRICS_TOKEN', 'SMTP_URL', 'VALKEY_URL'],
  ...[
    'ALARM_WEBHOOK_URL',
    'ALARM_WEBHOOK_SECRET',
    'SCREENING_HOOK_SECRET',
    'ENERGY_MARKET_KEY',
    'ENERGY_MARKET_SECRET',
  ],
  ...['LIVE_TRON_API_KEY', 'TEST_TRON_API_KEY'],
];
/** Endpoints are secrets too: keys of providers are part of their addresses. */
const ENDPOINTS = /^(?:LIVE|TEST)_[A-Z0-9]+_URLS$/;

/** @param {string} name */
export const isSecret = (name) => SECRETS.includes(name) || ENDPOINTS.test(name);

/**
 * Puts the secrets that files hold into the environment, and DATABASE_PASSWORD into a DATABASE_URL that has no password. Child processes
 * get them by the environment. Throws an Error that names the setting and contains no secret.
 * @param {Record<string, string | undefined>} environment
 */
export function readSecretFiles(environment) {
  const { SECRETS_DIR: directory } = environment;
  delete environment.SECRETS_DIR;
  for (const [name, file] of Object.entries({ ...inDirectory(directory), ...named(environment) })) {
    delete environment[`${name}_FILE`];
    if (environment[name]) throw new Error(`${name} is set, and a file holds it too: leave one of them out.`);
    environment[name] = contentOf(name, file);
  }
  const { DATABASE_URL: address, DATABASE_PASSWORD: password } = environment;
  delete environment.DATABASE_PASSWORD;
  if (address && password) environment.DATABASE_URL = withPassword(address, password);
  return environment;
}

/** The files of a directory that are called after secrets; other files and Kubernetes' `..data` are not read. */
function inDirectory(directory) {
  if (!directory) return {};
  const names = fs.existsSync(directory) ? fs.readdirSync(directory) : null;
  if (names === null) throw new Error(`SECRETS_DIR names ${directory}, which does not exist.`);
  return Object.fromEntries(names.filter(isSecret).map((name) => [name, path.join(directory, name)]));
}

function named(environment) {
  const given = Object.entries(environment).flatMap(([key, file]) =>
    key.endsWith('_FILE') && file && isSecret(key.slice(0, -5)) ? [[key.slice(0, -5), file]] : [],
  );
  return Object.fromEntries(given);
}

function contentOf(name, file) {
  try {
    return fs.readFileSync(file, 'utf8').trim();
  } catch (error) {
    throw new Error(`${name}: its file ${file} cannot be read (${error.code}).`, { cause: error });
  }
}

function withPassword(address, password) {
  const url = URL.canParse(address) ? new URL(address) : null;
  if (!url) throw new Error('DATABASE_URL: must be a postgresql:// address.');
  if (url.password)
    throw new Error('DATABASE_PASSWORD is set, and DATABASE_URL has a password too: leave one of them out.');
  url.password = encodeURIComponent(password);
  return url.href;
}
