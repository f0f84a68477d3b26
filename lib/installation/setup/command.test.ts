// `npm run setup -- FILE` tries what the file says before it writes anything, writes it once, and prints no secret.

import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import type { FakeNode } from '@/testing/evm/fake-evm-node';
import { startLiveNode } from '@/testing/evm/fake-live-node';
import { runSetup } from './command';
import { readSetupFile } from './settings-file';

const SECRET = 'mossy-kettle-9-otters-drum';
const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'stabletill-setup-'));
let db: TestDatabase;
let node: FakeNode;
let printed: string[];
let file: string;
let count = 0;

beforeAll(async () => {
  db = await openTestDatabase();
  node = await startLiveNode(Date.now());
});
afterAll(async () => {
  await node.close();
  await db.close();
  fs.rmSync(directory, { recursive: true });
});
beforeEach(() => {
  node.chainId = 1;
  printed = [];
  file = path.join(directory, `${count++}.env`);
});

const plan = (over: object = {}) => ({
  address: { public_url: 'https://pay.example', trusted_proxies: ['127.0.0.1/32'] },
  operator: { email: 'first@pay.example', password: SECRET, name: 'Ada' },
  networks: { ethereum: { endpoints: [`${node.url}/?key=${SECRET}`] } },
  ...over,
});
let databaseUses = 0;
const run = (given: object, over: { environment?: Record<string, string>; isCheck?: boolean } = {}) =>
  runSetup(JSON.stringify(given), {
    environment: {
      DATABASE_URL: 'postgresql://127.0.0.1:1/none',
      MASTER_KEYS: `1:${Buffer.from([...Array(32).keys()]).toString('base64')}`,
      ...over.environment,
    },
    file,
    isCheck: over.isCheck ?? false,
    database: async () => {
      databaseUses++;
      return db.url;
    },
    print: (line) => void printed.push(line),
  });
const operators = async () =>
  (await db.pool.query<{ email: string }>(`SELECT email FROM users WHERE role = 'operator'`)).rows;

test('a check tries everything and changes nothing', async () => {
  expect(await run(plan(), { isCheck: true })).toBe(0);
  expect(printed.join('\n')).toContain('live endpoint 1: newest block');
  expect([readSetupFile(file), await operators(), databaseUses]).toEqual([null, [], 0]);
});

test('an endpoint of another chain is named, and nothing is written', async () => {
  node.chainId = 56;
  expect(await run(plan())).toBe(1);
  expect(printed.join('\n')).toMatch(/FAIL {2}ethereum.*live endpoint 1/);
  expect(printed.at(-1)).toMatch(/^Nothing was written/);
  expect([readSetupFile(file), await operators()]).toEqual([null, []]);
});

test.each<[string, object, Record<string, string>, RegExp]>([
  [
    'a password that is guessed first',
    { operator: { email: 'a@pay.example', password: 'password12345' } },
    {},
    /^operator\.password: /,
  ],
  [
    'an address that is no e-mail address',
    { operator: { email: 'nobody', password: SECRET } },
    {},
    /^operator\.email: /,
  ],
  [
    'live networks without the address of the TLS proxy',
    { address: { public_url: 'https://pay.example' } },
    {},
    /TRUSTED_PROXIES is not set/,
  ],
  [
    'budgets that do not fit',
    { networks: { ethereum: { endpoints: ['https://a.example'], budgets: ['fast'] } } },
    {},
    /LIVE_ETHEREUM_BUDGETS/,
  ],
  [
    'a setting that the environment overrules',
    {},
    { LIVE_ETHEREUM_URLS: 'https://other.example' },
    /^LIVE_ETHEREUM_URLS: is also set in the environment/,
  ],
])('refuses %s before anything is written', async (_, over, environment, expected) => {
  expect(await run(plan(over), { environment })).toBe(1);
  expect(printed.some((line) => expected.test(line))).toBe(true);
  expect([readSetupFile(file), await operators()]).toEqual([null, []]);
});

test('a complete file creates the operator and the settings, and changes nothing the second time', async () => {
  expect(await run(plan())).toBe(0);
  expect(await operators()).toEqual([{ email: 'first@pay.example' }]);
  const written = readSetupFile(file);
  expect(written).toMatchObject({
    state: 'finished',
    settings: { LIVE_ETHEREUM_URLS: `${node.url}/?key=${SECRET}`, SIGNER_NETWORKS: 'ethereum@mainnet' },
  });
  const { ino } = fs.statSync(file);
  expect(await run(plan({ operator: { email: 'second@pay.example', password: SECRET } }))).toBe(0);
  expect(await operators()).toEqual([{ email: 'first@pay.example' }]);
  expect(fs.statSync(file).ino).toBe(ino);
  expect(printed.join('\n')).toContain('holds these settings already');
  expect(printed.join('\n')).toContain('There is an operator already');
});

test('no printed line contains a password or an endpoint’s key', async () => {
  node.chainId = 56;
  await run(
    plan({ mail: { host: '127.0.0.1', port: 1, encryption: 'tls', user: 'a', password: SECRET, from: 'a@b.example' } }),
  );
  node.chainId = 1;
  await run(plan());
  expect(printed.length).toBeGreaterThan(5);
  expect(printed.join('\n')).not.toContain(SECRET);
});
