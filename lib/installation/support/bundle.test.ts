// A support bundle has what a person who helps needs, and none of the secrets, wallets and mail addresses of the installation.

import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readSecrets } from '@/scripts/start/secrets.mjs';
import { environments, readSettings } from '@/scripts/start/settings.mjs';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { runSupportBundle } from './bundle-command';
import { shownSettings } from './settings';

const NOW = new Date('2026-12-01T08:00:00Z');
const CUSTOMER = 'ada.lovelace@customer.example';
const WALLET = '0x7982d9b7cffc2f9f186b06a6c109d593908c3762';
const API_SECRET = `sk_live_${randomBytes(24).toString('base64url')}`;
const WEBHOOK_SECRET = `whsec_${randomBytes(24).toString('base64')}`;
const ENDPOINT_KEY = randomBytes(12).toString('hex');
const SMTP_PASSWORD = 'four.lamps';

let db: TestDatabase;
let directory = '';
let secrets: Record<string, string>;
let environment: Record<string, string | undefined>;
beforeAll(async () => {
  db = await openTestDatabase();
  directory = fs.mkdtempSync('/tmp/stabletill-bundle-');
  secrets = readSecrets(directory, {});
  const given = {
    ...{
      SANDBOX: 'off',
      DATA_DIR: directory,
      LOG_LEVEL: 'warn',
      PUBLIC_URL: 'https://pay.example',
      METRICS_TOKEN: 'metrics-token-with-16',
    },
    ...{ LIVE_ETHEREUM_URLS: `https://one.example/v3/${ENDPOINT_KEY},https://two.example/?key=${ENDPOINT_KEY}` },
    ...{ SMTP_URL: `smtps://mailer:${SMTP_PASSWORD}@mail.example:465`, MAIL_FROM: 'shop@pay.example' },
    ...{ ALARM_WEBHOOK_URL: 'https://alarms.example/T0/B1', ALARM_WEBHOOK_SECRET: WEBHOOK_SECRET },
    ...{ TRUSTED_PROXIES: '10.0.0.0/8', KEY_RATE: '50' },
  };
  const settings = readSettings(given, directory, 3000);
  const databaseUrls = { owner: db.url, web: db.url, worker: db.url };
  environment = environments({ settings, secrets, environment: given, databaseUrls }).worker(null);
  await db.prisma.user.create({ data: { email: CUSTOMER, role: 'operator', passwordHash: 'argon-hash' } });
  await db.pool.query(
    `INSERT INTO mails (recipient, subject, body, created_at, next_at) VALUES ($1, 'Hello', $2, $3, $3)`,
    [CUSTOMER, API_SECRET, NOW],
  );
  await db.pool.query(
    `INSERT INTO step_failures (step, message, failures, since, last_at) VALUES ('send mails', $1, 3, $2, $2)`,
    [`550 ${CUSTOMER} refused`, NOW],
  );
});
afterAll(async () => {
  fs.rmSync(directory, { recursive: true, force: true });
  await db.close();
});

const LOG = [
  { level: 30, time: 1, name: 'worker', msg: 'a quiet line' },
  {
    level: 50,
    time: 2,
    name: 'worker',
    msg: `delivery to https://shop.example/hook?key=${ENDPOINT_KEY} failed`,
    to: CUSTOMER,
  },
  {
    ...{ level: 50, time: 3, name: 'web', msg: 'a request failed', address: '203.0.113.7' },
    err: {
      type: 'Error',
      code: 'ECONNRESET',
      message: `for ${CUSTOMER} at ${WALLET}, 203.0.113.7`,
      body: API_SECRET,
      stack: 'Error: x\n    at send (/srv/stabletill/dist/worker.mjs:1:2)',
    },
  },
];

