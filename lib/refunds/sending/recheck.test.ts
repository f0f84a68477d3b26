// A refund whose transaction is ambiguous waits until an operator has checked, and then continues as the chain shows: never twice.

import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { AttemptOutcome } from '@/lib/networks/sending/send';
import { systemClock } from '@/lib/platform/clock';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { openRefundScene, type RefundScene } from '@/testing/refunds/refund-scene';
import { landed, scriptedSender } from '@/testing/refunds/scripted-sender';
import { localSpec, PAYERS } from '@/testing/signer/signer-scene';
import { recheck } from './recheck';

const BY = { by: 'user:11111111-1111-4111-8111-111111111111', address: '192.0.2.1' };
const spec = localSpec('ethereum');

let db: TestDatabase;
let scene: RefundScene;
let outcomeOf: (hash: string) => AttemptOutcome;
const ambiguous = (hash: string): AttemptOutcome => ({ kind: 'unclear', hash, reason: 'it moved another amount' });
const sender = scriptedSender({ spec, scene: () => scene, outcome: (hash) => outcomeOf(hash) });

beforeAll(async () => void (db = await openTestDatabase()));
afterAll(() => db.close());
beforeEach(async () => void (scene = await openRefundScene({ db, clock: systemClock, spec, sender })));

async function ambiguousRefund(): Promise<string> {
  outcomeOf = ambiguous;
  const id = await scene.refund({ to: PAYERS.evm });
  for (let turn = 0; turn < 5; turn++) await scene.pass();
  expect(await scene.read(id)).toMatchObject({ status: 'processing', hold: 'unclear' });
  return id;
}

test('it waits whatever the chain shows, and ends as the chain shows once an operator requested a check', async () => {
  const id = await ambiguousRefund();
  outcomeOf = landed;
  for (let turn = 0; turn < 5; turn++) await scene.pass();
  expect(await scene.read(id)).toMatchObject({ hold: 'unclear' });
  await recheck(scene.context, { refund: id, note: 'an endpoint had lied', ...BY });
  expect(await scene.untilEnded(id)).toMatchObject({ status: 'completed', hold: null });
  expect(scene.signing.signed).toBe(1);
  const { refundId } = await scene.read(id);
  const entry = await db.prisma.auditEntry.findFirst({ where: { target: refundId } });
  expect(entry).toMatchObject({ actor: BY.by, action: 'refund.look_again', storeId: scene.storeId });
  expect(entry?.details).toEqual({ note: 'an endpoint had lied' });
});

test('it is put on hold again, and nothing more is signed, while the attempt stays ambiguous', async () => {
  const id = await ambiguousRefund();
  await recheck(scene.context, { refund: id, note: 'hoping', ...BY });
  for (let turn = 0; turn < 5; turn++) await scene.pass();
  expect(await scene.read(id)).toMatchObject({ status: 'processing', hold: 'unclear' });
  expect(scene.signing.signed).toBe(1);
});

test('a refund on hold for another reason, ended or unknown, cannot be rechecked', async () => {
  const id = await scene.refund({ to: PAYERS.evm });
  const ask = (refund: string) => recheck(scene.context, { refund, note: 'x', ...BY });
  await expect(ask(id)).rejects.toMatchObject({ code: 'REFUND_NOT_FOUND' });
  await db.pool.query(
    `UPDATE refunds SET hold = 'approval_needed', hold_message = 'x', held_at = now() WHERE id = $1`,
    [id],
  );
  await expect(ask(id)).rejects.toMatchObject({ code: 'REFUND_NOT_FOUND' });
  await expect(ask('../x')).rejects.toMatchObject({ code: 'REFUND_NOT_FOUND' });
});

test('a cold transfer is rechecked like a refund, and the audit log names it without a store', async () => {
  const id = 'ct_test_ethereum_USDT_1';
  await db.pool.query(
    `INSERT INTO cold_transfers (id, environment, network, currency, number, amount, status, created_at, sign_after, hold, hold_message, held_at)
     VALUES ($1, 'test', 'ethereum', 'USDT', 1, 100, 'processing', now(), now(), 'unclear', 'it moved another amount', now())`,
    [id],
  );
  await recheck(scene.context, { refund: id, note: 'an endpoint had lied', ...BY });
  expect(await db.prisma.coldTransfer.findUnique({ where: { id } })).toMatchObject({ hold: null, heldAt: null });
  const entry = await db.prisma.auditEntry.findFirst({ where: { target: id } });
  expect(entry).toMatchObject({ actor: BY.by, action: 'cold_transfer.look_again', storeId: null });
  const again = recheck(scene.context, { refund: id, note: 'x', ...BY });
  await expect(again).rejects.toMatchObject({ code: 'REFUND_NOT_FOUND' });
});
