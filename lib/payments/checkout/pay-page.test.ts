// The facts for the page's headers: from the session's own store, and only a pending session marks the customer's browser.

import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Context } from '@/lib/platform/context';
import { setStoreBranding } from '@/lib/merchants/branding/branding';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { makeChain, makeStore, TestClock, testConfig, testContext } from '@/testing/fixtures';
import { EXPIRES, openSettledSessions } from '@/testing/payments/settled-session';
import { readPayPage } from './pay-page';

let database: TestDatabase;
let context: Context;
let sessions: ReturnType<typeof openSettledSessions>;

beforeAll(async () => {
  database = await openTestDatabase();
  const clock = new TestClock(EXPIRES - 200);
  context = testContext(database, clock, testConfig());
  sessions = openSettledSessions(database, clock, {
    ethereum: await makeChain(database, 'ethereum', EXPIRES - 100),
  });
});
afterAll(() => database.close());

const newStore = async () => (await makeStore(database, context.config)).storeId;

test('only pages of its own store may frame a session', async () => {
  const [mine, theirs] = [await newStore(), await newStore()];
  await setStoreBranding(context, { storeId: mine, wish: { embedOrigins: ['https://mine.example'] } });
  await setStoreBranding(context, { storeId: theirs, wish: { embedOrigins: ['https://theirs.example'] } });
  const originsOf = async (storeId: string) =>
    (await readPayPage(context.pool, await sessions.make(storeId))).embedOrigins;
  expect(await originsOf(mine)).toEqual(['https://mine.example']);
  expect(await originsOf(theirs)).toEqual(['https://theirs.example']);
  expect(await originsOf(await newStore())).toEqual([]);
});

test('a page on localhost may frame only test payments', async () => {
  const storeId = await newStore();
  const wish = {
    embedOrigins: [
      'https://mine.example',
      'http://localhost:4010',
      'http://127.0.0.1',
      'http://shop.localhost:4010',
      'https://shop.localhost',
    ],
  };
  await setStoreBranding(context, { storeId, wish });
  const id = await sessions.make(storeId);
  expect((await readPayPage(context.pool, id)).embedOrigins).toEqual(wish.embedOrigins);
  const live = id.replace('cs_test_', 'cs_live_');
  await database.pool.query('UPDATE sessions SET id = $2, environment = $3 WHERE id = $1', [id, live, 'live']);
  expect((await readPayPage(context.pool, live)).embedOrigins).toEqual(['https://mine.example']);
});

test('a session is pending until it is paid; an unknown session is not pending, and no page may frame it', async () => {
  const id = await sessions.make(await newStore());
  expect((await readPayPage(context.pool, id)).isPending).toBe(true);
  await sessions.transfer(id, { cents: 1250 });
  await sessions.settle(id);
  expect((await readPayPage(context.pool, id)).isPending).toBe(false);
  for (const unknown of ['cs_test_11111111111111111111111111111111', '../x'])
    expect(await readPayPage(context.pool, unknown)).toEqual({
      embedOrigins: [],
      isPending: false,
      browser: null,
      isShared: false,
    });
});
