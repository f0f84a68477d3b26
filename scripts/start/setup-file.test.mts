import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { isSetupName } from '@/lib/installation/setup/names';
import { readSetupFile, writeSetupFile } from '@/lib/installation/setup/settings-file';
import { FORWARDED, SIGNER_FORWARDED, environments, readSettings } from './settings.mjs';
import { onceFinished, openSetup, readSetup, setupFileOf, SETUP_NAMES, withSetup } from './setup-file.mjs';

let dataDirectory = '';
beforeEach(() => {
  dataDirectory = fs.mkdtempSync(path.join(os.tmpdir(), 'stabletill-setup-file-'));
});
afterEach(() => fs.rmSync(dataDirectory, { recursive: true, force: true }));
const write = (state: 'open' | 'finished', settings: Record<string, string>) =>
  writeSetupFile(setupFileOf(dataDirectory), { state, settings });

test('a set-up opens in a new data directory without a sandbox, and stays open until it is finished', () => {
  expect(openSetup({ dataDirectory, sandbox: true }, {})).toBeNull();
  const file = openSetup({ dataDirectory, sandbox: false }, {});
  expect(file).toBe(path.join(dataDirectory, 'settings.env'));
  expect(fs.statSync(file ?? '').mode & 0o777).toBe(0o600);
  fs.writeFileSync(path.join(dataDirectory, 'secrets.json'), '{}');
  expect(openSetup({ dataDirectory, sandbox: false }, {})).toBe(file);
  write('finished', {});
  expect(openSetup({ dataDirectory, sandbox: false }, {})).toBeNull();
});

test('an installation that was started before, or is set up by hand, is never opened', () => {
  expect(openSetup({ dataDirectory, sandbox: false }, { LIVE_TRON_URLS: 'https://a.example' })).toBeNull();
  fs.writeFileSync(path.join(dataDirectory, 'secrets.json'), '{}');
  expect(openSetup({ dataDirectory, sandbox: false }, {})).toBeNull();
  expect(fs.existsSync(setupFileOf(dataDirectory))).toBe(false);
});

test('the web process cannot use a file without an open set-up', () => {
  const file = setupFileOf(dataDirectory);
  for (const text of ['', "LIVE_BSC_URLS='https://a.example'\n", 'SETUP=\n', 'SETUP=opened\n']) {
    fs.writeFileSync(file, text);
    expect([openSetup({ dataDirectory, sandbox: false }, {}), readSetupFile(file)?.state]).toEqual([null, 'finished']);
  }
});

test('its settings apply once it is finished, and the environment overrides them', () => {
  const settings = { LIVE_BSC_URLS: 'https://a.example', SMTP_URL: 'smtps://a.example' };
  write('open', settings);
  expect(withSetup({ PORT: '1' }, dataDirectory)).toEqual({ PORT: '1', SANDBOX: 'off' });
  write('finished', settings);
  expect(withSetup({ SMTP_URL: 'smtps://own.example', LIVE_BSC_URLS: '' }, dataDirectory)).toEqual({
    SANDBOX: 'off',
    LIVE_BSC_URLS: 'https://a.example',
    SMTP_URL: 'smtps://own.example',
  });
});

test('refuses a name that no set-up writes, and forwards its own settings to the processes', () => {
  fs.writeFileSync(setupFileOf(dataDirectory), "SETUP=finished\nNODE_OPTIONS='--require=/tmp/evil.cjs'\n");
  expect(() => readSetup(dataDirectory)).toThrow(/sets NODE_OPTIONS, which is no setting/);
  expect(SETUP_NAMES.filter((name) => !isSetupName(name))).toEqual([]);
  const passed = new Set([...FORWARDED, ...SIGNER_FORWARDED, 'PUBLIC_URL', 'HOST', 'PORT', 'SIGNER_NETWORKS']);
  expect(SETUP_NAMES.filter((name) => !passed.has(name))).toEqual([]);
});

test('only the web process may write the settings, and only while the set-up is open', () => {
  const settings = readSettings({ SANDBOX: 'off' }, '/checkout', 1);
  const databaseUrls = { owner: 'a', web: 'b', worker: 'c' };
  const given = { settings, secrets: {}, environment: {}, databaseUrls };
  const open = environments({ ...given, setupFile: '/data/settings.env' });
  expect(open.web(null).SETUP_FILE).toBe('/data/settings.env');
  expect([open.signer, open.worker(null)].map((one) => 'SETUP_FILE' in one)).toEqual([false, false]);
  // Empty instead of absent: Next would read an absent variable from .env.
  expect(environments(given).web(null).SETUP_FILE).toBe('');
});

test('detects the end of the set-up once, and not earlier', async () => {
  const file = openSetup({ dataDirectory, sandbox: false }, {}) ?? '';
  let times = 0;
  const finished = new Promise<void>((resolve) => {
    onceFinished(file, () => {
      times++;
      resolve();
    });
  });
  write('open', { LIVE_BSC_URLS: 'https://a.example' });
  expect(times).toBe(0);
  write('finished', { LIVE_BSC_URLS: 'https://a.example' });
  await finished;
  expect(times).toBe(1);
});
