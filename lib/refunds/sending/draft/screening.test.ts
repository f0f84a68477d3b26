// Refunds wait for the screening of their payee and of everyone who paid their session: on a real database with the real signer, a
// simulated chain and a real list.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { listHeldRefunds } from '@/lib/dashboard/operator/refunds';
import { decideEnd } from '@/lib/refunds/approval/force-fail';
import { runScreening } from '@/lib/screening/step';
import { AddressSourceError } from '@/lib/treasury/wallets/address-source';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { TestClock } from '@/testing/fixtures';
import { openRefundScene, type RefundScene } from '@/testing/refunds/refund-scene';
import { scriptedSender } from '@/testing/refunds/scripted-sender';
import { LIST_KEY, loadList } from '@/testing/screening/signed-list';
import { localSpec, PAYERS } from '@/testing/signer/signer-scene';

const spec = localSpec('ethereum');
const [PAYEE, OTHER, LISTED] = ['a1', 'b2', 'c3'].map((byte) => `0x${byte.repeat(20)}`) as [string, string, string];
const HOUR = 3600;

let db: TestDatabase;
let clock: TestClock;
let scene: RefundScene;
let isDrafting: () => unknown = () => {};
beforeAll(async () => void (db = await openTestDatabase()));
afterAll(() => db.close());

/** A refund goes back to the payer, so a test of one role screens that role only. */
const only = (role: 'sender' | 'payee') => ({ SCREENING_LIST_KEY: LIST_KEY, SCREENED_ROLES: role });
const open = async (settings: Record<string, string> = { SCREENING_LIST_KEY: LIST_KEY }) => {
  const sender = scriptedSender({ spec, scene: () => scene });
  const draft: typeof sender.draft = async (...given) => {
    await isDrafting();
    return sender.draft(...given);
  };
  scene = await openRefundScene({ db, clock, spec, sender: { ...sender, draft }, settings });
};
beforeEach(async () => {
  clock = new TestClock();
  isDrafting = () => {};
  await db.pool.query('TRUNCATE screenings, sanctioned_addresses, sanctions_lists');
  await loadList(db.pool, [LISTED], { asOf: clock.now().toISOString() });
  await open();
});

const screening = () => runScreening(scene.context, { spec, oracle: null });
const later = (address: string[]) =>
  loadList(db.pool, address, { asOf: new Date(clock.now().getTime() + 1000).toISOString() });
const held = async (id: string) => {
  const { status, hold, holdMessage } = await scene.read(id);
  return { status, hold, holdMessage };
};

