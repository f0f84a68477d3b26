import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Context } from '@/lib/platform/context';
import { openTestClock } from '@/testing/chain-clock';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { makeChain, makeStore, testConfig, testContext } from '@/testing/fixtures';
import { EXPIRES, openSettledSessions, type GivenTransfer } from '@/testing/payments/settled-session';
import type { SessionStatus } from '@/prisma/generated/enums';
import { acceptException, keepException, leaveException, refundException } from './decide';
import { listExceptions, readException, type PersonActor } from './read';

const START = EXPIRES - 600;
const config = testConfig();
const clock = openTestClock(START);
let db: TestDatabase;
let context: Context;
let storeId: string;
let by: PersonActor;
let operator: PersonActor;
let world: ReturnType<typeof openSettledSessions>;

beforeAll(async () => {
  db = await openTestDatabase();
  const chains = { ethereum: await makeChain(db, 'ethereum', START), bsc: await makeChain(db, 'bsc', START) };
  world = openSettledSessions(db, clock, { ...chains, tron: await makeChain(db, 'tron', START) });
  const user = await db.prisma.user.create({ data: { email: 'op@example.test', passwordHash: '-', role: 'operator' } });
  operator = { kind: 'operator', userId: user.id };
});
afterAll(() => db.close());
beforeEach(async () => {
  clock.set(EXPIRES + 60);
  context = testContext(db, clock, config);
  by = await merchant();
  storeId = (by as { storeId: string }).storeId;
});

async function merchant(): Promise<PersonActor> {
  const made = await makeStore(db, config);
  const { ownerId } = await db.prisma.store.findUniqueOrThrow({ where: { id: made.storeId } });
  return { kind: 'merchant', userId: ownerId, storeId: made.storeId };
}

/** A session of this status with settled transfers; returns the ids of the session and its exceptions. */
async function odd(status: SessionStatus, ...given: GivenTransfer[]) {
  const id = await world.make(storeId, status);
  for (const one of given) {
    await world.transfer(id, one);
    await world.settle(id);
  }
  const cases = await world.casesOf(id);
  return { id, caseId: String(cases[0]?.id), cases: cases.map((one) => String(one.id)) };
}

describe('a payment that does not count gets one exception, however often it is settled', () => {
  test.each([
    ['late', 'pending', { cents: 1250, time: EXPIRES }],
    ['late', 'expired', { cents: 1250 }],
    ['late', 'canceled', { cents: 1250 }],
    ['wrong_token', 'pending', { cents: 1250, currency: 'USDC' }],
    ['wrong_network', 'pending', { cents: 1250, network: 'tron' }],
    ['unfinished', 'failed', { cents: 500 }],
  ] as const)('%s, of a session that is %s', async (kind, status, given) => {
    const { id } = await odd(status, given);
    await world.settle(id);
    await world.settle(id);
    expect(await world.casesOf(id)).toMatchObject([{ kind, state: 'open', storeId, decidedBy: null }]);
    expect(await world.ledgerOf(id)).toEqual({ received: given.cents, unresolved: -given.cents });
  });

  test('an overpayment opens an exception for the transfers with the surplus', async () => {
    const id = await world.make(storeId);
    await world.transfer(id, { cents: 1000, time: EXPIRES - 300 });
    await world.settle(id);
    await world.transfer(id, { cents: 300, time: EXPIRES - 200 });
    await world.transfer(id, { cents: 400, network: 'bsc', time: EXPIRES - 100 });
    await world.settle(id);
    await world.transfer(id, { cents: 77, time: EXPIRES - 400 });
    await world.settle(id);
    const cases = await world.casesOf(id);
    expect(cases.map(({ kind, amount }) => [kind, amount.toFixed()])).toEqual([
      ['over', '500000'],
      ['over', (400n * 10n ** 16n).toString()],
      ['over', '770000'],
    ]);
    expect(await world.ledgerOf(id)).toEqual({ received: 1777, store: -1250, unresolved: -527 });
  });

  test('the exact price opens no exception, and neither does a partial payment before the expiry', async () => {
    const exact = await odd('pending', { cents: 1250 });
    clock.set(EXPIRES - 10);
    const part = await odd('pending', { cents: 500 });
    expect([exact.cases, part.cases]).toEqual([[], []]);
    expect(await world.ledgerOf(part.id)).toEqual({ received: 500, unresolved: -500 });
  });

  test('a partial payment opens an exception once its session has failed', async () => {
    const { id } = await odd('pending', { cents: 500 });
    clock.set(EXPIRES + 3600);
    await world.settle(id);
    expect(await world.read(id)).toMatchObject({ status: 'failed' });
    expect(await world.casesOf(id)).toMatchObject([{ kind: 'unfinished', state: 'open' }]);
    expect(await world.ledgerOf(id)).toEqual({ received: 500, unresolved: -500 });
    expect(await world.eventsOf(id)).toEqual(['payment.failed']);
  });
});