async function bundle(...words: string[]) {
  const printed: string[] = [];
  let made: { file: string; files: Readonly<Record<string, string>> } | null = null;
  const code = await runSupportBundle(words, {
    ...{ environment, migrations: ['20990101000000_last'], directory, version: '0.1.0', now: NOW },
    secrets: Object.values(secrets).flatMap((value) => [value, ...value.split(':')]),
    isOwn: (name) => name in environment && !['PATH', 'HOME'].includes(name),
    logs: () => [['worker.log', LOG.map((line) => JSON.stringify(line)).join('\n')]],
    readFile: () => `FATAL: password authentication failed for ${secrets.WEB_DATABASE_PASSWORD}\nall is well\n`,
    write: (file, files) => void (made = { file, files }),
    print: (line) => void printed.push(line),
  });
  return { code, printed, made: made as { file: string; files: Readonly<Record<string, string>> } | null };
}

test('no secret, mail address, wallet or customer of the installation is in it', async () => {
  const { code, made } = await bundle('--log', 'logs/postgres.log');
  expect([code, made?.file]).toEqual([0, 'stabletill-support-202612010800.tar.gz']);
  const all = JSON.stringify(made?.files);
  const urls = [db.url, ...(environment.LIVE_ETHEREUM_URLS ?? '').split(',')];
  const planted = [
    CUSTOMER,
    WALLET,
    API_SECRET,
    WEBHOOK_SECRET,
    ENDPOINT_KEY,
    SMTP_PASSWORD,
    'shop@pay.example',
    'metrics-token-with-16',
  ];
  const parts = Object.values(secrets).flatMap((value) => [
    value,
    ...value.split(':').filter(({ length }) => length > 5),
  ]);
  for (const secret of [...planted, ...parts, ...urls, 'argon-hash', '203.0.113.7', 'alarms.example'])
    expect([secret, all.includes(secret)]).toEqual([secret, false]);
});

test('it says what helps: versions, settings, schema, queues, failures, and the errors of the logs', async () => {
  const { files = {} } = (await bundle('--log', 'logs/postgres.log')).made ?? {};
  expect(Object.keys(files)).toEqual([
    ...['versions.json', 'settings.json', 'database.json', 'doctor.json', 'logs/worker.log', 'logs/postgres.log'],
  ]);
  const settings = JSON.parse(files['settings.json'] ?? '') as Record<string, string>;
  expect(settings).toMatchObject({
    LOG_LEVEL: 'warn',
    LIVE_ETHEREUM_URLS: 'set: 2 endpoints',
    KEY_RATE: '50',
    SMTP_URL: 'set',
  });
  expect(settings.MASTER_KEYS).toBe('set');
  // A secret under the name of a number.
  expect(shownSettings({ KEY_RATE: API_SECRET }, () => true)).toEqual({ KEY_RATE: 'set' });
  const database = JSON.parse(files['database.json'] ?? '') as Record<string, { error?: string }>;
  for (const [name, rows] of Object.entries(database)) expect([name, rows.error]).toEqual([name, undefined]);
  expect(database).toMatchObject({
    mails: [{ count: '1', oldest: NOW.toISOString() }],
    step_failures: [{ step: 'send mails', failures: 3 }],
    migrations: expect.arrayContaining([expect.objectContaining({ name: '20261130030000_operator_resets' })]),
    tables: expect.arrayContaining([expect.objectContaining({ name: 'sessions' })]),
  });
  expect(JSON.parse(files['doctor.json'] ?? '').findings).toContainEqual(expect.objectContaining({ check: 'node' }));
  const lines = (files['logs/worker.log'] ?? '')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { msg: string; err?: object });
  expect(lines.map(({ msg }) => msg)).toEqual(['delivery to [url] failed', 'a request failed']);
  expect(lines[1]?.err).toMatchObject({ code: 'ECONNRESET', message: 'for [mail] at [removed], [address]' });
  expect(files['logs/postgres.log']).toBe('FATAL: password authentication failed for [removed]\n');
});

test('refuses wrong words', async () => {
  for (const words of [['FILE'], ['--out'], ['--out', '--log'], ['--out', 'a', '--out', 'b'], ['--all', 'x']])
    expect(await bundle(...words)).toMatchObject({ code: 2, made: null });
});
