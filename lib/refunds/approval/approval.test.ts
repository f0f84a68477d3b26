// A refund above the amount is never signed before two different operators agreed to exactly this payment.

import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { disableUser, enableUser } from '@/lib/merchants/accounts/users-admin';
import { systemClock } from '@/lib/platform/clock';
import type { Context } from '@/lib/platform/context';
import { requestFreeze } from '@/lib/installation/freeze/request';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { openRefundScene, type RefundScene } from '@/testing/refunds/refund-scene';
import { scriptedSender } from '@/testing/refunds/scripted-sender';
import { localSpec, PAYERS } from '@/testing/signer/signer-scene';
import type { Move } from './agreement';
import { decideApproval } from './decide';

const ABOVE = 400;
const OTHER = '0x00000000000000000000000000000000000000aa';
const [FIRST, SECOND] = ['11111111-1111-4111-8111-111111111111', '22222222-2222-4222-8222-222222222222'] as const;
const spec = localSpec('ethereum');

let db: TestDatabase;
const THIRD = '33333333-3333-4333-8333-333333333333';

let scene: RefundScene;
let context: Context;
const sender = scriptedSender({ spec, scene: () => scene });

beforeAll(async () => {
  db = await openTestDatabase();
  for (const id of [FIRST, SECOND, THIRD])
    await db.prisma.user.create({ data: { id, email: `${id}@example.test`, passwordHash: '-', role: 'operator' } });
});
afterAll(() => db.close());
beforeEach(async () => {
  await db.pool.query('UPDATE users SET role_granted_by = NULL, role_granted_at = NULL, disabled_at = NULL');
  scene = await openRefundScene({ db, clock: systemClock, spec, sender });
  context = { ...scene.context, config: { ...scene.context.config, REFUND_APPROVAL_ABOVE: ABOVE } };
});

const passes = async (count = 4): Promise<void> => {
  for (let turn = 0; turn < count; turn++) await scene.pass({}, context);
};
const digestOf = async (refund: string): Promise<string> =>
  Buffer.from((await db.prisma.approvalNeed.findUniqueOrThrow({ where: { refund } })).digest).toString('hex');
const decide = async (refund: string, move: Move, userId: string, digest?: string): Promise<void> =>
  decideApproval(context, {
    refund,
    move,
    userId,
    digest: digest ?? (await digestOf(refund)),
    note: null,
    address: '',
  });
/** A refund above the amount, held. */
async function heldRefund(): Promise<string> {
  const id = await scene.refund({ to: PAYERS.evm, cents: BigInt(ABOVE) + 1n });
  await passes();
  expect(await scene.read(id)).toMatchObject({
    status: 'processing',
    hold: 'approval_needed',
    signatureRequestedAt: null,
  });
  return id;
}

test('the amount itself needs no approval', async () => {
  const id = await scene.refund({ to: PAYERS.evm, cents: BigInt(ABOVE) });
  await passes();
  expect(await scene.read(id)).toMatchObject({ status: 'completed' });
});

test('one operator requests, another approves, and the refund is paid; all of it is audited', async () => {
  const id = await heldRefund();
  await decide(id, 'request', FIRST);
  await passes();
  expect(await scene.read(id)).toMatchObject({ hold: 'approval_needed', signatureRequestedAt: null });
  await decide(id, 'approve', SECOND);
  await passes();
  expect(await scene.read(id)).toMatchObject({ status: 'completed', hold: null });
  const audit = await db.prisma.auditEntry.findMany({ where: { target: id }, orderBy: { number: 'asc' } });
  expect(audit.map(({ action, actor }) => [action, actor])).toEqual([
    ['refund.approval_ask', `user:${FIRST}`],
    ['refund.approval_approve', `user:${SECOND}`],
  ]);
});

test('rejects an approval by the operator who requested it, and an approval without a request', async () => {
  const id = await heldRefund();
  await expect(decide(id, 'approve', FIRST)).rejects.toMatchObject({ code: 'APPROVAL_CHANGED' });
  await decide(id, 'request', FIRST);
  await expect(decide(id, 'approve', FIRST)).rejects.toMatchObject({ code: 'APPROVAL_BY_TWO' });
  await passes();
  expect(scene.signing.signed).toBe(0);
});

const HOURS = 3_600_000;
const granted = (userId: string, by: string, hoursAgo: number): Promise<unknown> =>
  db.pool.query('UPDATE users SET role_granted_by = $2, role_granted_at = $3 WHERE id = $1', [
    userId,
    by,
    new Date(systemClock.now().getTime() - hoursAgo * HOURS),
  ]);

test.each([
  ['whom the requester made an operator, however long ago', () => granted(SECOND, FIRST, 1000)],
  ['of an requester whom they made an operator, however long ago', () => granted(FIRST, SECOND, 1000)],
  [
    'when a third operator granted both roles',
    async () => {
      await granted(FIRST, THIRD, 1000);
      await granted(SECOND, THIRD, 1000);
    },
  ],
  [
    'when the requester granted the role through another operator',
    async () => {
      await granted(THIRD, FIRST, 1000);
      await granted(SECOND, THIRD, 1000);
    },
  ],
  ['who is an operator since less than a day', () => granted(SECOND, THIRD, 23)],
  ['of an requester who is one since less than a day', () => granted(FIRST, THIRD, 23)],
  [
    'of an requester who was disabled',
    () => db.pool.query('UPDATE users SET disabled_at = now() WHERE id = $1', [FIRST]),
  ],
])('rejects an approval %s, except in a sandbox on one’s own machine', async (_, arrange) => {
  const id = await heldRefund();
  await decide(id, 'request', FIRST);
  await arrange();
  await expect(decide(id, 'approve', SECOND)).rejects.toMatchObject({ code: 'APPROVAL_BY_TWO' });
  const own = { ...context.config, SANDBOX_ORIGIN: 'http://127.0.0.1:5' };
  context = { ...context, config: { ...own, PUBLIC_URL: 'https://pay.example' } };
  await expect(decide(id, 'approve', SECOND)).rejects.toMatchObject({ code: 'APPROVAL_BY_TWO' });
  await passes();
  expect(scene.signing.signed).toBe(0);
  context = { ...context, config: own };
  await decide(id, 'approve', SECOND);
});