describe('accepting', () => {
  test.each(['expired', 'canceled'] as const)(
    'a late payment of the whole price completes a session that was %s',
    async (status) => {
      const { id, caseId } = await odd(status, { cents: 1250 });
      expect(await world.eventsOf(id)).toEqual([]);
      const accepted = await acceptException(context, { caseId, by, note: 'customer called' });
      expect(accepted).toMatchObject({
        state: 'accepted',
        actions: [],
        decidedBy: `merchant:${by.userId}`,
        decidedAt: clock.now(),
        note: 'customer called',
        sessionStatus: 'completed',
      });
      expect(await world.read(id)).toMatchObject({
        status: 'completed',
        acceptedFrom: status,
        amountReceived: 1250n,
        exception: 'none',
        completedNetwork: 'ethereum',
      });
      expect(await world.eventsOf(id)).toEqual(['payment.completed']);
      expect(await world.ledgerOf(id)).toEqual({ received: 1250, store: -1250 });
      await world.settle(id);
      expect(await world.read(id)).toMatchObject({ status: 'completed', amountReceived: 1250n, exception: 'none' });
    },
  );

  test('accepting a payment in the wrong token completes a pending session', async () => {
    const { id, caseId } = await odd('pending', { cents: 1250, currency: 'USDC' });
    await acceptException(context, { caseId, by });
    expect(await world.read(id)).toMatchObject({ status: 'completed', acceptedFrom: null, completedCurrency: 'USDC' });
    expect(await world.eventsOf(id)).toEqual(['payment.completed']);
  });

  test('accepting the late rest completes a failed session and counts its earlier parts', async () => {
    const { id, cases } = await odd('failed', { cents: 500 }, { cents: 750, time: EXPIRES + 30 });
    await acceptException(context, { caseId: cases[1] as string, by });
    expect(await world.read(id)).toMatchObject({ status: 'completed', acceptedFrom: 'failed', exception: 'none' });
    expect(await world.casesOf(id)).toMatchObject([
      { kind: 'unfinished', state: 'accepted', decidedBy: 'rule:completed' },
      { kind: 'late', state: 'accepted', decidedBy: `merchant:${by.userId}` },
    ]);
    expect(await world.ledgerOf(id)).toEqual({ received: 1250, store: -1250 });
  });

  test('an accepted partial payment counts, posts nothing to the store yet, and can still be refunded', async () => {
    const { id, caseId } = await odd('expired', { cents: 1249 });
    expect(await acceptException(context, { caseId, by })).toMatchObject({ state: 'accepted', actions: ['refund'] });
    expect(await world.read(id)).toMatchObject({ status: 'expired', amountReceived: 1249n, exception: 'partial' });
    expect(await world.eventsOf(id)).toEqual([]);
    expect(await world.ledgerOf(id)).toEqual({ received: 1249, unresolved: -1249 });
    expect(await refundException(context, { caseId, by })).toMatchObject({ state: 'refund' });
    expect(await world.ledgerOf(id)).toEqual({ received: 1249, refund: -1249 });
  });

  test('takes only the missing amount and leaves the rest open to be kept or refunded', async () => {
    const { id, caseId } = await odd('expired', { cents: 2000 });
    const accepted = await acceptException(context, { caseId, by });
    expect(accepted).toMatchObject({ state: 'open', amount: 7_500_000n, actions: ['keep', 'refund', 'leave'] });
    expect(await world.read(id)).toMatchObject({ status: 'completed', exception: 'over', amountReceived: 2000n });
    expect(await world.ledgerOf(id)).toEqual({ received: 2000, store: -1250, unresolved: -750 });
    // A second click finds it accepted and takes nothing more.
    expect(await acceptException(context, { caseId, by })).toMatchObject({ state: 'open', amount: 7_500_000n });
    expect(await refundException(context, { caseId, by })).toMatchObject({ state: 'refund', actions: [] });
    expect(await world.ledgerOf(id)).toEqual({ received: 2000, store: -1250, refund: -750 });
    expect(await db.prisma.refund.findMany({ where: { sessionId: id } })).toMatchObject([{ amount: 750n }]);
  });

  test('takes nothing from a second payment once the price is paid: it can be kept or refunded', async () => {
    const { id, caseId } = await odd('pending', { cents: 1250 }, { cents: 1250, time: EXPIRES + 5 });
    const refused = acceptException(context, { caseId, by });
    await expect(refused).rejects.toMatchObject({ code: 'CASE_ALREADY_DECIDED', message: /paid already/ });
    expect(await keepException(context, { caseId, by })).toMatchObject({ state: 'kept', actions: [] });
    expect(await world.ledgerOf(id)).toEqual({ received: 2500, store: -2500 });
    await expect(refundException(context, { caseId, by })).rejects.toMatchObject({ code: 'CASE_ALREADY_DECIDED' });
    expect(await keepException(context, { caseId, by })).toMatchObject({ state: 'kept' });
    expect(await world.eventsOf(id)).toEqual(['payment.completed']);
  });

  test('counts accepted payments towards the price first and leaves an unneeded rest open', async () => {
    const { id, cases } = await odd('failed', { cents: 800 }, { cents: 900, time: EXPIRES + 30 });
    await acceptException(context, { caseId: cases[1] as string, by });
    const [part, late] = await world.casesOf(id);
    expect(late).toMatchObject({ kind: 'late', state: 'accepted', counted: late?.amount });
    expect(part).toMatchObject({ kind: 'unfinished', state: 'open', decidedBy: null });
    expect(part?.counted.toFixed()).toBe('3500000');
    expect(await world.ledgerOf(id)).toEqual({ received: 1700, store: -1250, unresolved: -450 });
  });

  test('announces only what the price needed of several accepted payments, and stores the same', async () => {
    const { id, cases } = await odd('expired', { cents: 1250 }, { cents: 1249, time: EXPIRES + 30 });
    for (const caseId of cases.toReversed()) await acceptException(context, { caseId, by });
    const event = await db.prisma.event.findFirstOrThrow({ where: { objectId: id, type: 'payment.completed' } });
    expect(event.body).toMatch(/"amount_received":1250[,}]/);
    const { amountReceived, exception } = await db.prisma.session.findUniqueOrThrow({ where: { id } });
    expect([amountReceived, exception]).toEqual([1250n, 'late']);
  });

  test('accepting one payment does not make the others of an expired session on time', async () => {
    const { id, caseId } = await odd('expired', { cents: 1250 }, { cents: 1250 });
    await acceptException(context, { caseId, by });
    await world.transfer(id, { cents: 1250 });
    await world.settle(id);
    expect(await world.read(id)).toMatchObject({ status: 'completed', amountReceived: 1250n, exception: 'late' });
    expect((await world.casesOf(id)).map(({ kind, state }) => `${kind} ${state}`)).toEqual([
      'late accepted',
      'late open',
      'late open',
    ]);
  });

  test('a refunded part pays for nothing', async () => {
    const { id, cases } = await odd('failed', { cents: 500 }, { cents: 750, time: EXPIRES + 30 });
    await refundException(context, { caseId: cases[0] as string, by });
    await acceptException(context, { caseId: cases[1] as string, by });
    expect(await world.read(id)).toMatchObject({ status: 'failed', amountReceived: 750n });
    expect(await world.ledgerOf(id)).toEqual({ received: 1250, refund: -500, unresolved: -750 });
    expect(await world.eventsOf(id)).toEqual([]);
  });
});

