// A payout above the amount is never signed before two different operators agreed to exactly this payment, and one that they decline fails.

import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Context } from '@/lib/platform/context';
import { transaction } from '@/lib/platform/database/db';
import { decideApproval } from '@/lib/refunds/approval/decide';
import type { Move } from '@/lib/refunds/approval/agreement';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { openPayoutChain } from '@/testing/payouts/payout-chain';
import { openPayoutScene, type PayoutScene } from '@/testing/payouts/payout-scene';
import { openRefundScene, PAID } from '@/testing/refunds/refund-scene';

const ABOVE = 400n;
const ADDRESS = `0x${'a1'.repeat(20)}`;
const OTHER = `0x${'b2'.repeat(20)}`;
const [FIRST, SECOND] = ['11111111-1111-4111-8111-111111111111', '22222222-2222-4222-8222-222222222222'] as const;
const WEEK = 7 * 86_400;
const { time, clock, chain, sender, spec, restart } = openPayoutChain();

let db: TestDatabase;
let scene: PayoutScene;
let context: Context;
beforeAll(async () => {
  db = await openTestDatabase();
  for (const id of [FIRST, SECOND])
    await db.prisma.user.create({ data: { id, email: `${id}@example.test`, passwordHash: '-', role: 'operator' } });
});
afterAll(() => db.close());
beforeEach(async () => {
  restart();
  const settings = { PAYOUT_APPROVAL_ABOVE: String(ABOVE) };
  scene = openPayoutScene(await openRefundScene({ db, clock, spec, sender, settings }));
  ({ context } = scene);
  await scene.session();
  await scene.address(ADDRESS);
});

const passes = async (count = 4): Promise<void> => {
  for (let turn = 0; turn < count; turn++) await scene.pass();
};
const digestOf = async (payout: string): Promise<string> =>
  Buffer.from((await db.prisma.approvalNeed.findUniqueOrThrow({ where: { refund: payout } })).digest).toString('hex');
const decide = async (payout: string, move: Move, userId: string, digest?: string): Promise<void> =>
  decideApproval(context, {
    ...{ refund: payout, move, userId, note: null, address: '' },
    digest: digest ?? (await digestOf(payout)),
  });
/** Writes as somebody who owns the whole database: the triggers forbid it to web and worker. */
const force = (text: string, values: unknown[]) =>
  transaction(db.pool, async (tx) => {
    await tx.query('SET LOCAL session_replication_role = replica');
    await tx.query(text, values);
  });
/** Makes payouts on hold due. */
const wake = () => db.pool.query('UPDATE payouts SET next_at = created_at');

/** A payout above the amount that waits for its approval. */
async function waiting(amount = ABOVE + 1n): Promise<string> {
  const id = await scene.request({ amount });
  await passes();
  expect(await scene.read(id)).toMatchObject({
    ...{ status: 'processing', hold: 'approval_needed', signatureRequestedAt: null },
    holdMessage: 'A payout of this size waits for the approval of two operators.',
  });
  return id;
}

it('the amount itself needs no approval', async () => {
  const id = await scene.request({ amount: ABOVE });
  chain.outcome = 'landed';
  expect(await scene.untilEnded(id)).toMatchObject({ status: 'completed', hold: null });
});

it('is paid after one operator requested and another approved; all of it is audited', async () => {
  const id = await waiting();
  await decide(id, 'request', FIRST);
  await wake();
  await passes();
  expect(scene.signing.signed).toBe(0);
  await decide(id, 'approve', SECOND);
  chain.outcome = 'landed';
  expect(await scene.untilEnded(id)).toMatchObject({ status: 'completed', hold: null, destination: ADDRESS });
  const audit = await db.prisma.auditEntry.findMany({ where: { target: id }, orderBy: { number: 'asc' } });
  expect(audit.map(({ action, actor, storeId }) => [action, actor, storeId])).toEqual([
    ['payout.approval_ask', `user:${FIRST}`, scene.storeId],
    ['payout.approval_approve', `user:${SECOND}`, scene.storeId],
  ]);
});

it('is not approved by the operator who requested it, nor without a request', async () => {
  const id = await waiting();
  await expect(decide(id, 'approve', FIRST)).rejects.toMatchObject({ code: 'APPROVAL_CHANGED' });
  await decide(id, 'request', FIRST);
  await expect(decide(id, 'approve', FIRST)).rejects.toMatchObject({ code: 'APPROVAL_BY_TWO' });
  await wake();
  await passes();
  expect(scene.signing.signed).toBe(0);
});

it.each([
  ['the approver', SECOND],
  ['the requester', FIRST],
])('is not approved when %s is an owner of the store', async (_, member) => {
  const id = await waiting();
  await force(`INSERT INTO members (store_id, user_id, role, created_at) VALUES ($1, $2, 'owner', now())`, [
    ...[scene.storeId, member],
  ]);
  await decide(id, 'request', FIRST);
  await expect(decide(id, 'approve', SECOND)).rejects.toMatchObject({ code: 'APPROVAL_BY_TWO' });
  await force('DELETE FROM members WHERE user_id = $1', [member]);
  await decide(id, 'approve', SECOND);
  chain.outcome = 'landed';
  expect(await scene.untilEnded(id)).toMatchObject({ status: 'completed' });
});

