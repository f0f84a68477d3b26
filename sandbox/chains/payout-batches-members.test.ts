// One payout of a batch that another worker, an operator or an approval holds back: it is neither paid against them nor twice, and the
// others are paid. A pause holds back all of them.

import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Move } from '@/lib/refunds/approval/agreement';
import { decideApproval } from '@/lib/refunds/approval/decide';
import { Refusal } from '@/lib/signer/client';
import { transaction } from '@/lib/platform/database/db';
import { AddressSourceError } from '@/lib/treasury/wallets/address-source';
import { batchRules } from '@/testing/signer/batch-scene';
import { policy } from '@/testing/signer/signer-scene';
import { FIVE, openBatchWorld, type BatchWorld, type Requested } from '@/testing/payouts/batch-world';

let world: BatchWorld;
beforeAll(async () => {
  world = await openBatchWorld();
  await world.open();
  await world.turns(4);
}, 60_000);
afterAll(() => world.close());
beforeEach(() => world.open());

type Calls = NonNullable<BatchWorld['scene']['sending']['signer']>['calls'];
/** The signer with other answers. */
const answering = (changes: (calls: Calls) => Partial<Calls>) => {
  const signer = world.scene.sending.signer!;
  return { signer: { ...signer, calls: { ...signer.calls, ...changes(signer.calls) } } };
};
const unavailable = () => Promise.reject(new AddressSourceError('unavailable', 'The signer gave no answer.'));
const statuses = async ({ id }: Requested) => (await world.scene.attempts(id)).map(({ status }) => status);
async function paidIn(payouts: readonly Requested[]): Promise<number> {
  await world.turns(8);
  const rows = await Promise.all(payouts.map(({ id }) => world.scene.read(id)));
  expect(rows.map(({ status }) => status)).toEqual(payouts.map(() => 'completed'));
  for (const { to } of payouts) expect(await world.chain.balance(to, 'USDT')).toBe(FIVE);
  return new Set(rows.map(({ transactionHash }) => transactionHash)).size;
}

it('a payout that needs the passkeys of two operators goes alone and waits for them, and the others are paid together', async () => {
  const approvals = { file: '/none', publicUrl: 'https://example.org' };
  await world.open({ payoutApprovalAbove: 600n, approvals });
  const [small, large] = [await world.requested(3), await world.requested(1, 601n)];
  expect(await paidIn(small)).toBe(1);
  expect(await world.scene.read(large[0]!.id)).toMatchObject({ status: 'processing', hold: 'approval_needed' });
  expect(await world.chain.balance(large[0]!.to, 'USDT')).toBe(0n);
}, 60_000);

it('a payout that an operator declines is in no batch and fails, and one that two operators approve is paid with the others', async () => {
  await world.open({}, { PAYOUT_APPROVAL_ABOVE: '500' });
  const ids = [randomUUID(), randomUUID()] as const;
  for (const id of ids)
    await world.db.prisma.user.create({
      data: { id, email: `${id}@example.test`, passwordHash: '-', role: 'operator' },
    });
  const large = await world.requested(2, 501n);
  const [declined, approved] = large;
  await world.scene.pass();
  const decide = async ({ id }: Requested, move: Move, userId: string) => {
    const need = await world.db.prisma.approvalNeed.findUniqueOrThrow({ where: { refund: id } });
    const digest = Buffer.from(need.digest).toString('hex');
    await decideApproval(world.scene.context, { refund: id, move, userId, note: null, address: '', digest });
  };
  for (const one of large) await decide(one, 'request', ids[0]);
  await decide(declined!, 'decline', ids[1]);
  await decide(approved!, 'approve', ids[1]);
  const small = await world.requested(2);
  await world.comesDue(large, '-1 second');
  await world.turns(8);
  const rows = await Promise.all([...small, approved!].map(({ id }) => world.scene.read(id)));
  expect(rows.map(({ status }) => status)).toEqual(['completed', 'completed', 'completed']);
  expect(new Set(rows.map(({ transactionHash }) => transactionHash)).size).toBe(1);
  expect(await world.scene.read(declined!.id)).toMatchObject({ status: 'failed' });
  expect([await statuses(declined!), await world.chain.balance(declined!.to, 'USDT')]).toEqual([[], 0n]);
}, 60_000);

it('a payout that waits for an operator leaves its batch before the signature and keeps waiting, and the others are paid', async () => {
  const payouts = await world.requested(4);
  const [held, ...others] = payouts;
  await world.scene.pass(answering(() => ({ signBatch: unavailable })));
  await world.db.pool.query(
    `UPDATE payouts SET hold = 'unclear', hold_message = 'a test', held_at = now() WHERE id = $1`,
    [held!.id],
  );
  await world.comesDue(others, '-1 second');
  await paidIn(others);
  expect(await world.scene.read(held!.id)).toMatchObject({
    status: 'processing',
    hold: 'unclear',
    holdMessage: 'a test',
  });
  expect(await statuses(held!)).toEqual(['refused']);
  expect(await world.chain.balance(held!.to, 'USDT')).toBe(0n);
}, 60_000);

