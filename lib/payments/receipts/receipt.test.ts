// Receipts of payments: only for completed sessions, with the amounts of the hosted page.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Context } from '@/lib/platform/context';
import { checksumAddress } from '@/lib/networks/families/evm/address';
import { fromUnixSeconds } from '@/lib/platform/clock';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { makeChain, makeStore, TestClock, testConfig, testContext } from '@/testing/fixtures';
import { EXPIRES, openSettledSessions } from '@/testing/payments/settled-session';
import { watchedSession } from '@/testing/watching/watched-session';
import { readCheckout } from '@/lib/payments/checkout/view';
import { readPaymentReceipt } from './receipt';

let database: TestDatabase;
let context: Context;
let sessions: ReturnType<typeof openSettledSessions>;
let storeId: string;

beforeAll(async () => {
  database = await openTestDatabase();
  const clock = new TestClock(EXPIRES - 200);
  context = testContext(database, clock, testConfig());
  const chains = {
    ethereum: await makeChain(database, 'ethereum', EXPIRES - 100),
    bsc: await makeChain(database, 'bsc', EXPIRES - 100),
  };
  sessions = openSettledSessions(database, clock, chains);
  ({ storeId } = await makeStore(database, context.config));
  await database.pool.query(`UPDATE stores SET website = 'https://shop.example' WHERE id = $1`, [storeId]);
});
afterAll(() => database.close());

const PAYER = '0x9858effd232b4033e47d90003d41ec34ecaeda94';

async function paid(): Promise<string> {
  const id = await sessions.make(storeId);
  await sessions.transfer(id, { cents: 250, payer: PAYER, network: 'bsc', hash: `0xfirst${id}`, time: EXPIRES - 400 });
  await sessions.transfer(id, { cents: 1000, payer: PAYER, hash: `0xsecond${id}` });
  await sessions.transfer(id, { cents: 700, payer: PAYER, currency: 'USDC', hash: `0xwrong${id}` });
  await sessions.settle(id);
  return id;
}

