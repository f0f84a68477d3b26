// The first start of an installation makes its keystore; a start whose keystore was lost does not.

import fs from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { needsKeystore } from './keystore.mjs';
import { signerEnvironment, withAbsoluteFile } from './signer-terminal.mjs';
import { readSecrets } from './secrets.mjs';

let db: TestDatabase;
let directory = '';
beforeAll(async () => {
  db = await openTestDatabase();
  directory = fs.mkdtempSync('/tmp/stabletill-keystore-');
});
afterAll(async () => {
  fs.rmSync(directory, { recursive: true, force: true });
  await db.close();
});

test('a start makes a keystore only for a database that has given no deposit address', async () => {
  expect(await needsKeystore(directory, db.url)).toBe(true);
  await db.pool.query(`INSERT INTO wallets (id, fingerprint) VALUES (1, 'f1nger')`);
  await expect(needsKeystore(directory, db.url)).rejects.toMatchObject({
    name: 'Refusal',
    message: expect.stringMatching(
      /keystore\.json is missing, and the database has deposit addresses .*f1nger.*signer restore/,
    ),
  });
  const whole = path.join(directory, 'whole');
  fs.mkdirSync(whole);
  fs.writeFileSync(path.join(whole, 'keystore.json'), '{}');
  expect(await needsKeystore(whole, db.url)).toBe(false);
});

test('the signer’s commands have the settings of the signer that npm start runs, or those of a container', () => {
  const { KEYSTORE_PASSPHRASE } = readSecrets(directory, {});
  const given = {
    PATH: '/bin',
    DATA_DIR: directory,
    SANDBOX: 'off',
    SIGNER_NETWORKS: 'tron@mainnet',
    SMTP_URL: 'smtp://x',
  };
  const { env, cwd } = signerEnvironment(given, directory);
  expect(cwd).toBe(directory);
  expect(env).toMatchObject({ KEYSTORE_FILE: 'keystore.json', KEYSTORE_PASSPHRASE, SIGNER_NETWORKS: 'tron@mainnet' });
  for (const name of ['STOP_WITH_PARENT', 'MASTER_KEYS', 'SMTP_URL', 'DATABASE_URL'])
    expect(env).not.toHaveProperty(name);
  // Without either, init would make a wallet wherever it runs.
  expect(() => signerEnvironment({ DATA_DIR: path.join(directory, 'none') }, directory)).toThrow(
    /KEYSTORE_FILE is not set, and .*none holds no installation/,
  );
  const container = { KEYSTORE_FILE: '/var/lib/stabletill/keystore.json', DATA_DIR: directory };
  expect(signerEnvironment(container, directory)).toEqual({ env: container, cwd: process.cwd() });
});

test('a file with a new passphrase is found from where the operator is', () => {
  expect(withAbsoluteFile(['passphrase', '--new', './file'], '/home/ada')).toEqual([
    ...['passphrase', '--new', '/home/ada/file'],
  ]);
  for (const words of [
    ['passphrase', '--new', '/run/file'],
    ['passphrase', '--new'],
    ['approvers', 'list'],
  ])
    expect(withAbsoluteFile(words, '/home/ada')).toEqual(words);
});
