// The demo accounts on a real database: created once, reused, repaired when a part is missing, and described for
// programs outside.

import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { transaction } from '@/lib/platform/database/db';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { openKeyFinder } from '@/lib/merchants/api-keys/verify-key';
import { hashPassword, verifyPassword } from '@/lib/merchants/accounts/password/password';
import { systemClock } from '@/lib/platform/clock';
import type { Context } from '@/lib/platform/context';
import { openSecret } from '@/lib/platform/crypto';
import { rotateWebhookSecret } from '@/lib/merchants/stores/webhook-endpoint';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { testConfig, testContext } from '@/testing/fixtures';
import { webhookSecretPurpose } from '@/lib/webhooks/endpoint/secret';
import { demoFile, readDemoAccounts, type DemoAccounts } from './demo-accounts';
import { writeDescription } from './describe';
import { seedDemo } from './seed';

const databases: TestDatabase[] = [];
const directories: string[] = [];
let database: TestDatabase;
let context: Context;
let directory: string;

beforeEach(async () => {
  database = await openTestDatabase(4);
  databases.push(database);
  context = testContext(database, systemClock, testConfig());
  directory = fs.mkdtempSync(path.join(os.tmpdir(), 'stabletill-seed-'));
  directories.push(directory);
});
afterAll(async () => {
  for (const one of databases) await one.close();
  for (const one of directories) fs.rmSync(one, { recursive: true, force: true });
});

/** Every credential works: passwords sign in, keys and webhook secrets match the database. */
async function expectAllWork(accounts: DemoAccounts): Promise<void> {
  for (const { email, password } of [accounts.operator, ...accounts.merchants]) {
    const user = await database.prisma.user.findUniqueOrThrow({ where: { email } });
    expect([email, await verifyPassword(user.passwordHash, password)]).toEqual([email, true]);
  }
  const findKey = openKeyFinder(context);
  for (const store of accounts.stores) {
    const key = await findKey(store.api_key);
    expect(key).toMatchObject({ storeId: store.id, environment: 'test', secret: store.api_secret, storeActive: true });
    const endpoint = await database.prisma.webhookEndpoint.findFirstOrThrow({ where: { storeId: store.id } });
    const purpose = webhookSecretPurpose(store.id, 'test');
    expect(openSecret(context.config.MASTER_KEYS, endpoint.secretCiphertext, purpose)).toBe(store.webhook_secret);
    expect([endpoint.url, store.webhook_url]).toEqual(
      Array(2).fill(`http://127.0.0.1:3000/sandbox/webhooks/${store.id}`),
    );
  }
}
const counts = async () =>
  Promise.all([
    database.prisma.user.count(),
    database.prisma.store.count(),
    database.prisma.apiKey.count({ where: { revokedAt: null } }),
    database.prisma.webhookEndpoint.count(),
  ]);

test('creates two approved stores of two merchants, and an operator', async () => {
  const accounts = await seedDemo(context, directory);
  await expectAllWork(accounts);
  expect(await counts()).toEqual([3, 2, 2, 2]);
  const [one, two] = accounts.stores.map(({ merchant_email }) => merchant_email);
  expect([one, two]).toEqual(accounts.merchants.map(({ email }) => email));
  expect(one).not.toBe(two);
  const operator = await database.prisma.user.findUniqueOrThrow({ where: { email: accounts.operator.email } });
  expect(operator.role).toBe('operator');
});

test('the next start changes nothing, and only the owner can read the credentials', async () => {
  const accounts = await seedDemo(context, directory);
  expect(await seedDemo(context, directory)).toEqual(accounts);
  expect(readDemoAccounts(directory)).toEqual(accounts);
  expect(await counts()).toEqual([3, 2, 2, 2]);
  expect(fs.statSync(demoFile(directory)).mode & 0o777).toBe(0o600);
});

