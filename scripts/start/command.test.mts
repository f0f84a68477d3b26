// Terminal commands find the installation of `npm start` automatically, and never mix it with another one.

import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { useInstallation, writeStart } from './installation.mjs';
import { readSecrets } from './secrets.mjs';

let root = '';
let directory = '';
beforeEach(() => {
  root = fs.mkdtempSync(path.join(os.tmpdir(), 'stabletill-command-'));
  directory = path.join(root, '.data');
  fs.mkdirSync(path.join(directory, 'postgres'), { recursive: true });
});
afterEach(() => fs.rmSync(root, { recursive: true, force: true }));

type Environment = Record<string, string | undefined>;
const use = async (environment: Environment, more: { role?: 'owner' | 'worker'; mayBeDown?: boolean } = {}) => {
  const found = await useInstallation({ role: 'owner', root, environment, ...more });
  return { found, environment };
};
const runs = () => fs.writeFileSync(path.join(directory, 'postgres/postmaster.pid'), '77\n/data\n1\n5544\n\n');

test('a command takes the worker’s settings from the data directory, with its own database role', async () => {
  const secrets = readSecrets(directory, {});
  fs.writeFileSync(path.join(directory, 'settings.env'), "SETUP=finished\nMAIL_FROM='a@pay.example'\n");
  runs();
  const { found, environment } = await use({ PATH: '/bin' });
  expect(found).toBe(directory);
  expect(environment).toMatchObject({
    DATABASE_URL: `postgresql://app:${secrets.OWNER_DATABASE_PASSWORD}@127.0.0.1:5544/app`,
    MASTER_KEYS: secrets.MASTER_KEYS,
    EVIDENCE_KEY: secrets.EVIDENCE_KEY,
    MAIL_FROM: 'a@pay.example',
  });
  expect(path.resolve(environment.SIGNER_SOCKET ?? '')).toBe(path.join(directory, 'signer.sock'));
  // Only the signer may have the passphrase of the keystore.
  expect(environment.KEYSTORE_PASSPHRASE).toBe('');
  const worker = await use({}, { role: 'worker' });
  expect(worker.environment.DATABASE_URL).toBe(
    `postgresql://app_worker:${secrets.WORKER_DATABASE_PASSWORD}@127.0.0.1:5544/app`,
  );
});

test('a database that the environment names is never mixed with the installation in the data directory', async () => {
  readSecrets(directory, {});
  runs();
  const given = { DATABASE_URL: 'postgresql://elsewhere/app', MASTER_KEYS: '1:x' };
  expect(await use({ ...given })).toEqual({ found: null, environment: given });
});

test('without an installation a command has the environment and .env', async () => {
  fs.writeFileSync(path.join(root, '.env'), 'MASTER_KEYS=1:y\nLOG_LEVEL=warn\n');
  expect(await use({ LOG_LEVEL: 'error' })).toEqual({
    found: null,
    environment: { LOG_LEVEL: 'error', MASTER_KEYS: '1:y' },
  });
  expect(fs.existsSync(path.join(directory, 'secrets.json'))).toBe(false);
});

test('a command knows the settings that were given only on the command line of the start; the set-up takes precedence', async () => {
  readSecrets(directory, {});
  runs();
  const environment = { PUBLIC_URL: 'https://old.example', TRUSTED_PROXIES: '10.0.0.0/8', SANDBOX: 'off', SECRET: 'x' };
  writeStart(directory, { environment, chains: null });
  expect(fs.readFileSync(path.join(directory, 'start.json'), 'utf8')).not.toContain('SECRET');
  expect((await use({})).environment).toMatchObject({
    PUBLIC_URL: 'https://old.example',
    TRUSTED_PROXIES: '10.0.0.0/8',
  });
  fs.writeFileSync(path.join(directory, 'settings.env'), "SETUP=finished\nPUBLIC_URL='https://pay.example'\n");
  expect((await use({})).environment.PUBLIC_URL).toBe('https://pay.example');
});

test('a stopped installation is reported in one sentence, and the doctor still checks it', async () => {
  readSecrets(directory, {});
  await expect(use({})).rejects.toThrow(`The installation in ${directory} does not run: start it with npm start`);
  const { environment } = await use({}, { mayBeDown: true });
  expect(environment.DATABASE_URL).toMatch(/@127\.0\.0\.1:1\/app$/);
});

test('in a sandbox a command knows the current local chains', async () => {
  readSecrets(directory, {});
  runs();
  const networks = { ethereum: { rpc_url: 'http://127.0.0.1:6' } };
  writeStart(directory, { environment: { PORT: '4444' }, chains: { origin: 'http://127.0.0.1:5', networks } });
  const { environment } = await use({});
  expect(environment).toMatchObject({
    SANDBOX_ORIGIN: 'http://127.0.0.1:5',
    TEST_CHAINS: 'local',
    TEST_ETHEREUM_URLS: 'http://127.0.0.1:6',
    PUBLIC_URL: 'http://127.0.0.1:4444',
  });
});
