// The amount that the worker attests for a session's payers: never more than they provably sent.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { systemClock } from '@/lib/platform/clock';
import { transaction } from '@/lib/platform/database/db';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { openRefundScene, PAID, type RefundScene } from '@/testing/refunds/refund-scene';
import { scriptedSender } from '@/testing/refunds/scripted-sender';
import { localSpec, PAYERS } from '@/testing/signer/signer-scene';

const spec = localSpec('ethereum');
let db: TestDatabase;
let scene: RefundScene;
beforeAll(async () => {
  db = await openTestDatabase();
  scene = await openRefundScene({ db, clock: systemClock, spec, sender: scriptedSender({ spec, scene: () => scene }) });
});
afterAll(() => db.close());

test('a payer gets at most what provably came from the session’s payers, whatever price the web process writes', async () => {
  const pay = async () => {
    for (let turn = 0; turn < 5; turn++) await scene.pass();
  };
  const sessionId = await scene.session();
  const first = await scene.refund({ to: PAYERS.evm, cents: PAID, sessionId });
  await pay();
  expect(await scene.read(first)).toMatchObject({ status: 'completed' });
  // The store has other money, and the web process raises the price of this session.
  await scene.session();
  await transaction(db.pool, async (tx) => {
    await tx.query('SET LOCAL session_replication_role = replica');
    await tx.query('UPDATE sessions SET amount_due = amount_due * 100 WHERE id = $1', [sessionId]);
  });
  const second = await scene.refund({ to: PAYERS.evm, cents: 2n, sessionId });
  await pay();
  expect(await scene.read(second)).toMatchObject({ status: 'processing', hold: 'evidence' });
});
