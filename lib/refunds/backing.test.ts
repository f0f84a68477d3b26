// What has to be true on the chain before a refund is drafted, whatever rows a taken-over web process writes: the payments arrived at
// deposit addresses of this wallet, and all refunds of a session together return no more than its payers sent.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { systemClock } from '@/lib/clock';
import { openTestDatabase, type TestDatabase } from '@/lib/testing/database';
import { openRefundScene, PAID, type RefundScene } from '@/lib/testing/refund-scene';
import { scriptedSender } from '@/lib/testing/scripted-sender';
import { localSpec, PAYERS } from '@/lib/testing/signer-scene';

const spec = localSpec('ethereum');
const FOREIGN = '0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc';
let db: TestDatabase;
let scene: RefundScene;
beforeAll(async () => {
  db = await openTestDatabase();
  scene = await openRefundScene({ db, clock: systemClock, spec, sender: scriptedSender({ spec, scene: () => scene }) });
});
afterAll(() => db.close());

const to = PAYERS.evm;
const pay = async () => {
  for (let turn = 0; turn < 5; turn++) await scene.pass();
};

/** Inserts what the web role may insert: an exception for a transfer that counted, and a refund of that exception. */
async function refundAsException(sessionId: string, cents: bigint): Promise<string> {
  const id = await scene.refund({ to, cents, sessionId: await scene.session() });
  const { rows } = await db.pool.query<{ id: string }>(
    `INSERT INTO payment_cases (store_id, environment, session_id, transfer_id, kind, amount)
     SELECT $1, 'test', $2, id, 'late', amount FROM transfers WHERE session_id = $2 RETURNING id`,
    [scene.storeId, sessionId],
  );
  const client = await db.pool.connect();
  try {
    await client.query('BEGIN');
    await client.query('SET LOCAL session_replication_role = replica');
    await client.query(`UPDATE refunds SET session_id = $2, case_id = $3 WHERE id = $1`, [id, sessionId, rows[0]!.id]);
    await client.query('COMMIT');
  } finally {
    client.release();
  }
  return id;
}

test('a payment to an address that is not a deposit address of the wallet is never refunded', async () => {
  const sessionId = await scene.session('USDT', PAID, FOREIGN);
  const id = await scene.refund({ to, cents: 500n, sessionId });
  await pay();
  expect(await scene.read(id)).toMatchObject({ status: 'processing', hold: 'evidence', askedAt: null });
});

test('a transfer is not refunded a second time as a payment exception after a refund of its session', async () => {
  const sessionId = await scene.session();
  const first = await scene.refund({ to, cents: PAID, sessionId });
  await pay();
  expect(await scene.read(first)).toMatchObject({ status: 'completed' });
  const second = await refundAsException(sessionId, PAID);
  await pay();
  expect(await scene.read(second)).toMatchObject({ status: 'processing', hold: 'evidence', askedAt: null });
});

test('a transfer is not refunded a second time with its session after a refund as a payment exception', async () => {
  const sessionId = await scene.session();
  const first = await refundAsException(sessionId, PAID);
  await pay();
  expect(await scene.read(first)).toMatchObject({ status: 'completed' });
  const second = await scene.refund({ to, cents: 1n, sessionId });
  await pay();
  expect(await scene.read(second)).toMatchObject({ status: 'processing', hold: 'evidence', askedAt: null });
});

test('a session and its surplus are refunded up to everything that was paid', async () => {
  const sessionId = await scene.session();
  const first = await scene.refund({ to, cents: 6000n, sessionId });
  await pay();
  const second = await scene.refund({ to, cents: 4000n, sessionId });
  await pay();
  for (const id of [first, second]) expect(await scene.read(id)).toMatchObject({ status: 'completed' });
});
