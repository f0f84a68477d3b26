// What a process demands of the connections that a pooler gives it. pooler.test.ts shows the same behind PgBouncer, where it is installed.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { openPool, type Pool } from './db';
import { missingSessionSetting, refuseUnsafeSession } from './session';

const POOLED = { DATABASE_POOLER: 'transaction' } as const;
let db: TestDatabase;
/** Sends no start-up parameters, as behind a pooler. */
let bare: Pool;
beforeAll(async () => {
  db = await openTestDatabase();
  bare = openPool(db.url, 1, POOLED);
});
afterAll(async () => {
  await bare.end();
  await db.close();
});

test('a connection without limits, or in another time zone, is refused with the statements that mend it', async () => {
  await bare.query(`SET TimeZone = 'Asia/Tokyo'`);
  await expect(refuseUnsafeSession(bare, POOLED)).rejects.toThrow(
    /ALTER ROLE \w+ SET TimeZone = 'UTC'; ALTER ROLE \w+ SET statement_timeout = '15s'; ALTER ROLE \w+ SET idle_in_transaction_session_timeout = '15s';/,
  );
});

test('a connection whose role brings them is not', async () => {
  await bare.query(
    `SET TimeZone = 'UTC'; SET statement_timeout = '15s'; SET idle_in_transaction_session_timeout = '15s'`,
  );
  expect(await missingSessionSetting(bare, POOLED)).toBeNull();
});

test('without a pooler they are start-up parameters of each connection', async () => {
  expect(await missingSessionSetting(db.pool, { DATABASE_POOLER: 'none' })).toBeNull();
});