describe('a payment below one cent', () => {
  test('opens no exception, blocks no session and is never lost, in every status', async () => {
    const dust = async (id: string, over: Partial<GivenTransfer>) => {
      await world.transfer(id, { cents: 0.5, ...over });
      await world.settle(id);
    };
    const paid = await odd('pending', { cents: 1250 });
    for (const over of [{}, { time: EXPIRES + 5 }, { network: 'tron' }, { currency: 'USDC' }])
      await dust(paid.id, over);
    expect(await world.casesOf(paid.id)).toEqual([]);
    expect(await world.read(paid.id)).toMatchObject({ status: 'completed', exception: 'none', amountReceived: 1250n });
    expect(await world.ledgerOf(paid.id)).toEqual({ received: 1252, store: -1252 });
    clock.set(EXPIRES - 10);
    const waiting = await odd('pending');
    await dust(waiting.id, {});
    clock.set(EXPIRES + 3600);
    await world.settle(waiting.id);
    expect(await world.read(waiting.id)).toMatchObject({ status: 'expired', exception: 'none' });
    expect(await world.casesOf(waiting.id)).toEqual([]);
    expect(await world.ledgerOf(waiting.id)).toEqual({ received: 0.5, unresolved: -0.5 });
  });
});

describe('refunding and leaving', () => {
  test('a refund is owed to the sender, for an overpayment only the surplus', async () => {
    const late = await odd('expired', { cents: 300 });
    const over = await odd('pending', { cents: 1300 });
    for (const { caseId } of [late, over]) await refundException(context, { caseId, by });
    expect(await world.ledgerOf(late.id)).toEqual({ received: 300, refund: -300 });
    expect(await world.ledgerOf(over.id)).toEqual({ received: 1300, refund: -50, store: -1250 });
    expect(await world.read(over.id)).toMatchObject({ status: 'completed', exception: 'none' });
  });

  test('leaving an exception moves no money and allows a later decision', async () => {
    const { id, caseId } = await odd('expired', { cents: 1250 });
    expect(await leaveException(context, { caseId, by })).toMatchObject({
      state: 'left',
      actions: ['accept', 'refund'],
    });
    expect(await world.ledgerOf(id)).toEqual({ received: 1250, unresolved: -1250 });
    expect(await acceptException(context, { caseId, by: operator })).toMatchObject({
      state: 'accepted',
      decidedBy: `operator:${operator.userId}`,
    });
  });
});

