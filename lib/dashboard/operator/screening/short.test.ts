// The screening page lists frozen money that its store lacks, with what unsigned payouts hold of the token, and nothing while the store has
// it.

import { afterAll, beforeAll, expect, it } from 'vitest';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { openQuarantineScene, type QuarantineScene } from '@/testing/ledger/quarantine-scene';
import { listShortfalls } from './short';

let db: TestDatabase;
let scene: QuarantineScene;
beforeAll(async () => {
  db = await openTestDatabase();
  scene = await openQuarantineScene(db);
});
afterAll(() => db.close());

it('is listed with its store and the missing amount, and no longer when the store has it again', async () => {
  const [rich, poor] = [await scene.store(), await scene.store()];
  for (const store of [rich, poor]) {
    const session = await store.pay(700n);
    if (store === poor) await store.payout(550n);
    await store.hit(session);
  }
  // Also before the worker has posted it.
  for (const settle of [async () => {}, scene.step]) {
    await settle();
    expect(await listShortfalls(scene.context)).toEqual([
      {
        ...{ storeId: poor.storeId, storeName: 'Test store', environment: 'test' },
        ...{ network: 'ethereum', currency: 'USDT', amount: '5.50', unsigned: '5.50' },
      },
    ]);
  }
  await poor.pay(550n);
  expect(await listShortfalls(scene.context)).toEqual([]);
});

it('is listed without payouts once they are signed or canceled', async () => {
  const store = await scene.store();
  const session = await store.pay(700n);
  const signed = (await store.payout(300n)) ?? '';
  await scene.payouts.pass();
  expect(await scene.payouts.attempts(signed)).toMatchObject([{ status: 'sent' }]);
  const unsigned = [(await store.payout(100n)) ?? '', (await store.payout(100n)) ?? ''] as const;
  await store.hit(session);
  const shown = async () => (await listShortfalls(scene.context)).map((one) => [one.amount, one.unsigned]);
  expect(await shown()).toEqual([['5.00', '2.00']]);
  for (const id of unsigned) expect(await store.cancelPayout(id)).toBe(true);
  expect(await shown()).toEqual([['3.00', null]]);
});
