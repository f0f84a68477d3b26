// Lists of stores: the operator's search in all of them, the names to filter by, and the stores of one member.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { forceStoreStatus } from '@/testing/database/forced-status';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { makeStore, testConfig } from '@/testing/fixtures';
import { listStoreNames } from './names';
import { listStores, listStoresOf } from './read';

let database: TestDatabase;
let ids: string[];

beforeAll(async () => {
  database = await openTestDatabase();
  ids = [];
  for (const [name, website, email] of [
    ['Harbour Rope', 'https://rope.example', 'hana@rope.example'],
    ['Ménage à 100%_off', null, 'max@off.example'],
  ] as const) {
    const { storeId } = await makeStore(database, testConfig());
    const { ownerId } = await database.prisma.store.update({ where: { id: storeId }, data: { name, website } });
    await database.prisma.user.update({ where: { id: ownerId }, data: { email } });
    ids.push(storeId);
  }
});
afterAll(() => database.close());

const found = async (search: string, status: 'approved' | 'rejected' | null = null) =>
  (await listStores(database.pool, { status, search, after: null, limit: 10 })).stores.map(({ id }) => ids.indexOf(id));

test('finds a store by part of its name, website or owner’s address in any case, and by its whole id', async () => {
  for (const text of ['harbour', 'ROPE.example', 'hana@', ids[0] ?? '']) expect(await found(text)).toEqual([0]);
  for (const text of ['ménage', '100%_', 'max@off']) expect(await found(text)).toEqual([1]);
  expect(new Set(await found(''))).toEqual(new Set([0, 1]));
  expect(await found((ids[0] ?? '').slice(0, -1))).toEqual([]);
  expect(await found("'; DROP TABLE stores; --")).toEqual([]);
});

test('finds only stores in the selected status', async () => {
  await forceStoreStatus(database.pool, ids[0] ?? '', 'rejected');
  expect(await found('example', 'rejected')).toEqual([0]);
});

test('names every store once, sorted, with the selected one', async () => {
  const names = await listStoreNames(database.pool, ids[0] ?? '');
  expect(names).toEqual([
    { id: ids[0], name: 'Harbour Rope' },
    { id: ids[1], name: 'Ménage à 100%_off' },
  ]);
});

test('a member sees their own stores with their role and with limits as amounts', async () => {
  const [, second = ''] = ids;
  const { ownerId } = await database.prisma.store.update({ where: { id: second }, data: { sessionLimit: 5000n } });
  expect(await listStoresOf(database.pool, ownerId)).toMatchObject([
    { id: second, role: 'owner', sessionLimit: 5000n, dayLimit: null, ownerEmail: 'max@off.example' },
  ]);
});