describe('authorization and repeated decisions', () => {
  test('a merchant gets not found for an exception of another store or an unknown id', async () => {
    const { caseId } = await odd('expired', { cents: 1250 });
    const other = await merchant();
    const asOwner: PersonActor = { kind: 'merchant', userId: other.userId, storeId };
    const asOperator: PersonActor = { kind: 'operator', userId: by.userId };
    for (const decide of [acceptException, keepException, refundException, leaveException, readException]) {
      for (const user of [other, asOwner, asOperator]) {
        await expect(decide(context, { caseId, by: user })).rejects.toMatchObject({ code: 'CASE_NOT_FOUND' });
      }
      for (const none of ['0', '999999', '-1', 'x', '1e3', '9'.repeat(30)]) {
        await expect(decide(context, { caseId: none, by })).rejects.toMatchObject({ code: 'CASE_NOT_FOUND' });
      }
    }
    expect(await listExceptions(context, { by: other })).toEqual([]);
    expect(await readException(context, { caseId, by: operator })).toMatchObject({ id: caseId });
  });

  test('repeating a decision changes nothing; a different decision is rejected with the first one', async () => {
    const { id, caseId } = await odd('expired', { cents: 1250 });
    await acceptException(context, { caseId, by, note: 'first' });
    clock.advance(5000);
    expect(await acceptException(context, { caseId, by: operator, note: 'second' })).toMatchObject({ note: 'first' });
    for (const decide of [refundException, leaveException]) {
      const refused = decide(context, { caseId, by });
      await expect(refused).rejects.toMatchObject({ code: 'CASE_ALREADY_DECIDED', message: /accepted/ });
    }
    expect(await world.eventsOf(id)).toEqual(['payment.completed']);
  });

  test('rejects a note above the limit without changing anything', async () => {
    const { caseId } = await odd('expired', { cents: 1250 });
    const long = leaveException(context, { caseId, by, note: 'x'.repeat(501) });
    await expect(long).rejects.toMatchObject({ code: 'INVALID_PARAMETER', param: 'note' });
    expect(await readException(context, { caseId, by })).toMatchObject({ state: 'open' });
  });

  test('of two concurrent different decisions, one wins and the other gets an error', async () => {
    for (let round = 0; round < 8; round++) {
      const { id, caseId } = await odd('expired', { cents: 1250 });
      const outcomes = await Promise.allSettled([
        acceptException(context, { caseId, by }),
        refundException(context, { caseId, by: operator }),
        acceptException(context, { caseId, by }),
        world.settle(id),
      ]);
      const { state } = await readException(context, { caseId, by });
      const refused = outcomes.filter((one) => one.status === 'rejected').map(({ reason }) => reason.code as string);
      expect(refused).toEqual(Array(state === 'accepted' ? 1 : 2).fill('CASE_ALREADY_DECIDED'));
      expect(await world.ledgerOf(id)).toEqual({ received: 1250, [state === 'accepted' ? 'store' : 'refund']: -1250 });
      expect(await world.eventsOf(id)).toEqual(state === 'accepted' ? ['payment.completed'] : []);
    }
  });
});

