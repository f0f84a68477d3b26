// The operator sees when an approved store changes its identity, with the former values. Stores that are not approved yet are not
// shown.

import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Context } from '@/lib/platform/context';
import { forceStoreStatus } from '@/testing/database/forced-status';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { makeStore, TestClock, testConfig, testContext } from '@/testing/fixtures';
import { png } from '@/testing/pictures';
import { approveStore, StoreMoved } from './approve';
import { changeStore, type StoreChange } from './change';
import { changeLogo, changeBranding } from '@/lib/merchants/branding/change-branding';
import { seeIdentity } from './identity';
import { listStores, readStore } from './read';

const ACTOR = { by: 'user:x', address: '' };
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
const setStatus = (storeId: string, status: string) => forceStoreStatus(database.pool, storeId, status);
const changedAt = async (storeId: string) => (await readStore(context.pool, storeId))!.identityChangedAt;
const rebrand = (storeId: string, wish: object) => changeBranding(context, { storeId, wish }, ACTOR);
const versionOf = async (storeId: string) => (await readStore(context.pool, storeId))!.version;
/** Every owner needs a second factor before the store goes live. */
const giveFactor = (storeId: string) =>
  database.pool.query(
    'UPDATE users SET totp_confirmed_at = now() WHERE id IN (SELECT user_id FROM members WHERE store_id = $1)',
    [storeId],
  );
async function change(storeId: string, to: StoreChange): Promise<void> {
  const { version } = (await readStore(context.pool, storeId))!;
  await changeStore(context, { storeId, version, change: to }, ACTOR);
}

test.each<[string, (storeId: string) => Promise<unknown>]>([
  ['its name', (id) => change(id, { name: 'Another' })],
  ['its website', (id) => change(id, { website: 'https://another.example' })],
  ['what it sells', (id) => change(id, { description: 'Something else' })],
  ['the name of its branding', (id) => rebrand(id, { displayName: 'Bank' })],
  ['where customers find help', (id) => rebrand(id, { supportContact: 'help@bank.example' })],
  ['the pages that may show its checkout', (id) => rebrand(id, { embedOrigins: ['https://bank.example'] })],
  ['its logo', (id) => changeLogo(context, { storeId: id, bytes: png(64, 64) }, ACTOR)],
])('an approved store that changes %s is shown until an operator has reviewed it', async (_, make) => {
  const storeId = await newStore();
  await make(storeId);
  const at = await changedAt(storeId);
  expect(at).toEqual(clock.now());
  const list = async () => (await listStores(context.pool, { status: 'changed', after: null, limit: 100 })).stores;
  expect((await list()).map(({ id }) => id)).toContain(storeId);
  clock.advance(1);
  await expect(seeIdentity(context, { storeId, changedAt: clock.now() }, ACTOR)).rejects.toMatchObject({
    code: 'STORE_CHANGED',
  });
  await seeIdentity(context, { storeId, changedAt: at! }, ACTOR);
  expect(await changedAt(storeId)).toBeNull();
  expect((await list()).map(({ id }) => id)).not.toContain(storeId);
  await expect(seeIdentity(context, { storeId, changedAt: at! }, ACTOR)).rejects.toMatchObject({
    code: 'STORE_CHANGED',
  });
});

test('the audit log keeps the store’s former identity', async () => {
  const storeId = await newStore();
  await change(storeId, { name: 'First', website: 'https://first.example' });
  await change(storeId, { name: 'Second', settlementCurrency: 'USDC' });
  const { details } = (await database.prisma.auditEntry.findFirst({
    where: { storeId },
    orderBy: { number: 'desc' },
  }))!;
  expect(details).toEqual({ fields: ['name', 'settlement_currency'], former_name: 'First' });
});

test('changes that do not affect the identity, repeated values and changes before approval do not mark the store', async () => {
  const storeId = await newStore();
  const { name } = (await readStore(context.pool, storeId))!;
  await change(storeId, { name, settlementCurrency: 'USDC', networks: ['bsc'] });
  await rebrand(storeId, { brandColor: '#123456' });
  expect(await changedAt(storeId)).toBeNull();
  const waiting = await newStore();
  await setStatus(waiting, 'pending');
  await change(waiting, { name: 'Another' });
  expect(await changedAt(waiting)).toBeNull();
});