it('payouts whose batch the signer refuses after a request without an answer can be canceled when no request can be in flight any more', async () => {
  const payouts = await world.requested(3);
  await world.scene.pass(answering(() => ({ signBatch: unavailable })));
  const payoutLimits = { perRefund: 0n, perHour: 0n, perDay: 0n };
  world.scene.signing.restart({ policy: { ...policy(), ...batchRules(), payoutLimits } });
  await world.comesDue(payouts, '-1 second');
  await world.turns(2);
  const canceled = () => Promise.all(payouts.map(({ id, storeId }) => world.scene.cancel(id, storeId)));
  for (const one of payouts) expect(await statuses(one)).toEqual(['refused']);
  expect(await canceled()).toEqual([false, false, false]);
  await transaction(world.db.pool, async (tx) => {
    await tx.query('SET LOCAL session_replication_role = replica');
    await tx.query(`UPDATE refund_attempts SET ended_at = ended_at - interval '5 minutes' WHERE intent_id = ANY($1)`, [
      payouts.map(({ id }) => id),
    ]);
  });
  await world.comesDue(payouts, '-1 second');
  await world.turns(2);
  expect(await canceled()).toEqual([true, true, true]);
}, 60_000);

describe('while an operator has paused payouts', () => {
  const pause = () =>
    world.db.pool.query(`INSERT INTO payment_pauses VALUES ('test', 'ethereum', 'payouts', now(), 'user:1')`);
  const resume = () => world.db.pool.query('TRUNCATE payment_pauses');
  afterEach(resume);

  it('no batch is signed, and one pays all of them when payouts go on', async () => {
    const payouts = await world.requested(3);
    await pause();
    await world.turns(4);
    for (const one of payouts) {
      expect(await world.scene.read(one.id)).toMatchObject({ hold: 'paused', signatureRequestedAt: null });
      expect(await statuses(one)).toEqual([]);
    }
    await resume();
    await world.comesDue(payouts, '-1 second');
    expect(await paidIn(payouts)).toBe(1);
  }, 60_000);

  it('a batch whose signature was requested without an answer is dropped, and each payout is paid once when they go on', async () => {
    const payouts = await world.requested(3);
    await world.scene.pass(answering(() => ({ signBatch: unavailable })));
    await pause();
    await world.comesDue(payouts, '-1 second');
    await world.turns(4);
    for (const one of payouts) {
      expect(await statuses(one)).toEqual(['refused']);
      expect(await world.chain.balance(one.to, 'USDT')).toBe(0n);
    }
    await resume();
    await world.comesDue(payouts, '-1 second');
    expect(await paidIn(payouts)).toBe(3);
  }, 60_000);
});

describe('of a store whose money a hit froze after the request', () => {
  const freeze = ({ storeId }: Requested) =>
    world.db.pool.query(
      `INSERT INTO screenings (environment, network, address, role, transaction_hash, verdict, source, entity, requested_at, checked_at)
       SELECT 'test', t.network, t.payer, 'sender', t.transaction_hash, 'hit', 'list', 'SDN', now(), now()
       FROM transfers t JOIN sessions s ON s.id = t.session_id WHERE s.store_id = $1`,
      [storeId],
    );
  afterEach(() => world.db.pool.query('TRUNCATE screenings'));
  const heldAlone = async (frozen: Requested, others: readonly Requested[]) => {
    await paidIn(others);
    expect(await world.scene.read(frozen.id)).toMatchObject({ status: 'processing', hold: 'screened' });
    expect(await world.chain.balance(frozen.to, 'USDT')).toBe(0n);
  };

  it('a payout is dropped with its batch that got no answer, and waits alone, and the others are paid', async () => {
    const payouts = await world.requested(4);
    const [frozen, ...others] = payouts;
    await world.scene.pass(answering(() => ({ signBatch: unavailable })));
    await freeze(frozen!);
    await world.comesDue(payouts, '-1 second');
    await heldAlone(frozen!, others);
    expect(await statuses(frozen!)).toEqual(['refused']);
  }, 60_000);

  it('a payout is in no batch, and the others are paid together', async () => {
    const [frozen, ...others] = await world.requested(4);
    await freeze(frozen!);
    await heldAlone(frozen!, others);
    expect(await statuses(frozen!)).toEqual([]);
  }, 60_000);
});

