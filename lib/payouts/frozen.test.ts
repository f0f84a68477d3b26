// A payout of money that a hit froze after the request is not signed while its store lacks the money. It is paid once when the store has it,
// or ended for good by two operators.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { listHeldRefunds } from '@/lib/dashboard/operator/refunds';
import { decideEnd } from '@/lib/refunds/approval/force-fail';
import { AddressSourceError } from '@/lib/treasury/wallets/address-source';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { openQuarantineScene, type QuarantineScene } from '@/testing/ledger/quarantine-scene';

const [FIRST, SECOND] = ['11111111-1111-4111-8111-111111111111', '22222222-2222-4222-8222-222222222222'] as const;

let db: TestDatabase;
let scene: QuarantineScene;
let store: Awaited<ReturnType<QuarantineScene['store']>>;
beforeAll(async () => {
  db = await openTestDatabase();
  for (const id of [FIRST, SECOND])
    await db.prisma.user.create({ data: { id, email: `${id}@example.test`, passwordHash: '-', role: 'operator' } });
});
afterAll(() => db.close());
beforeEach(async () => {
  await db.pool.query('TRUNCATE screenings, payment_pauses');
  scene = await openQuarantineScene(db);
  store = await scene.store();
});

const pause = () => db.pool.query(`INSERT INTO payment_pauses VALUES ('test', 'ethereum', 'payouts', now(), 'user:1')`);
const resume = () => db.pool.query('TRUNCATE payment_pauses');
const read = (id: string) => scene.payouts.read(id);
const statuses = async (id: string) => (await scene.payouts.attempts(id)).map(({ status }) => status);
const end = async (id: string) =>
  (await listHeldRefunds(scene.context, { hold: 'screened', before: null, limit: 100 })).refunds.find(
    (one) => one.id === id,
  )?.end;
const decide = async (refund: string, move: 'request' | 'approve', userId: string) =>
  decideEnd(scene.context, {
    ...{ refund, move, userId, note: 'a mixer', address: '' },
    digest: (await end(refund))?.digest ?? 'a'.repeat(64),
  });

/** A payout of all that the session paid, whose signature was requested without an answer. */
async function unanswered(): Promise<{ readonly id: string; readonly session: string }> {
  const { payouts } = scene;
  const session = await store.pay(700n);
  const id = (await store.payout(700n)) ?? '';
  const { sign } = payouts.signing.calls;
  payouts.signing.calls.sign = () => Promise.reject(new AddressSourceError('unavailable', 'no answer'));
  await payouts.pass();
  payouts.signing.calls.sign = sign;
  expect(await statuses(id)).toEqual(['drafted']);
  return { id, session };
}

describe('a payout whose signature was requested without an answer', () => {
  it.each([
    ['before the worker has posted the hit', async () => {}],
    ['after that', () => scene.step()],
  ])('is not signed when its money was frozen since, %s, and is paid once when the store has it', async (_, post) => {
    const { id, session } = await unanswered();
    await store.hit(session);
    await post();
    await scene.payouts.pass();
    await scene.payouts.pass();
    expect(await read(id)).toMatchObject({ status: 'processing', hold: 'screened' });
    expect([await statuses(id), scene.payouts.signing.signed]).toEqual([['refused'], 0]);
    await store.pay(700n);
    scene.chain.outcome = 'landed';
    expect(await scene.payouts.untilEnded(id)).toMatchObject({ status: 'completed' });
    expect(scene.payouts.signing.signed).toBe(1);
  });

  it('is signed when other money of its store covers it', async () => {
    const { id, session } = await unanswered();
    await store.pay(700n);
    await store.hit(session);
    scene.chain.outcome = 'landed';
    expect(await scene.payouts.untilEnded(id)).toMatchObject({ status: 'completed' });
    expect(scene.payouts.signing.signed).toBe(1);
  });
});

describe('a payout of frozen money that cannot be canceled', () => {
  /** Its draft was dropped by a pause, and the hit came before it was drafted again. */
  async function held(): Promise<string> {
    const { id, session } = await unanswered();
    await pause();
    await scene.payouts.pass();
    expect(await statuses(id)).toEqual(['refused']);
    await store.hit(session);
    await scene.step();
    await resume();
    await scene.payouts.pass();
    expect(await read(id)).toMatchObject({ status: 'processing', hold: 'screened' });
    expect(await store.cancelPayout(id)).toBe(false);
    return id;
  }

  it('fails when two operators end it, and its money goes to the quarantine', async () => {
    const id = await held();
    await decide(id, 'request', FIRST);
    await scene.payouts.pass();
    expect(await read(id)).toMatchObject({ status: 'processing', hold: 'screened' });
    await decide(id, 'approve', SECOND);
    expect(await scene.payouts.untilEnded(id)).toMatchObject({ status: 'failed' });
    await scene.step();
    expect(await store.figures()).toMatchObject({ available: 0n, inPayout: 0n, quarantined: 700n });
    expect(scene.payouts.signing.signed).toBe(0);
  });

  it('fails also when the store receives the money after the operators ended it, and is never signed', async () => {
    const id = await held();
    await decide(id, 'request', FIRST);
    await decide(id, 'approve', SECOND);
    await store.pay(700n);
    scene.chain.outcome = 'landed';
    expect(await scene.payouts.untilEnded(id)).toMatchObject({ status: 'failed' });
    expect([await statuses(id), scene.payouts.signing.signed]).toEqual([['refused'], 0]);
  });

  it('is paid when the store receives the money before the second operator agreed', async () => {
    const id = await held();
    await decide(id, 'request', FIRST);
    await store.pay(700n);
    scene.chain.outcome = 'landed';
    expect(await scene.payouts.untilEnded(id)).toMatchObject({ status: 'completed' });
    await expect(decide(id, 'approve', SECOND)).rejects.toMatchObject({ code: 'REFUND_NOT_FOUND' });
  });

  it('is listed with its hold during a pause, and is ended then', async () => {
    const id = await held();
    await pause();
    await scene.payouts.pass();
    expect(await read(id)).toMatchObject({ hold: 'screened' });
    await decide(id, 'request', FIRST);
    await decide(id, 'approve', SECOND);
    expect(await scene.payouts.untilEnded(id)).toMatchObject({ status: 'failed' });
  });
});