test('rejects an approval by an operator whom the requester re-enabled a moment ago', async () => {
  const requester = { userId: FIRST, by: `user:${FIRST}`, address: '' };
  await disableUser(context, { ...requester, userId: THIRD, by: `user:${THIRD}` }, SECOND);
  const id = await heldRefund();
  await decide(id, 'request', FIRST);
  await enableUser(context, requester, SECOND);
  await expect(decide(id, 'approve', SECOND)).rejects.toMatchObject({ code: 'APPROVAL_BY_TWO' });
  await passes();
  expect(scene.signing.signed).toBe(0);
});

test('accepts an approval by a day-old operator whose role another operator granted', async () => {
  const id = await heldRefund();
  await granted(SECOND, THIRD, 25);
  await decide(id, 'request', FIRST);
  await decide(id, 'approve', SECOND);
  await passes();
  expect(await scene.read(id)).toMatchObject({ status: 'completed' });
});

test('many small refunds of a session count as a large one; those that ended without being paid do not count', async () => {
  const sessionId = await scene.session();
  const of = (cents: bigint) => scene.refund({ to: PAYERS.evm, cents, sessionId });
  const [first, failed] = [await of(200n), await of(200n)];
  await db.pool.query(`UPDATE refunds SET status = 'canceled', processed_at = now() WHERE id = $1`, [failed]);
  await passes();
  expect(await scene.read(first)).toMatchObject({ status: 'completed' });
  const second = await of(200n);
  await passes();
  expect(await scene.read(second)).toMatchObject({ status: 'completed' });
  const third = await of(1n);
  await passes();
  expect(await scene.read(third)).toMatchObject({
    status: 'processing',
    hold: 'approval_needed',
    signatureRequestedAt: null,
  });
  await decide(third, 'request', FIRST);
  await decide(third, 'approve', SECOND);
  await passes();
  expect(await scene.read(third)).toMatchObject({ status: 'completed' });
});

test('the approved payment names whose address it is, and changes when that changes', async () => {
  const id = await heldRefund();
  const [before, need] = [
    await digestOf(id),
    await db.prisma.approvalNeed.findUniqueOrThrow({ where: { refund: id } }),
  ];
  expect(need.details).toMatchObject({ kind: 'payer', to: PAYERS.evm.toLowerCase() });
  const given = { address: PAYERS.evm, kind: 'claim', reference: 'address/1' } as const;
  const findDestination = async () => ({ destination: given });
  for (let turn = 0; turn < 4; turn++) await scene.pass({ findDestination }, context);
  expect(await digestOf(id)).not.toBe(before);
});

test('a changed destination voids what was requested and what was approved', async () => {
  const id = await heldRefund();
  const shown = await digestOf(id);
  await decide(id, 'request', FIRST);
  scene.destinations.set(id, OTHER);
  await passes();
  expect(await digestOf(id)).not.toBe(shown);
  await expect(decide(id, 'approve', SECOND, shown)).rejects.toMatchObject({ code: 'APPROVAL_CHANGED' });
  await expect(decide(id, 'approve', SECOND)).rejects.toMatchObject({ code: 'APPROVAL_CHANGED' });
  await decide(id, 'request', FIRST);
  await decide(id, 'approve', SECOND);
  // Approved for this address, which changes before the refund is drafted.
  scene.destinations.set(id, PAYERS.evm);
  await passes();
  expect(await scene.read(id)).toMatchObject({ hold: 'approval_needed', signatureRequestedAt: null });
  expect(scene.signing.signed).toBe(0);
});

test('a declined approval can be requested again, and of two requests at once one succeeds', async () => {
  const id = await heldRefund();
  await decide(id, 'request', FIRST);
  await decide(id, 'decline', SECOND);
  const requested = await Promise.allSettled([decide(id, 'request', FIRST), decide(id, 'request', SECOND)]);
  expect(requested.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
});

test('two approvals at once release the refund once', async () => {
  const id = await heldRefund();
  await decide(id, 'request', FIRST);
  const approved = await Promise.allSettled([decide(id, 'approve', SECOND), decide(id, 'approve', SECOND)]);
  expect(approved.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
  await passes();
  expect(await scene.attempts(id)).toHaveLength(1);
});

test('the database itself rejects an approval by one person', async () => {
  const digest = Buffer.alloc(32);
  const approval = db.pool.query(
    `INSERT INTO approvals (id, kind, target, digest, details, requested_by, requested_at, decided_by, decided_at, is_approved)
     VALUES (gen_random_uuid(), 'refund', 'x', $1, '{}', $2, now(), $2, now(), true)`,
    [digest, FIRST],
  );
  await expect(approval).rejects.toMatchObject({ constraint: 'approvals_by_two' });
});

test('drafts nothing while the freeze switch is being turned, however small the refund', async () => {
  const id = await scene.refund({ to: PAYERS.evm, cents: 1n });
  await requestFreeze(context, { by: `user:${FIRST}`, reason: 'a test', address: '' });
  await passes();
  expect(await scene.read(id)).toMatchObject({ hold: 'frozen', signatureRequestedAt: null });
  await db.pool.query('UPDATE freeze_requests SET carried_out_at = now()');
  await passes();
  expect(await scene.read(id)).toMatchObject({ status: 'completed' });
});
