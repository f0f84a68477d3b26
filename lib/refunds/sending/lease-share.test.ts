// One store cannot use up the signer's limits for addresses that customers gave, which all stores share.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { makeStore } from '@/testing/fixtures';
import { makePaidSession } from '@/testing/payments/paid-session';
import { refundRequest } from '@/testing/refunds/refund-caller';
import { openRefundScene, type RefundScene } from '@/testing/refunds/refund-scene';
import { scriptedSender } from '@/testing/refunds/scripted-sender';
import { localSpec, PAYERS } from '@/testing/signer/signer-scene';
import { needsApproval } from '@/lib/refunds/approval/approval';
import { createRefundByStore } from '@/lib/refunds/request/by-store';

const evm = localSpec('ethereum');
const now = new Date('2026-11-21T12:00:00Z');
const clock = { now: () => now };
const UNLIMITED = { perRefund: 10n ** 9n, perHour: 10n ** 9n, perDay: 10n ** 9n };
const claims = { perRefund: 500n, perHour: 1000n, perDay: 5000n };
let db: TestDatabase;
let scene: RefundScene;
beforeAll(async () => {
  db = await openTestDatabase();
  scene = await openRefundScene({ db, clock, spec: evm, sender: scriptedSender({ spec: evm, scene: () => scene }) });
});
afterAll(() => db.close());

const newStore = async (): Promise<string> => (await makeStore(db, scene.context.config)).storeId;

async function makeRefund(storeId: string, cents: number): Promise<string> {
  const session_id = await makePaidSession(db, { storeId, closedAt: now, cents });
  const side = { storeId, environment: 'test' as const, record: async () => {} };
  const request = refundRequest({ session_id, amount: cents, refund_id: session_id });
  return (await createRefundByStore(scene.context, side, request)).id;
}

/** A refund to a customer's address whose signature was requested this many minutes ago. */
async function paidClaim(storeId: string, cents: number, minutes: number): Promise<string> {
  const id = await makeRefund(storeId, cents);
  await db.pool.query(
    `UPDATE refunds SET status = 'processing', sign_after = created_at, destination = $2, destination_kind = 'claim',
       destination_reference = 'address/1', signature_requested_at = $3 WHERE id = $1`,
    [id, PAYERS.evm, new Date(now.getTime() - minutes * 60_000)],
  );
  return id;
}

async function verdict(storeId: string, cents: number, kind: 'payer' | 'claim' = 'claim') {
  const id = await makeRefund(storeId, cents);
  const { sessionId } = await scene.read(id);
  const refund = { id, storeId, amount: BigInt(cents), currency: 'USDT', network: 'ethereum', sessionId };
  const contract = evm.tokens.USDT?.contract ?? '';
  const hold = await needsApproval(db.pool, {
    refund: { ...refund, environment: 'test' },
    kind,
    order: { intentId: id, currency: 'USDT', contract, to: PAYERS.evm, amount: BigInt(cents) * 10_000n },
    above: Number.MAX_SAFE_INTEGER,
    demands: { needsPasskeys: true, limits: UNLIMITED, claims },
    now,
  });
  return hold?.code ?? null;
}

test('requires approval of a store’s claim payments beyond half of an hour’s limit, and of no other store’s', async () => {
  const [busy, quiet] = [await newStore(), await newStore()];
  await paidClaim(busy, 300, 30);
  expect(await verdict(busy, 200)).toBeNull();
  expect(await verdict(busy, 201)).toBe('approval_needed');
  expect(await verdict(busy, 400, 'payer')).toBeNull();
  expect(await verdict(quiet, 500)).toBeNull();
  expect(await verdict(quiet, 501)).toBe('approval_needed');
});

test('requires approval beyond a quarter of a day’s limit, and no longer once the day is over', async () => {
  const [busy, rested] = [await newStore(), await newStore()];
  for (const hours of [2, 4, 6]) await paidClaim(busy, 400, hours * 60);
  for (const hours of [25, 26, 27]) await paidClaim(rested, 400, hours * 60);
  expect(await verdict(busy, 50)).toBeNull();
  expect(await verdict(busy, 51)).toBe('approval_needed');
  expect(await verdict(rested, 500)).toBeNull();
});

test('does not count payments that two operators approved', async () => {
  const storeId = await newStore();
  const id = await paidClaim(storeId, 450, 10);
  expect(await verdict(storeId, 100)).toBe('approval_needed');
  const [first, second] = ['11111111-1111-4111-8111-111111111111', '22222222-2222-4222-8222-222222222222'];
  for (const user of [first, second])
    await db.prisma.user.create({
      data: { id: user, email: `${user}@example.test`, passwordHash: '-', role: 'operator' },
    });
  await db.pool.query(
    `INSERT INTO approvals (id, kind, target, digest, details, requested_by, requested_at, decided_by, decided_at, is_approved)
     VALUES (gen_random_uuid(), 'refund', $1, '\\x01', '{}', $2, now(), $3, now(), true)`,
    [id, first, second],
  );
  expect(await verdict(storeId, 100)).toBeNull();
});
