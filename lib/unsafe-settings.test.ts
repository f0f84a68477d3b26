// A production installation with an unsafe setting does not start, and says what to do.

import { expect, test } from 'vitest';
import { testConfig } from '@/lib/testing/fixtures';
import { refuseUnsafeSettings, refuseUnsafeWeb, unsafeSettings } from './unsafe-settings';

const PRODUCTION = {
  PUBLIC_URL: 'https://pay.example',
  TRUSTED_PROXIES: '10.0.0.0/8',
  LIVE_ETHEREUM_URLS: 'https://node.example',
  WEBHOOKS_TO_LOOPBACK: 'off',
};
const named = (settings: Record<string, string>) =>
  unsafeSettings(testConfig(settings)).map((sentence) => sentence.split(' ')[0]);

test('starts with a safe configuration, behind a proxy or without one', () => {
  expect(named(PRODUCTION)).toEqual([]);
  expect(named({ ...PRODUCTION, TRUSTED_PROXIES: '', DIRECT_CLIENTS: 'on' })).toEqual([]);
  expect(() => refuseUnsafeSettings(testConfig(PRODUCTION))).not.toThrow();
});

test.each([
  ['no trusted proxy behind TLS', { TRUSTED_PROXIES: '' }, 'TRUSTED_PROXIES'],
  ['live networks without TLS', { PUBLIC_URL: 'http://127.0.0.1:3000' }, 'PUBLIC_URL'],
  ['webhooks to this machine', { WEBHOOKS_TO_LOOPBACK: 'on' }, 'WEBHOOKS_TO_LOOPBACK'],
  ['no limits for loopback', { LIMIT_LOOPBACK: 'off' }, 'LIMIT_LOOPBACK'],
  ['the sandbox beside live networks', { SANDBOX_ORIGIN: 'http://127.0.0.1:9' }, 'SANDBOX_ORIGIN'],
])('refuses %s in one sentence', (_, over, setting) => {
  const config = testConfig({ ...PRODUCTION, ...over });
  expect(unsafeSettings(config)).toEqual([expect.stringMatching(new RegExp(`^${setting} .+\\.$`))]);
  expect(() => refuseUnsafeSettings(config)).toThrow(setting);
});

test('leaves the sandbox and a process that only this machine reaches alone', () => {
  const unsafe = { TRUSTED_PROXIES: '', WEBHOOKS_TO_LOOPBACK: 'on', LIMIT_LOOPBACK: 'off' };
  const sandbox = { SANDBOX_ORIGIN: 'http://127.0.0.1:9', LIVE_ETHEREUM_URLS: '' };
  expect(named({ ...PRODUCTION, ...unsafe, ...sandbox })).toEqual([]);
  expect(named({ ...unsafe, PUBLIC_URL: 'http://127.0.0.1:3000' })).toEqual([]);
});

test('the web process does not start with the key that vouches for payments, unless it does the worker’s steps', () => {
  const start = (settings: Record<string, string>) => () => refuseUnsafeWeb(testConfig({ ...PRODUCTION, ...settings }));
  expect(start({})).toThrow('EVIDENCE_KEY');
  expect(start({ CRON_SECRET: 'sixteen characters' })).not.toThrow();
  expect(start({ EVIDENCE_KEY: '' })).not.toThrow();
  expect(start({ LIVE_ETHEREUM_URLS: '', SANDBOX_ORIGIN: 'http://127.0.0.1:9' })).not.toThrow();
  expect(start({ EVIDENCE_KEY: '', TRUSTED_PROXIES: '' })).toThrow('TRUSTED_PROXIES');
});