test('lists exceptions newest first, in pages, by state, with their possible actions', async () => {
  const { id } = await odd('expired', { cents: 100 }, { cents: 200 }, { cents: 300 });
  const first = await listExceptions(context, { by, environment: 'test', limit: 2 });
  expect(first.map(({ amount, actions }) => [amount, actions])).toEqual([
    [3_000_000n, ['accept', 'refund', 'leave']],
    [2_000_000n, ['accept', 'refund', 'leave']],
  ]);
  const rest = await listExceptions(context, { by, before: first[1]!.id });
  expect(rest).toMatchObject([
    {
      amount: 1_000_000n,
      sessionId: id,
      kind: 'late',
      payer: '0x1111111111111111111111111111111111111111',
      decimals: 6,
    },
  ]);
  await leaveException(context, { caseId: rest[0]!.id, by });
  expect(await listExceptions(context, { by, state: 'open' })).toHaveLength(2);
  expect(await listExceptions(context, { by, state: 'left', sessionId: id })).toHaveLength(1);
  expect(await listExceptions(context, { by, environment: 'live' })).toEqual([]);
});

test('the database rejects changes to the facts of an exception and to a decision that moved money', async () => {
  const { caseId } = await odd('expired', { cents: 1250 });
  const change = (text: string) => db.pool.query(`UPDATE payment_exceptions SET ${text} WHERE id = $1`, [caseId]);
  await expect(change(`amount = 1`)).rejects.toThrow(/stays so/);
  await expect(change(`state = 'left'`)).rejects.toThrow(/payment_exceptions_decided/);
  await expect(db.pool.query('DELETE FROM payment_exceptions WHERE id = $1', [caseId])).rejects.toThrow(/append-only/);
  await acceptException(context, { caseId, by });
  await expect(change(`state = 'refund'`)).rejects.toThrow(/stays so/);
});