describe('the receipt of a payment', () => {
  test('lists only the transactions that paid it', async () => {
    const id = await paid();
    const { orderId, evmAddress } = await database.prisma.session.findUniqueOrThrow({ where: { id } });
    const addresses = { from: checksumAddress(PAYER), to: checksumAddress(evmAddress ?? '') };
    expect(await readPaymentReceipt(context, id)).toMatchObject({
      number: id,
      environment: 'test',
      storeName: 'Test store',
      website: 'https://shop.example',
      contact: null,
      orderId,
      paid: [{ amount: '12.50', currency: 'USDT' }],
      order: { price: { amount: '12.50', currency: 'USDT' }, converted: null },
      at: EXPIRES - 200,
      transactions: [
        { amount: '2.50', network: 'bsc', hash: `0xfirst${id}`, at: EXPIRES - 400, explorerUrl: null, addresses },
        { amount: '10.00', network: 'ethereum', hash: `0xsecond${id}`, at: EXPIRES - 300, addresses },
      ],
      refunded: [],
    });
  });

  test('lists the items with tax, and without free shipping', async () => {
    const id = await paid();
    const items = [
      { price_data: { currency: 'USDT', unit_amount: 500, product_data: { name: 'Blue mug' } }, quantity: 2 },
      { price_data: { currency: 'USDT', unit_amount: 150, product_data: { name: 'Card' } } },
    ];
    await database.pool.query(
      'UPDATE sessions SET line_items = $2, tax_amount = 100, shipping_amount = 0 WHERE id = $1',
      [id, JSON.stringify(items)],
    );
    expect((await readPaymentReceipt(context, id))?.items).toEqual([
      { kind: 'item', name: 'Blue mug', quantity: 2, amount: '10.00', currency: 'USDT' },
      { kind: 'item', name: 'Card', quantity: 1, amount: '1.50', currency: 'USDT' },
      { kind: 'tax', name: '', quantity: 1, amount: '1.00', currency: 'USDT' },
    ]);
  });

  test('shows the net amount, the tax with its rate and shipping, also without items', async () => {
    const id = await paid();
    await database.pool.query('UPDATE sessions SET tax_amount = 200, shipping_amount = 300 WHERE id = $1', [id]);
    expect(await readPaymentReceipt(context, id)).toMatchObject({
      items: [],
      tax: {
        net: { amount: '10.50', currency: 'USDT' },
        tax: { amount: '2.00', currency: 'USDT' },
        // 2.00 of 10.50 are 19.05 percent.
        hundredths: 1900,
      },
      shipping: { amount: '3.00', currency: 'USDT' },
    });
    const plain = await paid();
    expect(await readPaymentReceipt(context, plain)).toMatchObject({ tax: null, shipping: null, issued: null });
  });

  test('has a number of the store’s series and the seller once the store has legal details', async () => {
    const id = await paid();
    const setLegalDetails = (name: string | null, address: string | null, vatNumber: string | null) =>
      database.pool.query('UPDATE stores SET legal_name = $2, legal_address = $3, vat_number = $4 WHERE id = $1', [
        ...[storeId, name, address, vatNumber],
      ]);
    const seller = { legalName: 'Example GmbH', legalAddress: ['Street 1'] };
    await setLegalDetails('Example GmbH', 'Street 1', null);
    const first = { number: id, issued: { ...seller, number: 'T1-000001', vatNumber: null } };
    expect(await readPaymentReceipt(context, id)).toMatchObject(first);
    await setLegalDetails('Example GmbH', 'Street 1', 'DE123456789');
    const issued = { ...seller, number: 'T1-000002', vatNumber: 'DE123456789' };
    expect(await readPaymentReceipt(context, await paid())).toMatchObject({ issued });
    await setLegalDetails(null, null, null);
    expect(await readPaymentReceipt(context, id)).toMatchObject(first);
  });

  test('does not exist before the whole price is final, or for an unknown session', async () => {
    const { id } = await watchedSession(database.pool, { createdAt: EXPIRES - 300, networks: ['ethereum'] });
    await sessions.transfer(id, { cents: 1233 });
    await sessions.settle(id);
    expect((await sessions.read(id)).amountReceived).toBe(1233n);
    expect(await readPaymentReceipt(context, id)).toBeNull();
    expect(await readPaymentReceipt(context, 'cs_test_11111111111111111111111111111111')).toBeNull();
    expect(await readPaymentReceipt(context, `'; DROP TABLE sessions; --`)).toBeNull();
  });

  test('shows the refunded amount, and the page shows the state of each refund', async () => {
    const id = await paid();
    const insert = (name: string, cents: number, status: string, hold: string | null = null) =>
      database.pool.query(
        `INSERT INTO refunds (id, store_id, environment, refund_id, session_id, order_id, status, amount, currency, network,
           request_hash, day, created_at, sign_after, processed_at, transaction_hash, receipt_number, failure_reason, hold,
           hold_message, held_at)
         VALUES ($1, $2, 'test', $1, $3, 'o', $4::"RefundStatus", $5, 'USDT', 'bsc', '\\x00', '2027-01-15', $6::timestamptz, $6,
           CASE WHEN $4 IN ('completed', 'failed', 'canceled') THEN $6::timestamptz END,
           CASE WHEN $4 = 'completed' THEN '0x' || $1 END, CASE WHEN $4 = 'completed' THEN 'rcp_' || $1 END,
           CASE WHEN $4 = 'failed' THEN 'secret-reason' END, $7, CASE WHEN $7 <> '' THEN 'secret-hold' END,
           CASE WHEN $7 <> '' THEN $6::timestamptz END)`,
        [`${id}-${name}`, storeId, id, status, cents, fromUnixSeconds(EXPIRES), hold],
      );
    await insert('a', 300, 'completed');
    await insert('b', 105, 'completed');
    await insert('c', 200, 'failed');
    await insert('d', 100, 'processing', 'destination_needed');
    await insert('e', 100, 'processing', 'no_tokens');
    await insert('f', 100, 'canceled');
    expect((await readPaymentReceipt(context, id))?.refunded).toEqual([{ amount: '4.05', currency: 'USDT' }]);
    const refunds = (await readCheckout(context, id))?.refunds;
    expect(refunds?.map(({ state, amount }) => `${state} ${amount}`)).toEqual([
      'sent 3.00',
      'sent 1.05',
      'failed 2.00',
      'waits 1.00',
      'underway 1.00',
      'canceled 1.00',
    ]);
    expect(refunds?.map((one) => one.receipt_number !== null)).toEqual([true, true, false, false, false, false]);
    expect(JSON.stringify(refunds)).not.toContain('secret');
  });
});
