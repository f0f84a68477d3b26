// Finds a secret in a log, and does not report permitted values (O-03).

import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { secretsInLogs } from './secrets.mjs';

const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'stabletill-secrets-'));
afterAll(() => fs.rmSync(directory, { recursive: true }));
const SANDBOX = {
  base_url: 'http://127.0.0.1:3000',
  operator: { email: 'operator@example.test', password: 'nine herons over the harbour' },
  stores: [{ id: 'st_1', api_secret: `as_test_${'k'.repeat(32)}`, webhook_url: 'http://127.0.0.1:3000/sandbox/hook' }],
  networks: { bsc: { payer: { address: `0x${'a'.repeat(40)}`, private_key: `0x${'b'.repeat(64)}` } } },
};
const SECRETS = { MASTER_KEYS: '1:c29tZXRoaW5nIHNlY3JldCBvZiBhIHNlcnZlcg==', CRON_SECRET: 'secret-of-the-cron-path' };
const write = (name: string, text: string) => fs.writeFileSync(path.join(directory, name), text);

beforeEach(() => {
  fs.rmSync(path.join(directory, 'logs'), { recursive: true, force: true });
  fs.mkdirSync(path.join(directory, 'logs'));
  write('sandbox.json', JSON.stringify(SANDBOX));
  write('secrets.json', JSON.stringify(SECRETS));
});

test.each([
  ['the password is nine herons over the harbour', 'sandbox.json: operator: password'],
  [`key=${'b'.repeat(64)}`, 'sandbox.json: networks: bsc: payer: private_key'],
  ['c29tZXRoaW5nIHNlY3JldCBvZiBhIHNlcnZlcg==', 'secrets.json: MASTER_KEYS'],
  ['Bearer secret-of-the-cron-path', 'secrets.json: CRON_SECRET'],
  [`{"secret":"as_live_${'0'.repeat(32)}"}`, 'an API secret'],
  [`authorization: Bearer ak_test_${'0'.repeat(32)}`, 'an API key'],
  [`whsec_${'0'.repeat(32)}`, 'a webhook secret'],
  [`cookie: stabletill-login=${'e'.repeat(40)}; a=b`, 'a login cookie'],
  [`GET /reset?token=${'Q'.repeat(43)}`, 'the token of a link'],
  ['otpauth://totp/a?secret=x', 'an authenticator’s seed'],
  ['-----BEGIN EC PRIVATE KEY-----', 'a private key'],
  ['postgresql://app:hunter2@db/app', 'a database’s password'],
])('O-03: %s in a log is found', (line, what) => {
  write('logs/web.log', `listening\n${line}\n`);
  write('logs/worker.log', 'nothing\n');
  expect(secretsInLogs(directory)).toEqual([`logs/web.log holds ${what}`]);
});

test('O-03: names, addresses and hashes are no secrets, and no logs at all are a fault', () => {
  write(
    'logs/web.log',
    `operator@example.test 0x${'a'.repeat(40)} 0x${'d'.repeat(64)} http://127.0.0.1:3000/sandbox/hook`,
  );
  expect(secretsInLogs(directory)).toEqual([]);
  fs.rmSync(path.join(directory, 'logs/web.log'));
  expect(() => secretsInLogs(directory)).toThrow('There are no logs');
});
