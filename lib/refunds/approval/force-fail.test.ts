// A refund that no transaction can pay any more fails when two different operators agreed to exactly that, and in no other way. Its
// money is released once, and what the chain shows at the end still takes precedence.

import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { AttemptOutcome } from '@/lib/networks/sending/send';
import { systemClock } from '@/lib/platform/clock';
import { listHeldRefunds } from '@/lib/dashboard/operator/refunds';
import { checkBooks } from '@/lib/ledger/invariants/check';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { openRefundScene, PAID, type RefundScene } from '@/testing/refunds/refund-scene';
import { landed, scriptedSender } from '@/testing/refunds/scripted-sender';
import { localSpec, PAYERS } from '@/testing/signer/signer-scene';
import type { Move } from './agreement';
import { decideEnd } from './force-fail';
import { recheck } from '@/lib/refunds/sending/recheck';

const HOURS = 3_600_000;
const [FIRST, SECOND, THIRD] = [
  '11111111-1111-4111-8111-111111111111',
  '22222222-2222-4222-8222-222222222222',
  '33333333-3333-4333-8333-333333333333',
] as const;
const TAKEN: AttemptOutcome = {
  kind: 'lapsed',
  reason: 'another transaction of the wallet has its nonce and is final',
};
const spec = localSpec('ethereum');

let db: TestDatabase;
let scene: RefundScene;
let outcomeOf: (hash: string) => AttemptOutcome;
const moved = (hash: string): AttemptOutcome => ({ kind: 'unclear', hash, reason: 'it moved another amount' });
const sender = scriptedSender({ spec, scene: () => scene, outcome: (hash) => outcomeOf(hash) });

beforeAll(async () => {
  db = await openTestDatabase();
  for (const id of [FIRST, SECOND, THIRD])
    await db.prisma.user.create({ data: { id, email: `${id}@example.test`, passwordHash: '-', role: 'operator' } });
});
afterAll(() => db.close());
beforeEach(async () => {
  await db.pool.query('UPDATE users SET role_granted_by = NULL, role_granted_at = NULL, disabled_at = NULL');
  scene = await openRefundScene({ db, clock: systemClock, spec, sender });
  // The signer, which a person unfreezes at once.
  scene.signing.calls.freeze = async () => {};
});

async function passes(turns = 5): Promise<void> {
  for (let turn = 0; turn < turns; turn++) await scene.pass();
}
/** A refund of all that a session paid, on hold. */
async function held(outcome: (hash: string) => AttemptOutcome): Promise<{ id: string; sessionId: string }> {
  outcomeOf = outcome;
  const sessionId = await scene.session();
  const id = await scene.refund({ to: PAYERS.evm, cents: PAID, sessionId });
  await passes();
  expect(await scene.read(id)).toMatchObject({ status: 'processing', hold: 'unclear' });
  return { id, sessionId };
}
const shown = async (id: string) =>
  (await listHeldRefunds(scene.context, { hold: 'unclear', before: null, limit: 100 })).refunds.find(
    (one) => one.id === id,
  )?.end ?? null;
async function decide(refund: string, move: Move, userId: string, over: object = {}): Promise<void> {
  const digest = (await shown(refund))?.digest ?? 'a'.repeat(64);
  await decideEnd(scene.context, { refund, move, userId, digest, note: 'investigated', address: '', ...over });
}
const statuses = async (id: string) => (await scene.attempts(id)).map(({ status }) => status);

