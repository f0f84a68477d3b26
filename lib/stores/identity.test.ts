// An approved store that becomes another one is shown to the operator, with what it was; one that was not approved yet is not.

import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Context } from '@/lib/context';
import { openTestDatabase, type TestDatabase } from '@/lib/testing/database';
import { makeStore, TestClock, testConfig, testContext } from '@/lib/testing/fixtures';
import { png } from '@/lib/testing/pictures';
import { changeStore, type StoreChange } from './change';
import { changeLogo, changeLook } from './change-look';
import { seeIdentity } from './identity';
import { listStores, readStore } from './read';

const DOER = { by: 'user:x', address: '' };
let database: TestDatabase;
let context: Context;
let clock: TestClock;

beforeAll(async () => {
  database = await openTestDatabase();
  clock = new TestClock();
  context = testContext(database, clock, testConfig());
});
afterAll(() => database.close());

const newStore = async (): Promise<string> => (await makeStore(database, context.config)).storeId;
const setStatus = (storeId: string, status: string) =>
  database.pool.query('UPDATE stores SET status = $2::"StoreStatus" WHERE id = $1', [storeId, status]);
const changedAt = async (storeId: string) => (await readStore(context.pool, storeId))!.identityChangedAt;
async function change(storeId: string, to: StoreChange): Promise<void> {
  const { version } = (await readStore(context.pool, storeId))!;
  await changeStore(context, { storeId, version, change: to }, DOER);
}

test.each<[string, (storeId: string) => Promise<unknown>]>([
  ['its name', (id) => change(id, { name: 'Another' })],
  ['its website', (id) => change(id, { website: 'https://another.example' })],
  ['what it sells', (id) => change(id, { description: 'Something else' })],
  ['the name of its look', (id) => changeLook(context, { storeId: id, wish: { displayName: 'Bank' } }, DOER)],
  ['its logo', (id) => changeLogo(context, { storeId: id, bytes: png(64, 64) }, DOER)],
])('an approved store that changes %s is shown until an operator has looked', async (_, make) => {
  const storeId = await newStore();
  await make(storeId);
  const at = await changedAt(storeId);
  expect(at).toEqual(clock.now());
  const list = async () => (await listStores(context.pool, { status: 'changed', after: null, limit: 100 })).stores;
  expect((await list()).map(({ id }) => id)).toContain(storeId);
  clock.advance(1);
  await expect(seeIdentity(context, { storeId, changedAt: clock.now() }, DOER)).rejects.toMatchObject({
    code: 'STORE_CHANGED',
  });
  await seeIdentity(context, { storeId, changedAt: at! }, DOER);
  expect(await changedAt(storeId)).toBeNull();
  expect((await list()).map(({ id }) => id)).not.toContain(storeId);
  await expect(seeIdentity(context, { storeId, changedAt: at! }, DOER)).rejects.toMatchObject({
    code: 'STORE_CHANGED',
  });
});

test('the log keeps what the store was', async () => {
  const storeId = await newStore();
  await change(storeId, { name: 'First', website: 'https://first.example' });
  await change(storeId, { name: 'Second', settlementCurrency: 'USDC' });
  const { details } = (await database.prisma.auditEntry.findFirst({
    where: { storeId },
    orderBy: { number: 'desc' },
  }))!;
  expect(details).toEqual({ fields: ['name', 'settlement_currency'], former_name: 'First' });
});

test('what customers do not know it by, or what stays as it was, is no such change; nor is anything before it is approved', async () => {
  const storeId = await newStore();
  const { name } = (await readStore(context.pool, storeId))!;
  await change(storeId, { name, settlementCurrency: 'USDC', networks: ['bsc'] });
  await changeLook(context, { storeId, wish: { brandColor: '#123456' } }, DOER);
  expect(await changedAt(storeId)).toBeNull();
  const waiting = await newStore();
  await setStatus(waiting, 'pending');
  await change(waiting, { name: 'Another' });
  expect(await changedAt(waiting)).toBeNull();
});