it('that another operator declined fails, and the whole amount is available again', async () => {
  const before = await scene.balance('store');
  const id = await waiting();
  expect(await scene.balance('store')).toBeLessThan(before);
  await decide(id, 'request', FIRST);
  await decide(id, 'decline', SECOND);
  await passes();
  expect(await scene.read(id)).toMatchObject({
    ...{ status: 'failed', hold: null },
    failureReason: 'The operator declined it. The amount is available again.',
  });
  expect([await scene.balance('store'), await scene.balance('payout')]).toEqual([before, 0n]);
  expect(scene.signing.signed).toBe(0);
});

it('whose request was withdrawn by its requester still waits', async () => {
  const id = await waiting();
  await decide(id, 'request', FIRST);
  await decide(id, 'decline', FIRST);
  await passes();
  expect(await scene.read(id)).toMatchObject({ status: 'processing', hold: 'approval_needed' });
});

it('that its store canceled can no longer be approved, and returns its amount', async () => {
  const before = await scene.balance('store');
  const id = await waiting();
  await decide(id, 'request', FIRST);
  expect(await scene.cancel(id)).toBe(true);
  await expect(decide(id, 'approve', SECOND)).rejects.toMatchObject({ code: 'REFUND_NOT_FOUND' });
  await passes();
  expect(await scene.read(id)).toMatchObject({ status: 'canceled' });
  expect(await scene.balance('store')).toBe(before);
  expect(scene.signing.signed).toBe(0);
});

it('whose amount was changed after the approval needs another one, and the former digest approves nothing', async () => {
  const id = await waiting();
  const former = await digestOf(id);
  await decide(id, 'request', FIRST);
  await decide(id, 'approve', SECOND);
  await force('UPDATE payouts SET amount = $2 WHERE id = $1', [id, PAID.toString()]);
  await wake();
  await passes();
  expect(await scene.read(id)).toMatchObject({ status: 'processing', hold: 'approval_needed' });
  await expect(decide(id, 'request', FIRST, former)).rejects.toMatchObject({ code: 'APPROVAL_CHANGED' });
  expect(scene.signing.signed).toBe(0);
});

it('that goes to another address than approved needs another approval', async () => {
  const id = await waiting();
  await decide(id, 'request', FIRST);
  await decide(id, 'approve', SECOND);
  time.now += 1000;
  await scene.address(OTHER, clock.now());
  await wake();
  await passes();
  expect(await scene.read(id)).toMatchObject({ status: 'processing', hold: 'approval_needed' });
  expect(scene.signing.signed).toBe(0);
});

it('that is not paid within a week of its approval needs another one, and gets it', async () => {
  const id = await waiting();
  await decide(id, 'request', FIRST);
  await decide(id, 'approve', SECOND);
  time.now += (WEEK + 1) * 1000;
  await wake();
  await passes();
  expect(await scene.read(id)).toMatchObject({ status: 'processing', hold: 'approval_needed' });
  expect(scene.signing.signed).toBe(0);
  await decide(id, 'request', SECOND);
  await decide(id, 'approve', FIRST);
  chain.outcome = 'landed';
  expect(await scene.untilEnded(id)).toMatchObject({ status: 'completed' });
});

it('of an unknown id is not found', async () => {
  await expect(decide(`po_${randomUUID()}`, 'request', FIRST, '00'.repeat(32))).rejects.toMatchObject({
    code: 'REFUND_NOT_FOUND',
  });
});

describe('while payouts are paused', () => {
  const pause = () =>
    db.pool.query(`INSERT INTO payment_pauses VALUES ('test', 'ethereum', 'payouts', now(), 'user:1')`);
  const resume = () => db.pool.query('TRUNCATE payment_pauses');
  afterEach(resume);

  it.each(['before', 'in'])(
    'one from %s the pause is approved in it, and is paid once when they go on',
    async (from) => {
      if (from === 'in') await pause();
      const id = await waiting();
      if (from === 'before') await pause();
      await wake();
      await passes();
      await decide(id, 'request', FIRST);
      await decide(id, 'approve', SECOND);
      await passes();
      expect(await scene.read(id)).toMatchObject({ hold: 'paused', signatureRequestedAt: null });
      expect(await scene.attempts(id)).toEqual([]);
      await resume();
      chain.outcome = 'landed';
      expect(await scene.untilEnded(id)).toMatchObject({ status: 'completed', hold: null });
      expect(await scene.attempts(id)).toHaveLength(1);
    },
  );

  it('one that is declined fails at once', async () => {
    const id = await waiting();
    await pause();
    await wake();
    await passes();
    await decide(id, 'request', FIRST);
    await decide(id, 'decline', SECOND);
    await passes();
    expect(await scene.read(id)).toMatchObject({ status: 'failed' });
  });
});
