import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readSecretFiles } from './secret-files.mjs';

let directory: string;
beforeEach(() => {
  directory = fs.mkdtempSync(path.join(os.tmpdir(), 'secret-files-'));
});
afterEach(() => fs.rmSync(directory, { recursive: true }));

const put = (name: string, text: string) => {
  fs.writeFileSync(path.join(directory, name), text);
  return path.join(directory, name);
};

test('NAME_FILE gives the secret, without the last line break, and is gone from the environment', () => {
  const CRON_SECRET_FILE = put('any-name', 'sixteen-characters\n');
  expect(readSecretFiles({ CRON_SECRET_FILE, HOST: '::' })).toEqual({ CRON_SECRET: 'sixteen-characters', HOST: '::' });
});

test('each file of SECRETS_DIR that is called after a secret gives it, and no other file does', () => {
  put('MASTER_KEYS', '1:abc');
  put('LIVE_BSC_URLS', 'https://node.example/KEY');
  put('HOST', '0.0.0.0');
  put('NODE_OPTIONS', '--inspect');
  fs.mkdirSync(path.join(directory, '..data-like'));
  const read = readSecretFiles({ SECRETS_DIR: directory });
  expect(read).toEqual({ MASTER_KEYS: '1:abc', LIVE_BSC_URLS: 'https://node.example/KEY' });
});

test('files that are settings themselves stay: the keystore is no secret setting’s file', () => {
  const environment = {
    KEYSTORE_FILE: '/var/lib/keystore.json',
    SIGNER_HSM_PIN_FILE: '/pin',
    JOURNAL_FILE: '/journal',
  };
  expect(readSecretFiles({ ...environment })).toEqual(environment);
});

test('a secret in both places, a missing file and a missing directory are refused without the secret', () => {
  const MASTER_KEYS_FILE = put('keys', 'from-the-file');
  const both = () => readSecretFiles({ MASTER_KEYS_FILE, MASTER_KEYS: 'from-environment' });
  expect(both).toThrow('MASTER_KEYS is set, and a file holds it too: leave one of them out.');
  expect(() => readSecretFiles({ SMTP_URL_FILE: `${directory}/none` })).toThrow(/^SMTP_URL: its file .* \(ENOENT\)\.$/);
  expect(() => readSecretFiles({ SECRETS_DIR: `${directory}/none` })).toThrow('which does not exist');
});

test('DATABASE_PASSWORD goes into an address without a password, escaped; never into one that has its own', () => {
  const DATABASE_URL = 'postgresql://stabletill_web@database:5432/stabletill';
  const read = readSecretFiles({ DATABASE_URL, DATABASE_PASSWORD: 'p@ss/w:rd %' });
  expect(read).toEqual({ DATABASE_URL: 'postgresql://stabletill_web:p%40ss%2Fw%3Ard%20%25@database:5432/stabletill' });
  expect(decodeURIComponent(new URL(read.DATABASE_URL ?? '').password)).toBe('p@ss/w:rd %');
  const twice = () => readSecretFiles({ DATABASE_URL: 'postgresql://a:b@c/d', DATABASE_PASSWORD: 'e' });
  expect(twice).toThrow('leave one of them out');
});