test('a waiting store is decided only with the branding that was shown (D-27)', async () => {
  const storeId = await newStore();
  await setStatus(storeId, 'pending');
  const swaps = [
    () => rebrand(storeId, { displayName: 'Bank' }),
    () => rebrand(storeId, { displayName: 'Bank', supportContact: 'help@bank.example' }),
    () => rebrand(storeId, { displayName: 'Bank', embedOrigins: ['https://bank.example'] }),
    () => changeLogo(context, { storeId, bytes: png(64, 64) }, ACTOR),
    () => changeLogo(context, { storeId, bytes: null }, ACTOR),
  ];
  for (const swap of swaps) {
    const version = await versionOf(storeId);
    await swap();
    await expect(approveStore(context, { storeId, version }, ACTOR)).rejects.toThrow(StoreMoved);
  }
  await giveFactor(storeId);
  await rebrand(storeId, { displayName: 'Bank', supportContact: 'help@bank.example' });
  await approveStore(context, { storeId, version: await versionOf(storeId) }, ACTOR);
});

test('changing only colours of the branding keeps the store’s version', async () => {
  const storeId = await newStore();
  await rebrand(storeId, { displayName: 'Bank' });
  await changeLogo(context, { storeId, bytes: png(64, 64) }, ACTOR);
  const version = await versionOf(storeId);
  await rebrand(storeId, { displayName: 'Bank', brandColor: '#123456', theme: 'dark' });
  await changeLogo(context, { storeId, bytes: png(64, 64) }, ACTOR);
  expect(await versionOf(storeId)).toBe(version);
});

test('the audit log names what customers saw before and what they see now', async () => {
  const storeId = await newStore();
  await rebrand(storeId, { displayName: 'Anna’s Teas', supportContact: 'anna@teas.example' });
  const wish = { displayName: 'Bank', supportContact: 'help@bank.example', embedOrigins: ['https://bank.example'] };
  await rebrand(storeId, wish);
  const { details } = (await database.prisma.auditEntry.findFirst({
    where: { storeId },
    orderBy: { number: 'desc' },
  }))!;
  expect(details).toMatchObject({
    fields: ['displayName', 'supportContact', 'embedOrigins'],
    former_display_name: 'Anna’s Teas',
    display_name: 'Bank',
    former_support_contact: 'anna@teas.example',
    support_contact: 'help@bank.example',
    former_embed_origins: [],
    embed_origins: ['https://bank.example'],
  });
});

test('legal details are saved together, are part of the identity, and are audited with the former ones', async () => {
  const storeId = await newStore();
  const legalDetails = { name: 'Example GmbH', address: 'Street 1\n12345 Town', vatNumber: 'de 123 456 789' };
  await change(storeId, { legalDetails });
  await change(storeId, { legalDetails: null });
  const row = await database.prisma.store.findUniqueOrThrow({ where: { id: storeId } });
  expect(row).toMatchObject({ legalName: null, legalAddress: null, vatNumber: null });
  expect(await changedAt(storeId)).not.toBeNull();
  const entries = await database.prisma.auditEntry.findMany({
    where: { storeId },
    orderBy: { number: 'desc' },
    take: 2,
  });
  const fields = ['legal_name', 'legal_address', 'vat_number'];
  expect(entries.map(({ details }) => details)).toEqual([
    {
      fields,
      former_legal_name: 'Example GmbH',
      former_legal_address: 'Street 1\n12345 Town',
      former_vat_number: 'DE123456789',
    },
    { fields, former_legal_name: '', former_legal_address: '', former_vat_number: '' },
  ]);
});

test('legal details with a wrong VAT number change nothing', async () => {
  const storeId = await newStore();
  const legalDetails = { name: 'Example GmbH', address: 'Street 1', vatNumber: 'DE1' };
  await expect(change(storeId, { legalDetails })).rejects.toMatchObject({ param: 'vat_number' });
  expect((await database.prisma.store.findUniqueOrThrow({ where: { id: storeId } })).legalName).toBeNull();
});