it('a payout whose batch another worker may still have signed cannot be canceled, though this worker’s request was refused', async () => {
  const payouts = await world.requested(3);
  let late: Parameters<NonNullable<Calls['signBatch']>>[0] | null = null;
  let looks = 0;
  // This worker pauses after it has recorded the requests. Another one requests the signature meanwhile, and its request is slow.
  const paused = answering((calls) => ({
    attempts: async (id) => {
      if (++looks === 1) {
        await world.comesDue(payouts, '-1 second');
        await world.scene.pass(answering(() => ({ signBatch: (params) => ((late = params), unavailable()) })));
      }
      return calls.attempts(id);
    },
    signBatch: () => Promise.reject(new Refusal('limit', 'a test')),
  }));
  await world.scene.pass(paused);
  expect(late).not.toBeNull();
  for (const { id } of payouts)
    expect(await world.scene.read(id)).toMatchObject({ signatureRequestedAt: expect.any(Date) });
}, 60_000);

it('a payout whose batch was signed while this worker looked keeps its attempt', async () => {
  const payouts = await world.requested(3);
  const [own, other, third] = payouts;
  let request: Parameters<NonNullable<Calls['signBatch']>>[0] | null = null;
  await world.scene.pass(answering(() => ({ signBatch: (params) => ((request = params), unavailable()) })));
  await world.comesDue([other!, third!], '1 hour');
  await world.comesDue([own!], '-1 second');
  let looks = 0;
  const looking = answering((calls) => ({
    attempts: async (id) => {
      const found = await calls.attempts(id);
      if (++looks === 1) {
        // The slow request of a worker that has lost its leases is signed now, and another worker finds that for one of the payouts.
        await calls.signBatch!(request!);
        await world.comesDue([other!], '-1 second');
        await world.scene.pass();
      }
      return found;
    },
  }));
  const intervals = { ...world.scene.sending.intervals, lease: 60_000 };
  await world.scene.pass({ ...looking, intervals });
  expect(await statuses(own!)).not.toContain('refused');
  await world.comesDue(payouts, '-1 second');
  expect(await paidIn(payouts)).toBe(1);
  for (const payout of payouts) expect(await statuses(payout)).toEqual(['landed']);
}, 60_000);

it('a batch whose answer was lost before a freeze is not signed again during it, and pays each once after the unfreeze', async () => {
  const payouts = await world.requested(3);
  const lost = answering((calls) => ({ signBatch: async (params) => (await calls.signBatch!(params), unavailable()) }));
  await world.scene.pass(lost);
  const { hash } = world.scene.signing.signer.attempts(payouts[0]!.id).attempts[0]!;
  await world.scene.signing.calls.freeze('a test');
  await world.comesDue(payouts, '-1 second');
  await world.turns(3);
  for (const payout of payouts) {
    expect(await statuses(payout)).toEqual(['drafted']);
    expect(await world.scene.read(payout.id)).toMatchObject({ status: 'processing', hold: 'frozen' });
  }
  world.scene.signing.unfreeze();
  await world.comesDue(payouts, '-1 second');
  expect(await paidIn(payouts)).toBe(1);
  for (const { id } of payouts) expect(await world.scene.attempts(id)).toMatchObject([{ status: 'landed', hash }]);
}, 60_000);

it('a batch that was requested before batches were turned off is dropped, its payouts go alone, and those after they are on again together', async () => {
  const payouts = await world.requested(3);
  await world.scene.pass(answering(() => ({ signBatch: unavailable })));
  const on = world.scene.signing;
  on.restart({ policy: { ...policy(), batches: [] } });
  await world.comesDue(payouts, '-1 second');
  expect(await paidIn(payouts)).toBe(3);
  for (const payout of payouts) expect(await statuses(payout)).toEqual(['refused', 'landed']);
  on.restart();
  expect(await paidIn(await world.requested(3))).toBe(1);
}, 60_000);

it('a signer of the former version, which knows no batches, stops none of the payouts that go alone, and a requested batch waits', async () => {
  const payouts = await world.requested(3);
  await world.scene.pass(answering(() => ({ signBatch: unavailable })));
  const unknown = () => Promise.reject(new AddressSourceError('refused', 'The signer refused: no such call.'));
  const former = answering((calls) => ({
    state: async () => {
      const { batches: _, allowanceNonces: __, ...state } = await calls.state();
      return state;
    },
    ...{ signBatch: unknown, allow: unknown, lastAllowance: unknown },
  }));
  await world.comesDue(payouts, '-1 second');
  for (let turn = 0; turn < 3; turn++) await world.scene.pass(former);
  for (const payout of payouts) {
    expect(await statuses(payout)).toEqual(['drafted']);
    expect(await world.scene.read(payout.id)).toMatchObject({ status: 'processing' });
  }
  await world.comesDue(payouts, '-1 second');
  expect(await paidIn(payouts)).toBe(1);
  const later = await world.requested(3);
  for (let turn = 0; turn < 8; turn++) {
    await world.scene.pass(former);
    await world.mine();
  }
  expect(await paidIn(later)).toBe(3);
}, 60_000);