test('two operators force-fail a refund: its money is released, the merchant is notified, and a new refund is paid', async () => {
  const { id, sessionId } = await held(() => TAKEN);
  await decide(id, 'request', FIRST);
  await passes();
  expect(await scene.read(id)).toMatchObject({ status: 'processing', hold: 'unclear' });
  await decide(id, 'approve', SECOND);
  await passes();
  expect(await scene.read(id)).toMatchObject({ status: 'failed', hold: null, toRelease: false });
  expect(await statuses(id)).toEqual(['replaced']);
  expect(await scene.events(id)).toEqual(['refund.failed']);
  expect(await db.prisma.session.findUniqueOrThrow({ where: { id: sessionId } })).toMatchObject({ amountRefunded: 0n });
  const { refundId } = await scene.read(id);
  const audit = await db.prisma.auditEntry.findMany({ where: { target: refundId }, orderBy: { number: 'asc' } });
  expect(audit.map(({ action, actor }) => [action, actor])).toEqual([
    ['refund.end_ask', `user:${FIRST}`],
    ['refund.end_approve', `user:${SECOND}`],
  ]);
  outcomeOf = landed;
  const next = await scene.refund({ to: PAYERS.evm, cents: PAID, sessionId });
  expect(await scene.untilEnded(next)).toMatchObject({ status: 'completed' });
  const books = (await checkBooks(db.pool)).filter(({ id: rule }) => /^INV-(3|4|5[bc]|6b)/.test(rule));
  expect(books.length).toBeGreaterThan(5);
  expect(books.flatMap(({ violations }) => violations)).toEqual([]);
});

test('also force-fails a refund whose transaction moved something else, which the signer keeps counting', async () => {
  const { id, sessionId } = await held(moved);
  await decide(id, 'request', FIRST);
  await decide(id, 'approve', SECOND);
  await passes();
  expect(await scene.read(id)).toMatchObject({ status: 'failed', toRelease: false });
  expect(await statuses(id)).toEqual(['lapsed']);
  const next = await scene.refund({ to: PAYERS.evm, cents: PAID, sessionId });
  await passes();
  expect(await scene.read(next)).toMatchObject({ status: 'processing', hold: 'limit' });
});

test('the final check of the chain takes precedence over the agreement', async () => {
  const { id } = await held(() => TAKEN);
  await decide(id, 'request', FIRST);
  outcomeOf = landed;
  await decide(id, 'approve', SECOND);
  await passes();
  expect(await scene.read(id)).toMatchObject({ status: 'completed' });
});

test('an agreement about a transaction that may still land ends nothing', async () => {
  const { id } = await held(() => TAKEN);
  await decide(id, 'request', FIRST);
  outcomeOf = () => ({ kind: 'waiting' });
  await decide(id, 'approve', SECOND);
  await passes();
  expect(await scene.read(id)).toMatchObject({ status: 'processing', hold: null });
  expect(await statuses(id)).toEqual(['sent']);
  // Once it is the same again, it is what they agreed to: no new request is needed, and the next check ends it.
  outcomeOf = () => TAKEN;
  await scene.pass({ signer: null });
  expect(await scene.read(id)).toMatchObject({ status: 'processing', hold: 'unclear' });
  expect(await shown(id)).toBeNull();
  await recheck(scene.context, { refund: id, note: 'x', by: `user:${FIRST}`, address: '' });
  await passes();
  expect(await scene.read(id)).toMatchObject({ status: 'failed' });
});

test('rejects an approval by the requester, an approval without a request, and either without a note', async () => {
  const { id } = await held(() => TAKEN);
  await expect(decide(id, 'approve', SECOND)).rejects.toMatchObject({ code: 'APPROVAL_CHANGED' });
  await expect(decide(id, 'request', FIRST, { note: null })).rejects.toMatchObject({ param: 'note' });
  await decide(id, 'request', FIRST);
  await expect(decide(id, 'request', SECOND)).rejects.toMatchObject({ code: 'APPROVAL_CHANGED' });
  await expect(decide(id, 'approve', FIRST)).rejects.toMatchObject({ code: 'APPROVAL_BY_TWO' });
  await expect(decide(id, 'approve', SECOND, { note: null })).rejects.toMatchObject({ param: 'note' });
  await passes();
  expect(await scene.read(id)).toMatchObject({ status: 'processing', hold: 'unclear' });
});