describe('the payee of a refund', () => {
  beforeEach(() => open(only('payee')));

  it('is screened before the first draft, and a clear one is paid', async () => {
    let drafts = 0;
    isDrafting = () => drafts++;
    const id = await scene.refund({ to: PAYEE });
    await scene.pass();
    expect(await held(id)).toMatchObject({ status: 'processing', hold: 'screening_unknown' });
    await scene.pass();
    expect([drafts, scene.signing.signed]).toEqual([0, 0]);
    await screening();
    expect(await scene.untilEnded(id)).toMatchObject({ status: 'completed', destination: PAYEE, hold: null });
  });

  it('that is listed holds only its own refund, with a sentence that names no list', async () => {
    const bad = await scene.refund({ to: LISTED });
    const good = await scene.refund({ to: PAYEE });
    await scene.pass();
    await screening();
    expect(await scene.untilEnded(good)).toMatchObject({ status: 'completed' });
    expect(await held(bad)).toEqual({
      status: 'processing',
      hold: 'screened',
      holdMessage: 'The operator checks this payment before it can be sent.',
    });
    expect(await scene.attempts(bad)).toEqual([]);
    expect(scene.signing.signed).toBe(1);
  });

  it('is paid after two operators released the hit', async () => {
    const id = await scene.refund({ to: LISTED });
    await scene.pass();
    await screening();
    await scene.pass();
    expect(await held(id)).toMatchObject({ hold: 'screened' });
    await db.pool.query(`UPDATE screenings SET released_at = now() WHERE verdict = 'hit'`);
    expect(await scene.untilEnded(id)).toMatchObject({ status: 'completed', destination: LISTED });
  });

  it('that is listed while the transaction is drafted is not paid', async () => {
    const id = await scene.refund({ to: PAYEE });
    await scene.pass();
    await screening();
    isDrafting = () => later([LISTED, PAYEE]);
    await scene.pass();
    expect(await held(id)).toMatchObject({ hold: 'screened' });
    expect([await scene.attempts(id), scene.signing.signed]).toEqual([[], 0]);
  });

  it('that is listed while the signer is down is not paid when it is back, and is paid after the release', async () => {
    const id = await scene.refund({ to: PAYEE });
    await scene.pass();
    await screening();
    const { sign } = scene.signing.calls;
    scene.signing.calls.sign = async () => Promise.reject(new AddressSourceError('unavailable', 'no answer'));
    await scene.pass();
    expect(await scene.attempts(id)).toMatchObject([{ status: 'drafted' }]);
    await later([LISTED, PAYEE]);
    scene.signing.calls.sign = sign;
    await scene.pass();
    expect(await held(id)).toMatchObject({ hold: 'screened' });
    expect(await scene.attempts(id)).toMatchObject([{ status: 'refused' }]);
    expect(scene.signing.signed).toBe(0);
    await db.pool.query(`UPDATE screenings SET released_at = now() WHERE verdict = 'hit'`);
    expect(await scene.untilEnded(id)).toMatchObject({ status: 'completed' });
    expect(scene.signing.signed).toBe(1);
  });

  it('that is listed after the signer signed, but before its answer came, is paid once: it cannot be taken back', async () => {
    const id = await scene.refund({ to: PAYEE });
    await scene.pass();
    await screening();
    const { sign } = scene.signing.calls;
    scene.signing.calls.sign = async (request) => {
      await sign(request);
      throw new AddressSourceError('unavailable', 'the answer was lost');
    };
    await scene.pass();
    await later([LISTED, PAYEE]);
    scene.signing.calls.sign = sign;
    expect(await scene.untilEnded(id)).toMatchObject({ status: 'completed', destination: PAYEE });
    expect([scene.signing.signed, (await scene.attempts(id)).length]).toEqual([1, 1]);
  });

  describe('that is listed after its signature was requested', () => {
    const [FIRST, SECOND] = ['11111111-1111-4111-8111-111111111111', '22222222-2222-4222-8222-222222222222'] as const;
    beforeAll(async () => {
      for (const id of [FIRST, SECOND])
        await db.prisma.user.create({ data: { id, email: `${id}@example.test`, passwordHash: '-', role: 'operator' } });
    });
    const end = async (id: string) =>
      (await listHeldRefunds(scene.context, { hold: 'screened', before: null, limit: 100 })).refunds.find(
        (one) => one.id === id,
      )?.end;
    const decide = async (refund: string, move: 'request' | 'approve', userId: string) => {
      const digest = (await end(refund))?.digest ?? 'a'.repeat(64);
      await decideEnd(scene.context, { refund, move, userId, digest, note: 'a mixer', address: '' });
    };
    /** `late`: the signer gets the lost request after all. */
    async function stopped(): Promise<{ id: string; late: () => Promise<unknown> }> {
      const id = await scene.refund({ to: PAYEE });
      await scene.pass();
      await screening();
      const { sign } = scene.signing.calls;
      let late = async (): Promise<unknown> => null;
      scene.signing.calls.sign = async (request) => {
        late = () => sign(request);
        throw new AddressSourceError('unavailable', 'no answer');
      };
      await scene.pass();
      await later([LISTED, PAYEE]);
      scene.signing.calls.sign = sign;
      await scene.pass();
      expect(await held(id)).toMatchObject({ hold: 'screened' });
      return { id, late };
    }

    it('fails when two operators agree: its amount is free again, and nothing is signed', async () => {
      const { id } = await stopped();
      const { sessionId } = await scene.read(id);
      expect(await end(id)).toMatchObject({ transactions: [], requestedBy: null });
      await decide(id, 'request', FIRST);
      await scene.pass();
      expect(await held(id)).toMatchObject({ status: 'processing', hold: 'screened' });
      await expect(decide(id, 'approve', FIRST)).rejects.toMatchObject({ code: 'APPROVAL_BY_TWO' });
      await decide(id, 'approve', SECOND);
      expect(await scene.untilEnded(id)).toMatchObject({ status: 'failed', toRelease: false });
      expect(await scene.events(id)).toEqual(['refund.failed']);
      expect(await db.prisma.session.findUniqueOrThrow({ where: { id: sessionId } })).toMatchObject({
        amountRefunded: 0n,
      });
      expect(scene.signing.signed).toBe(0);
    });

    it('does not fail when the signer has signed it meanwhile', async () => {
      const { id, late } = await stopped();
      await decide(id, 'request', FIRST);
      await late();
      await decide(id, 'approve', SECOND);
      expect(await scene.untilEnded(id)).toMatchObject({ status: 'completed' });
      expect(scene.signing.signed).toBe(1);
    });

    it('is ended with exactly the transactions that were shown, and not while one of them may still land', async () => {
      const { id } = await stopped();
      await decide(id, 'request', FIRST);
      const digest = (await end(id))!.digest;
      await db.pool.query(
        `INSERT INTO refund_attempts (intent_id, number, chain_id, status, draft, hash, bytes, validity, drafted_at, signed_at)
         SELECT intent_id, 2, chain_id, 'sent', draft, '0xh', '0x', '{"kind":"nonce","nonce":0}', drafted_at, drafted_at
         FROM refund_attempts WHERE intent_id = $1`,
        [id],
      );
      const approve = (shown: string) =>
        decideEnd(scene.context, {
          refund: id,
          move: 'approve',
          userId: SECOND,
          digest: shown,
          note: 'x',
          address: '',
        });
      expect(await end(id)).toBeNull();
      await expect(approve(digest)).rejects.toMatchObject({ code: 'APPROVAL_CHANGED' });
      await db.pool.query(
        `UPDATE refund_attempts SET status = 'lapsed', outcome = 'x', ended_at = now() WHERE intent_id = $1 AND number = 2`,
        [id],
      );
      expect(await end(id)).toMatchObject({ transactions: ['0xh'], requestedBy: null });
      await expect(approve(digest)).rejects.toMatchObject({ code: 'APPROVAL_CHANGED' });
      expect(await held(id)).toMatchObject({ status: 'processing', hold: 'screened' });
    });

    it('does not fail, and is paid, when the hit is released between the two decisions', async () => {
      const { id } = await stopped();
      await decide(id, 'request', FIRST);
      await db.pool.query(`UPDATE screenings SET released_at = now() WHERE verdict = 'hit'`);
      expect(await scene.untilEnded(id)).toMatchObject({ status: 'completed' });
      await expect(decide(id, 'approve', SECOND)).rejects.toMatchObject({ code: 'REFUND_NOT_FOUND' });
    });
  });

  it('is screened again when its answer is a day old', async () => {
    const first = await scene.refund({ to: PAYEE });
    await scene.pass();
    await screening();
    await scene.untilEnded(first);
    clock.advance(25 * HOUR);
    const second = await scene.refund({ to: PAYEE });
    await scene.pass();
    expect(await held(second)).toMatchObject({ hold: 'screening_unknown' });
    await screening();
    expect(await scene.untilEnded(second)).toMatchObject({ status: 'completed' });
  });

  it('keeps its answer over a restart, and two workers pay it once', async () => {
    const id = await scene.refund({ to: PAYEE });
    await Promise.all([scene.pass(), scene.pass()]);
    await Promise.all([screening(), screening()]);
    await Promise.all([scene.pass(), scene.pass(), scene.pass()]);
    expect(await scene.untilEnded(id)).toMatchObject({ status: 'completed' });
    expect(scene.signing.signed).toBe(1);
  });
});

