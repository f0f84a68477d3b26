// Which credits of different stores wait for each other (docs/growth.md, "What still waits").

import { randomInt } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { transaction, type Tx } from '@/lib/platform/database/db';
import { newStoreId } from '@/lib/platform/ids';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { postTransfers } from './post';

let db: TestDatabase;
beforeAll(async () => void (db = await openTestDatabase()));
afterAll(() => db.close());

const credit = (tx: Tx, network: string, currency: string): Promise<void> => {
  const id = String(randomInt(1, 2 ** 40));
  const of = { storeId: newStoreId(), environment: 'test' as const, sessionId: `cs_${id}`, transferId: id };
  return postTransfers(tx, [{ ...of, network, currency, amount: 5n, toStore: 5n }]);
};

/** Whether a store's credit has to wait while another store's credit of USDT on BSC is not committed. */
async function waits(network: string, currency: string): Promise<boolean> {
  return transaction(db.pool, async (first) => {
    await credit(first, 'bsc', 'USDT');
    const second = transaction(db.pool, async (tx) => {
      await tx.query(`SET LOCAL lock_timeout = '200ms'`);
      await credit(tx, network, currency);
    });
    return second.then(
      () => false,
      (error: { code?: string }) => {
        if (error.code === '55P03') return true;
        throw error;
      },
    );
  });
}

it.each([
  ['tron', 'USDT', false],
  ['bsc', 'USDC', false],
  ['bsc', 'USDT', true],
])('whether a credit on %s of %s waits for another store’s of USDT on BSC: %s', async (network, currency, expected) => {
  // The first credits create the balances.
  await transaction(db.pool, (tx) => credit(tx, network, currency));
  await transaction(db.pool, (tx) => credit(tx, 'bsc', 'USDT'));
  expect(await waits(network, currency)).toBe(expected);
});
