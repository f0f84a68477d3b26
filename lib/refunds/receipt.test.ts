// Receipts of refunds: one for each refund that was sent, accessible by its number only.

import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { fromUnixSeconds } from '@/lib/platform/clock';
import { newReceiptNumber } from '@/lib/platform/ids';
import { setStoreLogo } from '@/lib/merchants/branding/logo';
import { setStoreBranding } from '@/lib/merchants/branding/branding';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { TestClock, testConfig } from '@/testing/fixtures';
import { png } from '@/testing/pictures';
import { watchedSession, watchedStore } from '@/testing/watching/watched-session';
import { readRefundReceipt } from './receipt';

const NOW = 1_800_000_000;
const ADDRESS = '0x9858effd232b4033e47d90003d41ec34ecaeda94';
const config = testConfig();

let database: TestDatabase;
let sessionId: string;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.close());
beforeEach(async () => {
  sessionId = (await watchedSession(database.pool, { createdAt: NOW })).id;
});

async function refund(status: 'completed' | 'failed', receiptNumber: string | null): Promise<void> {
  const name = randomUUID();
  await database.pool.query(
    `INSERT INTO refunds (id, store_id, environment, refund_id, session_id, order_id, status, amount, currency, network, reason,
       request_hash, day, created_at, sign_after, destination, destination_kind, destination_reference, signature_requested_at,
       transaction_hash, receipt_number, failure_reason, processed_at)
     VALUES ($1, $2, 'test', $1, $3, 'secret-order', $4::"RefundStatus", 1050, 'USDC', 'ethereum', 'secret-reason', '\\x00',
       '2027-01-15', $5, $5, $6, 'payer', 'x', $5, CASE WHEN $4 = 'completed' THEN '0xabc' END, $7,
       CASE WHEN $4 = 'failed' THEN 'secret-failure' END, $5)`,
    [name, await watchedStore(database.pool), sessionId, status, fromUnixSeconds(NOW + 60), ADDRESS, receiptNumber],
  );
}

const read = (number: string) => readRefundReceipt({ pool: database.pool, config }, number);

describe('the receipt of a refund', () => {
  test('shows what went where, when and in which transaction, and nothing that only the merchant may know', async () => {
    const number = newReceiptNumber();
    await refund('completed', number);
    const receipt = await read(number);
    expect(receipt).toEqual({
      number,
      environment: 'test',
      storeName: 'Test',
      logo: null,
      brand: { brandColor: null, theme: 'auto' },
      website: null,
      description: null,
      returned: { amount: '10.50', currency: 'USDC' },
      network: 'ethereum',
      destination: '0x9858EfFD232B4033E47d90003D41EC34EcaEda94',
      transactionHash: '0xabc',
      explorerUrl: null,
      at: NOW + 60,
      order: { price: { amount: '12.34', currency: 'USD' }, converted: null },
    });
  });

  test('names and marks the store as the hosted page does', async () => {
    const number = newReceiptNumber();
    await refund('completed', number);
    const storeId = await watchedStore(database.pool);
    const context = { pool: database.pool, clock: new TestClock() };
    await setStoreBranding(context, {
      storeId,
      wish: { displayName: 'Blue Mug', brandColor: '#0a7d4b', theme: 'dark' },
    });
    const logo = await setStoreLogo(context, { storeId, bytes: png(40, 20) });
    expect(await read(number)).toMatchObject({
      storeName: 'Blue Mug',
      logo: { hash: logo?.hash, width: 40, height: 20 },
      brand: { brandColor: '#0a7d4b', theme: 'dark' },
    });
    await database.pool.query('DELETE FROM store_branding WHERE store_id = $1', [storeId]);
  });

  test('does not exist for a refund that failed or for an unassigned number', async () => {
    await refund('failed', null);
    expect(await read(newReceiptNumber())).toBeNull();
  });

  test.each(['', 'rcp_', `rcp_' OR '1'='1' --xxxx`, 'cs_test_0123456789abcdef', `rcp_${'a'.repeat(65)}`])(
    'does not query the database for %j',
    async (text) => {
      const pool = { query: () => Promise.reject(new Error('the database was queried')) };
      expect(await readRefundReceipt({ pool: pool as never, config }, text)).toBeNull();
    },
  );
});
