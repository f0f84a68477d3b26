// Reads the settings of a set-up (lib/installation/setup/settings-file.ts). The environment and `.env` override them.
// They apply after the set-up, for allowed names only. A new data directory without a sandbox gets an open one.

import fs from 'node:fs';
import path from 'node:path';
import { parseEnv } from 'node:util';
import { Refusal } from './refusal.mjs';

const LIVE_NETWORK = /^LIVE_[A-Z0-9]+_(?:URLS|BUDGETS)$/;
const NETWORK = /^(?:LIVE|TEST)_[A-Z0-9]+_(?:URLS|BUDGETS)$/;
/** The same list as lib/installation/setup/names.ts; a test compares them. */
export const SETUP_NAMES = [
  ...['PUBLIC_URL', 'HOST', 'PORT', 'TRUSTED_PROXIES', 'DIRECT_CLIENTS', 'LIVE_TRON_API_KEY', 'TEST_TRON_API_KEY'],
  ...['SMTP_URL', 'MAIL_FROM'],
  ...['SECURITY_CONTACT', 'SIGNER_NETWORKS', 'SIGNER_CENTS_PER_REFUND', 'SIGNER_CENTS_PER_HOUR'],
  ...['SIGNER_CENTS_PER_DAY', 'SIGNER_APPROVAL_ABOVE', 'REFUND_APPROVAL_ABOVE'],
  ...['TREASURY_WALLETS', 'SIGNER_TREASURY_WALLETS', 'DIRECT_SETTLEMENT'],
];

export const setupFileOf = (directory) => path.join(directory, 'settings.env');

/** Null without a file. Throws a Refusal for a name that a set-up does not write: another program wrote it. */
export function readSetup(directory) {
  const file = setupFileOf(directory);
  if (!fs.existsSync(file)) return null;
  const { SETUP, ...settings } = parseEnv(fs.readFileSync(file, 'utf8'));
  const strange = Object.keys(settings).find((name) => !NETWORK.test(name) && !SETUP_NAMES.includes(name));
  if (strange) throw new Refusal(`${file} sets ${strange}, which is no setting of the set-up: move it to .env.`);
  return { isOpen: SETUP === 'open', settings };
}

/**
 * The environment together with the settings of a finished set-up, which the environment overrides. A set-up belongs to
 * an installation without a sandbox, so no later start creates demo accounts in it.
 */
export function withSetup(environment, directory) {
  const setup = readSetup(directory);
  if (!setup) return environment;
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''));
  return { ...environment, SANDBOX: 'off', ...(setup.isOpen ? {} : setup.settings), ...given };
}

/**
 * The file that the browser set-up writes while it is open, else null. Opens a set-up in a new installation without
 * configured live endpoints.
 */
export function openSetup({ dataDirectory, sandbox }, environment) {
  if (sandbox) return null;
  const file = setupFileOf(dataDirectory);
  const setup = readSetup(dataDirectory);
  if (setup) return setup.isOpen ? file : null;
  const isNew = !fs.existsSync(path.join(dataDirectory, 'secrets.json'));
  const isByHand = Object.entries(environment).some(([name, value]) => LIVE_NETWORK.test(name) && value);
  if (!isNew || isByHand) return null;
  fs.writeFileSync(file, 'SETUP=open\n', { mode: 0o600, flag: 'wx' });
  return file;
}

const POLL_MILLISECONDS = 500;

/**
 * Calls `then` once when the set-up is finished. Returns a function that stops polling. It polls the file, because a
 * file watcher misses a change before its first read.
 */
export function onceFinished(file, then) {
  const timer = setInterval(() => {
    if (!isFinished(path.dirname(file))) return;
    clearInterval(timer);
    then();
  }, POLL_MILLISECONDS);
  return () => clearInterval(timer);
}

/** A file with an unknown name stops the next start and not this one. */
function isFinished(directory) {
  try {
    return readSetup(directory)?.isOpen === false;
  } catch (error) {
    if (error instanceof Refusal) return false;
    throw error;
  }
}