test.each([
  ['missing', () => fs.rmSync(demoFile(directory))],
  ['damaged', () => fs.writeFileSync(demoFile(directory), '{"operator":')],
])('when the credentials file is %s, all secrets are new and work, and the lost keys do not', async (_, harm) => {
  const before = await seedDemo(context, directory);
  harm();
  const after = await seedDemo(context, directory);
  await expectAllWork(after);
  expect(after.stores.map(({ id }) => id)).toEqual(before.stores.map(({ id }) => id));
  for (const { api_key } of before.stores) expect(await openKeyFinder(context)(api_key)).toBeNull();
  expect(after.operator.password).not.toBe(before.operator.password);
  expect(await counts()).toEqual([3, 2, 2, 2]);
});

test('with an emptied database, keeps the stored passwords and creates new stores', async () => {
  const before = await seedDemo(context, directory);
  await transaction(database.pool, async (tx) => {
    // Rates and receipt numbers of the stores are never truncated otherwise.
    await tx.query('SET LOCAL session_replication_role = replica');
    await tx.query('TRUNCATE webhook_endpoints, api_keys, stores, users CASCADE');
  });
  const after = await seedDemo(context, directory);
  await expectAllWork(after);
  expect([after.operator, after.merchants]).toEqual([before.operator, before.merchants]);
  expect(after.stores.map(({ id }) => id)).not.toEqual(before.stores.map(({ id }) => id));
});

test('repairs a password, key or webhook secret that was changed meanwhile, and nothing else', async () => {
  const before = await seedDemo(context, directory);
  const [one, two] = before.stores as [DemoAccounts['stores'][number], DemoAccounts['stores'][number]];
  await database.prisma.apiKey.updateMany({ where: { storeId: one.id }, data: { revokedAt: systemClock.now() } });
  await rotateWebhookSecret(context, { storeId: one.id, environment: 'test' });
  const passwordHash = await hashPassword('a password of somebody');
  await database.prisma.user.update({ where: { email: before.operator.email }, data: { passwordHash } });
  const after = await seedDemo(context, directory);
  await expectAllWork(after);
  expect(after.stores[0]?.api_key).not.toBe(one.api_key);
  expect(after.stores[1]).toEqual(two);
});

test('the receiver follows the public address', async () => {
  const before = await seedDemo(context, directory);
  const config = { ...context.config, PUBLIC_URL: 'http://127.0.0.1:4000' };
  const after = await seedDemo({ ...context, config }, directory);
  const [one] = after.stores;
  expect(one?.webhook_url).toBe(`http://127.0.0.1:4000/sandbox/webhooks/${one?.id}`);
  expect(one?.webhook_secret).toBe(before.stores[0]?.webhook_secret);
});

test('a store that the operator suspended stays suspended', async () => {
  const { stores } = await seedDemo(context, directory);
  await database.prisma.store.updateMany({ data: { status: 'suspended' } });
  await seedDemo(context, directory);
  const store = await database.prisma.store.findUniqueOrThrow({ where: { id: stores[0]?.id ?? '' } });
  expect(store.status).toBe('suspended');
});

test('sandbox.json has exactly the fields of docs/sandbox.md, and only its owner can read it', async () => {
  const accounts = await seedDemo(context, directory);
  const token = { address: '0xdac17f958d2ee523a2206206994597c13d831ec7', decimals: 6 };
  const payer = { address: '0x1', private_key: '0x2' };
  const networks = { ethereum: { rpc_url: 'http://127.0.0.1:1', chain_id: 31337, tokens: { USDT: token }, payer } };
  writeDescription(directory, { publicUrl: 'http://127.0.0.1:3000', accounts, networks });
  const file = path.join(directory, 'sandbox.json');
  expect(JSON.parse(fs.readFileSync(file, 'utf8'))).toEqual({
    base_url: 'http://127.0.0.1:3000',
    operator: accounts.operator,
    merchants: accounts.merchants,
    stores: accounts.stores,
    networks,
  });
  expect(fs.statSync(file).mode & 0o777).toBe(0o600);
  expect(fs.readdirSync(directory).toSorted()).toEqual(['demo.json', 'sandbox.json']);
});
