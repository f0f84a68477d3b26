import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { readConfig } from './config';

const right = {
  DATABASE_URL: 'postgresql://app:hunter2@127.0.0.1/app',
  MASTER_KEYS: `1:${randomBytes(32).toString('base64')}`,
  PUBLIC_URL: 'https://pay.example.com',
};

test('valid settings are read, with their defaults', () => {
  expect(readConfig(right)).toMatchObject({
    PORT: 3000,
    DIRECT_DOOR: true,
    LIMIT_LOOPBACK: true,
    WEBHOOKS_TO_LOOPBACK: false,
  });
});

test('an empty setting counts as absent', () => {
  expect(readConfig({ ...right, PORT: '', CRON_SECRET: '' }).PORT).toBe(3000);
});

test('endpoints may be separated by spaces, commas or lines', () => {
  expect(
    readConfig({ ...right, LIVE_BSC_URLS: ' https://a.example, https://b.example\nhttps://c.example ' }).endpoints.get(
      'LIVE_BSC_URLS',
    ),
  ).toHaveLength(3);
});

test.each([
  ['DATABASE_URL', 'mysql://root:hunter2@host/db'],
  ['DATABASE_URL', undefined],
  ['MASTER_KEYS', undefined],
  ['MASTER_KEYS', `1:${Buffer.alloc(32).toString('base64')}`],
  ['MASTER_KEYS', `1:${randomBytes(16).toString('base64')}`],
  ['MASTER_KEYS', randomBytes(32).toString('base64')],
  ['MASTER_KEYS', `0:${randomBytes(32).toString('base64')}`],
  ['PUBLIC_URL', 'http://pay.example.com'],
  ['PUBLIC_URL', 'https://pay.example.com/'],
  ['PUBLIC_URL', 'https://pay.example.com/shop'],
  ['PUBLIC_URL', 'pay.example.com'],
  ['PORT', '70000'],
  ['PORT', '3000.5'],
  ['CRON_SECRET', 'short-hunter2'],
  ['DIRECT_DOOR', 'yes'],
  ['LOG_LEVEL', 'loud'],
  ['ADDRESS_POOL_SIZE', '7'],
  ['SANDBOX_ORIGIN', 'http://10.0.0.1:80'],
  ['TEST_CHAINS', 'mainnet'],
  ['TRUSTED_PROXIES', '10.0.0.1/99'],
  ['DATABASE_POOL', '1'],
  ['WATCH_ONLY_EVM_XPUB', 'xpub-alone'],
  ['ALARM_WEBHOOK_URL', 'https://hooks.example/alone'],
  ['ALARM_WEBHOOK_URL', 'http://hooks.example/plain'],
  ['ALARM_WEBHOOK_SECRET', 'short-hunter2'],
  ['COUNTRY_RULES', 'UK = USDC'],
  ['SCREENED_ROLES', 'sender owner'],
  ['SCREENING_LIST_KEY', randomBytes(31).toString('base64')],
  ['SCREENING_STALE_LIST', 'never'],
  ['SCREENING_ORACLE_LOCAL', '0x1234'],
  ['SCREENING_HOOK_URL', 'https://screen.example/alone'],
  ['SCREENING_HOOK_URL', 'http://screen.example/plain'],
  ['SCREENING_HOOK_SECRET', 'short-hunter2'],
  ['RATE_SOURCES', 'kraken=http://rates.example'],
  ['RATE_SOURCES', 'kraken kraken'],
  ['RATE_SOURCES', 'kraken=ftp://rates.example'],
  ['RATE_SOURCES', 'Kraken!'],
  ['RATE_MAX_AGE', '4'],
  ['RATE_LEAST_SOURCES', '1'],
  ['VALKEY_URL', 'http://:hunter2@127.0.0.1:6379'],
  ['VALKEY_URL', 'redis:// hunter2'],
  ['VALKEY_URL', 'redis://:ab/hunter2@127.0.0.1:6379'],
  ['VALKEY_URL', 'redis://limits:12/hunter2@127.0.0.1:6379'],
  ['VALKEY_URL', 'redis://limits:?hunter2@127.0.0.1:6379'],
  ['VALKEY_URL', 'redis://:ab#hunter2@127.0.0.1:6379'],
  ['VALKEY_URL', 'redis://:hunter2%@127.0.0.1:6379'],
])('%s=%s is refused by name and its value is not repeated', (name, value) => {
  let message = '';
  try {
    readConfig({ ...right, [name]: value });
  } catch (error) {
    message = (error as Error).message;
  }
  expect(message).toContain(name.startsWith('WATCH_ONLY') ? 'WATCH_ONLY' : name);
  if (value && value.length > 1) expect(message).not.toContain(value);
  expect(message).not.toContain('hunter2');
});

test('exchange rate sources are names with or without an address, or an empty list', () => {
  const read = (RATE_SOURCES?: string) =>
    readConfig({ ...right, ...(RATE_SOURCES === undefined ? {} : { RATE_SOURCES }) }).RATE_SOURCES;
  expect(read().map(({ name }) => name)).toEqual(['coinbase', 'kraken', 'binance', 'frankfurter', 'er-api']);
  expect(read('kraken, er-api=https://rates.example/mirror/')).toEqual([
    { name: 'kraken', address: null },
    { name: 'er-api', address: 'https://rates.example/mirror' },
  ]);
  expect(read('off')).toEqual([]);
});

test('an address of Valkey may have a percent-encoded password, a database and parameters, and its fault says to encode the password', () => {
  for (const VALKEY_URL of [
    'redis://:ab%2Fcd%3F%23%25@127.0.0.1:6379',
    'rediss://limits:secret@[::1]/3?family=6',
    'valkey://valkey.example.com',
  ])
    expect(readConfig({ ...right, VALKEY_URL }).VALKEY_URL).toBe(VALKEY_URL);
  expect(() => readConfig({ ...right, VALKEY_URL: 'redis://:ab/cd@127.0.0.1' })).toThrow('percent-encode the password');
});