describe('the sender of a payment', () => {
  beforeEach(() => open(only('sender')));
  const listSender = () => later([PAYERS.evm]);

  it('that is listed holds every refund of its session, and no refund of another session', async () => {
    await listSender();
    const sessionId = await scene.session();
    const tainted = [
      await scene.refund({ to: PAYERS.evm, sessionId }),
      await scene.refund({ to: PAYERS.evm, sessionId }),
    ];
    const other = await scene.refund({ to: OTHER });
    await scene.pass();
    await screening();
    expect(await scene.untilEnded(other)).toMatchObject({ status: 'completed' });
    for (const id of tainted) expect(await held(id)).toMatchObject({ hold: 'screened' });
    expect(scene.signing.signed).toBe(1);
  });

  it('is screened for a refund also when its money left the deposit address long ago', async () => {
    await db.pool.query('DELETE FROM deposit_balances');
    const id = await scene.refund({ to: PAYEE });
    await scene.pass();
    expect(await held(id)).toMatchObject({ hold: 'screening_unknown' });
    const { rows } = await db.pool.query(`SELECT address, role, transaction_hash <> '' AS "hasHash" FROM screenings`);
    expect(rows).toContainEqual({ address: PAYEE, role: 'sender', hasHash: true });
    await screening();
    expect(await scene.untilEnded(id)).toMatchObject({ status: 'completed' });
  });

  it('is not screened where the settings screen payees only', async () => {
    await open(only('payee'));
    const sessionId = await scene.session();
    const id = await scene.refund({ to: PAYERS.evm, sessionId });
    await scene.pass();
    await screening();
    expect(await scene.untilEnded(id)).toMatchObject({ status: 'completed' });
    expect((await db.pool.query(`SELECT 1 FROM screenings WHERE role = 'sender'`)).rowCount).toBe(0);
  });
});

it('a session that was also paid on a network which is no longer followed does not wait for its screening', async () => {
  await open(only('sender'));
  const id = await scene.refund({ to: PAYEE });
  const { sessionId } = await scene.read(id);
  await db.pool.query(
    `INSERT INTO transfers (chain_id, network, session_id, transaction_hash, ordinal, block_number, block_hash, block_time, currency,
       contract, payer, recipient, amount, decimals) SELECT chain_id, 'tron', $1, 'h' || $1, 0, 1, '', now(), 'USDT', 'c', 'TOther', 'TUs', 1, 6
     FROM transfers WHERE session_id = $1`,
    [sessionId],
  );
  await scene.pass();
  await screening();
  expect(await held(id)).toMatchObject({ hold: 'screening_unknown' });
  expect(await scene.untilEnded(id)).toMatchObject({ status: 'completed' });
});

it('without a source a refund is paid at once and nothing is stored', async () => {
  await open({});
  const id = await scene.refund({ to: LISTED });
  expect(await scene.untilEnded(id)).toMatchObject({ status: 'completed' });
  expect((await db.pool.query('SELECT 1 FROM screenings')).rowCount).toBe(0);
});
