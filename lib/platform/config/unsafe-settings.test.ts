// A production installation with an unsafe setting does not start, and says what to do.

import { expect, test } from 'vitest';
import { testConfig } from '@/testing/fixtures';
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
])('refuses %s with one sentence', (_, over, setting) => {
  const config = testConfig({ ...PRODUCTION, ...over });
  expect(unsafeSettings(config)).toEqual([expect.stringMatching(new RegExp(`^${setting} .+\\.$`))]);
  expect(() => refuseUnsafeSettings(config)).toThrow(setting);
});

const LOCAL = { PUBLIC_URL: 'http://127.0.0.1:3000', HOST: '127.0.0.1' };
const SANDBOX = { SANDBOX_ORIGIN: 'http://127.0.0.1:9', LIVE_ETHEREUM_URLS: '' };

test('accepts the sandbox and a process that only this machine reaches', () => {
  const unsafe = { TRUSTED_PROXIES: '', WEBHOOKS_TO_LOOPBACK: 'on', LIMIT_LOOPBACK: 'off' };
  expect(named({ ...PRODUCTION, ...unsafe, ...SANDBOX, ...LOCAL })).toEqual([]);
  expect(named({ ...PRODUCTION, ...SANDBOX, PUBLIC_URL: 'http://localhost:3000', HOST: '::1' })).toEqual([]);
  expect(named({ ...unsafe, ...LOCAL })).toEqual([]);
});

test.each([
  ['at a public address', { PUBLIC_URL: 'https://pay.example' }],
  ['that listens to other machines, which may write this machine’s name into Host', { HOST: '0.0.0.0' }],
])('refuses a sandbox %s: strangers could read its mails and reach this machine’s services', (_, over) => {
  const sentences = unsafeSettings(testConfig({ ...PRODUCTION, ...SANDBOX, ...LOCAL, ...over }));
  expect(sentences).toEqual([expect.stringContaining('SANDBOX=off')]);
});

test('refuses the sandbox beside live networks', () => {
  expect(named({ ...PRODUCTION, ...LOCAL, SANDBOX_ORIGIN: 'http://127.0.0.1:9' })).toContain('SANDBOX_ORIGIN');
});

test('refuses a range of trusted proxies that covers the whole internet, because any client could then choose its address', () => {
  for (const range of ['0.0.0.0/0', '::/0'])
    expect(() => testConfig({ ...PRODUCTION, TRUSTED_PROXIES: range })).toThrow('TRUSTED_PROXIES');
});

test('the web process does not start with the key that attests payments, unless it runs the worker’s steps', () => {
  const start = (settings: Record<string, string>) => () => refuseUnsafeWeb(testConfig({ ...PRODUCTION, ...settings }));
  expect(start({})).toThrow('EVIDENCE_KEY');
  expect(start({ CRON_SECRET: 'sixteen characters' })).not.toThrow();
  expect(start({ EVIDENCE_KEY: '' })).not.toThrow();
  expect(start({ ...SANDBOX, ...LOCAL })).not.toThrow();
  expect(start({ EVIDENCE_KEY: '', TRUSTED_PROXIES: '' })).toThrow('TRUSTED_PROXIES');
});