const granted = (userId: string, by: string, hoursAgo: number): Promise<unknown> =>
  db.pool.query('UPDATE users SET role_granted_by = $2, role_granted_at = $3 WHERE id = $1', [
    userId,
    by,
    new Date(systemClock.now().getTime() - hoursAgo * HOURS),
  ]);

test.each([
  ['whom the requester made an operator', () => granted(SECOND, FIRST, 1000)],
  ['who made the requester one', () => granted(FIRST, SECOND, 1000)],
  ['who is an operator since less than a day', () => granted(SECOND, THIRD, 23)],
  [
    'of an requester who was disabled',
    () => db.pool.query('UPDATE users SET disabled_at = now() WHERE id = $1', [FIRST]),
  ],
])('no second operator %s counts, except in a sandbox of one’s own', async (_, arrange) => {
  const { id } = await held(() => TAKEN);
  await decide(id, 'request', FIRST);
  await arrange();
  await expect(decide(id, 'approve', SECOND)).rejects.toMatchObject({ code: 'APPROVAL_BY_TWO' });
  const { config } = scene.context;
  const own = { ...scene.context, config: { ...config, SANDBOX_ORIGIN: 'http://127.0.0.1:5' } };
  const digest = (await shown(id))?.digest ?? '';
  await decideEnd(own, { refund: id, move: 'approve', userId: SECOND, digest, note: 'mine', address: '' });
  await passes();
  expect(await scene.read(id)).toMatchObject({ status: 'failed' });
});

test('is offered only where every transaction was judged, and decides about exactly what was shown', async () => {
  const { id } = await held(() => TAKEN);
  const before = await shown(id);
  expect(before).toMatchObject({ requestedBy: null, declined: null });
  await decide(id, 'request', FIRST);
  expect(await shown(id)).toMatchObject({ requestedBy: { userId: FIRST, note: 'investigated' } });
  // A transaction without a judgement, as another database's signer may have made it.
  await db.pool.query(
    `INSERT INTO refund_attempts (intent_id, number, chain_id, status, draft, hash, bytes, validity, drafted_at, signed_at)
     SELECT intent_id, 2, chain_id, 'sent', draft, hash || '2', bytes, validity, drafted_at, signed_at
     FROM refund_attempts WHERE intent_id = $1`,
    [id],
  );
  expect(await shown(id)).toBeNull();
  const { digest } = before!;
  await expect(decide(id, 'approve', SECOND, { digest })).rejects.toMatchObject({ code: 'APPROVAL_CHANGED' });
  await db.pool.query(`UPDATE refund_attempts SET judged = 'nonce_taken' WHERE intent_id = $1`, [id]);
  expect(await shown(id)).toMatchObject({ requestedBy: null });
  await expect(decide(id, 'approve', SECOND)).rejects.toMatchObject({ code: 'APPROVAL_CHANGED' });
  // A new request voids the previous one.
  await decide(id, 'request', SECOND);
  expect(await shown(id)).toMatchObject({ requestedBy: { userId: SECOND } });
  await decide(id, 'decline', FIRST, { note: null });
  expect(await shown(id)).toMatchObject({ requestedBy: null, declined: { note: 'investigated' } });
});

test('a refund that waits for no operator, or has ended, cannot be force-failed', async () => {
  outcomeOf = () => ({ kind: 'waiting' });
  const id = await scene.refund({ to: PAYERS.evm });
  await passes();
  for (const refund of [id, '../x'])
    await expect(decide(refund, 'request', FIRST)).rejects.toMatchObject({ code: 'REFUND_NOT_FOUND' });
  const other = await held(() => TAKEN);
  await decide(other.id, 'request', FIRST);
  const digest = (await shown(other.id))?.digest ?? '';
  outcomeOf = landed;
  await recheck(scene.context, { refund: other.id, note: 'x', by: `user:${FIRST}`, address: '' });
  await passes();
  await expect(decide(other.id, 'approve', SECOND, { digest })).rejects.toMatchObject({ code: 'REFUND_NOT_FOUND' });
});
