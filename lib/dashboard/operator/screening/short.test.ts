// The screening page lists frozen money that its store has spent before the hit, and nothing while the store still has it.

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
        ...{ network: 'ethereum', currency: 'USDT', amount: '5.50' },
      },
    ]);
  }
  await poor.pay(550n);
  expect(await listShortfalls(scene.context)).toEqual([]);
});
