import { createTranslator } from 'next-intl';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { dashboardFormat } from '@/lib/i18n/dashboard';
import { newStoreId } from '@/lib/platform/ids';
import type { StatementScope } from '@/lib/ledger/statements/parts';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { postAt } from '@/testing/ledger/statement-scene';
import messages from '@/messages/dashboard/en.json';
import { offeredPeriods } from './periods';

let db: TestDatabase;
beforeAll(async () => void (db = await openTestDatabase()));
afterAll(() => db.close());

const words = {
  t: createTranslator({ locale: 'en', messages }),
  format: dashboardFormat('en'),
};
const moves = [{ network: 'bsc', currency: 'USDT', part: 'available', amount: 1n }] as const;

test('the months from the first entry to the last are offered, the newest first, and the shown days before them', async () => {
  const of: StatementScope = { storeId: newStoreId(), environment: 'test' };
  expect(await offeredPeriods(db.pool, of, { filters: {}, words })).toEqual([]);
  await postAt(db.pool, of, { at: '2026-05-31T23:59:59Z', moves });
  await postAt(db.pool, of, { at: '2026-07-01T00:00:00Z', moves });
  const months = [
    { query: 'month=2026-07', label: 'July 2026', hash: null, isMonth: true },
    { query: 'month=2026-06', label: 'June 2026', hash: null, isMonth: true },
    { query: 'month=2026-05', label: 'May 2026', hash: null, isMonth: true },
  ];
  expect(await offeredPeriods(db.pool, of, { filters: {}, words })).toEqual(months);
  const filters = { from: new Date('2026-06-10'), to: new Date('2026-06-12') };
  expect(await offeredPeriods(db.pool, of, { filters, words })).toEqual([
    { query: 'from=2026-06-10&to=2026-06-11', label: 'Jun 10, 2026 to Jun 11, 2026', hash: null, isMonth: false },
    ...months,
  ]);
});

test('the month of a closed statement has its hash', async () => {
  const of: StatementScope = { storeId: newStoreId(), environment: 'live' };
  const hash = 'a'.repeat(64);
  await postAt(db.pool, of, { at: '2026-05-31T23:59:59Z', moves });
  await db.pool.query(
    `INSERT INTO statement_months (store_id, environment, month, lines, hash, closing) VALUES ($1, 'live', '2026-05-01', 1, $2, '[]')`,
    [of.storeId, hash],
  );
  await postAt(db.pool, of, { at: '2026-07-01T00:00:00Z', moves });
  expect(await offeredPeriods(db.pool, of, { filters: {}, words })).toMatchObject([
    { query: 'month=2026-07', hash: null },
    { query: 'month=2026-05', hash },
  ]);
});
