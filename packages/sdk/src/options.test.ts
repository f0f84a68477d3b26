// Options that the client refuses, without showing a misplaced value.

import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import type { StabletillOptions } from './options';
import { Stabletill } from './stabletill';

const good = { apiKey: 'ak_test_public', apiSecret: 'as_test_hidden', baseUrl: 'https://pay.example.com' };
const live = { ...good, apiKey: 'ak_live_public', apiSecret: 'as_live_hidden' };

test.each<[string, StabletillOptions]>([
  ['a test key', good],
  ['a live key', live],
  ['a path below the host', { ...live, baseUrl: 'https://example.com/pay/' }],
  ['plain http with a test key', { ...good, baseUrl: 'http://stabletill:3000' }],
  ['plain http to this machine with a live key', { ...live, baseUrl: 'http://127.0.0.1:3000' }],
  ['signature version 2', { ...good, signatureVersion: 2 }],
  ['a version and limits', { ...good, version: '2026-01-31', timeoutMs: 1, maxRetries: 0 }],
])('a client can be created with %s', (_, options) => {
  expect(new Stabletill(options)).toBeInstanceOf(Stabletill);
});

const wrong: [string, object][] = [
  ['apiKey', { apiKey: '' }],
  ['apiKey', { apiKey: undefined }],
  ['apiKey', { apiKey: 'as_test_hidden', apiSecret: 'ak_test_public' }],
  ['apiKey', { apiKey: 'ak_test_a\r\nx: hidden' }],
  ['apiSecret', { apiSecret: 'whsec_hidden' }],
  ['apiSecret', { apiSecret: 'as_live_hidden' }],
  ['baseUrl', { baseUrl: 'pay.example.com' }],
  ['baseUrl', { baseUrl: 'ftp://pay.example.com' }],
  ['baseUrl', { baseUrl: 'https://user:hidden@pay.example.com' }],
  ['baseUrl', { baseUrl: 'https://pay.example.com/?key=hidden' }],
  ['baseUrl', { ...live, baseUrl: 'http://pay.example.com' }],
  ['baseUrl', { ...live, baseUrl: 'http://127.0.0.1.example.com' }],
  ['version', { version: 'today' }],
  ['signatureVersion', { signatureVersion: 3 }],
  ['signatureVersion', { signatureVersion: '2' }],
  ['timeoutMs', { timeoutMs: 0 }],
  ['timeoutMs', { timeoutMs: Number.NaN }],
  ['maxRetries', { maxRetries: 1.5 }],
  ['maxRetries', { maxRetries: 11 }],
];

test.each(wrong)('an invalid %s is refused with its name: %j', (name, over) => {
  const make = () => new Stabletill({ ...good, ...over });
  expect(make).toThrow(TypeError);
  expect(make).toThrow(name);
  expect(make).not.toThrow('hidden');
});

test('a client never shows its secret, however it is printed', () => {
  const client = new Stabletill(good);
  const shown = inspect(client, { depth: 20, showHidden: true }) + JSON.stringify(client);
  expect(shown).not.toMatch(/hidden|ak_test/);
});
