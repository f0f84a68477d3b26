// The installer, run twice in a directory of its own: as root it gives the secrets to the containers' user.

import { execFileSync, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readSecretFiles } from '@/lib/platform/config/secret-files.mjs';

const SCRIPT = path.join(import.meta.dirname, 'install.sh');
let directory: string;
beforeEach(() => {
  directory = fs.mkdtempSync(path.join(os.tmpdir(), 'install-'));
});
afterEach(() => fs.rmSync(directory, { recursive: true }));

const install = (...words: string[]) =>
  spawnSync('sh', [SCRIPT, '--directory', directory, ...words], {
    encoding: 'utf8',
    env: { PATH: process.env.PATH ?? '', NODE_ENV: 'test' },
  });
const read = (file: string) => fs.readFileSync(path.join(directory, file), 'utf8');
const modeOf = (file: string) => (fs.statSync(path.join(directory, file)).mode & 0o777).toString(8);
/** Every file with its content. */
const all = () =>
  Object.fromEntries(
    fs
      .readdirSync(directory, { recursive: true })
      .map(String)
      .filter((name) => fs.statSync(path.join(directory, name)).isFile())
      .map((name) => [name, read(name)]),
  );

test('writes settings, secrets, compose and the proxy, with secrets for their container alone', () => {
  const { status, stdout } = install('--host', 'pay.example.com', '--image', 'stabletill:1');
  expect(status).toBe(0);
  expect(stdout).toContain('docker compose up -d');
  expect(modeOf('.env')).toBe('600');
  for (const name of Object.keys(all()).filter((file) => file.startsWith('secrets/'))) expect(modeOf(name)).toBe('400');
  expect(modeOf('secrets/signer')).toBe('700');
  expect(read('.env').split('\n')).toEqual([
    ...['PUBLIC_URL=https://pay.example.com', 'TRUSTED_PROXIES=172.30.53.0/24', 'STABLETILL_IMAGE=stabletill:1', ''],
  ]);
  expect(read('.env')).not.toContain(read('secrets/web/MASTER_KEYS'));
  expect(read('Caddyfile')).toContain('pay.example.com {');
  expect(fs.existsSync(path.join(directory, 'secrets/web/EVIDENCE_KEY'))).toBe(false);
  expect(fs.existsSync(path.join(directory, 'secrets/worker/KEYSTORE_PASSPHRASE'))).toBe(false);
});

test('containers that share a secret have the same one, and each database role its own password', () => {
  install('--host', 'pay.example.com');
  const secret = (name: string) => read(`secrets/${name}`);
  expect(secret('web/MASTER_KEYS')).toBe(secret('worker/MASTER_KEYS'));
  expect(secret('worker/EVIDENCE_KEY')).toBe(secret('signer/EVIDENCE_KEY'));
  expect(secret('web/DATABASE_PASSWORD')).toBe(secret('migrate/WEB_DATABASE_PASSWORD'));
  expect(secret('database/DATABASE_PASSWORD')).toBe(secret('migrate/DATABASE_PASSWORD'));
  const passwords = ['web', 'worker', 'database'].map((name) => secret(`${name}/DATABASE_PASSWORD`));
  expect(new Set(passwords).size).toBe(3);
  const { MASTER_KEYS } = readSecretFiles({ SECRETS_DIR: path.join(directory, 'secrets/web') });
  expect(Buffer.from(MASTER_KEYS?.slice(2) ?? '', 'base64')).toHaveLength(32);
});

test('a second run changes nothing, keeps what the operator wrote, and adds what is missing', () => {
  install('--host', 'pay.example.com');
  fs.appendFileSync(path.join(directory, '.env'), 'LOG_LEVEL=debug\n');
  const before = all();
  fs.rmSync(path.join(directory, 'secrets/worker/MASTER_KEYS'));
  expect(install('--host', 'other.example.com').status).toBe(0);
  expect(all()).toEqual(before);
});

test('refuses to make new master keys for an installation that has lost them', () => {
  install('--host', 'pay.example.com');
  fs.rmSync(path.join(directory, 'secrets'), { recursive: true });
  const { status, stderr } = install('--host', 'pay.example.com');
  expect(status).toBe(1);
  expect(stderr).toContain('put the secrets back');
  expect(fs.existsSync(path.join(directory, 'secrets/web/MASTER_KEYS'))).toBe(false);
});

test.each(['', 'pay.example.com; rm', 'PAY.example', '../x', '-x', 'a\nb'])('refuses the host %j', (host) => {
  expect(install('--host', host).status).toBe(2);
  expect(fs.readdirSync(directory)).toEqual([]);
});

test('is plain sh, without a program that a minimal Debian lacks', () => {
  expect(execFileSync('sh', ['-n', SCRIPT], { encoding: 'utf8' })).toBe('');
  expect(fs.readFileSync(SCRIPT, 'utf8')).not.toMatch(/\b(?:openssl|curl|wget|python3?|jq|node)\b/);
});
