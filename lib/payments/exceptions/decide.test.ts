import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Context } from '@/lib/platform/context';
import { openTestClock } from '@/testing/chain-clock';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { makeChain, makeStore, testConfig, testContext } from '@/testing/fixtures';
import { EXPIRES, openSettledSessions, type GivenTransfer } from '@/testing/payments/settled-session';
import type { SessionStatus } from '@/prisma/generated/enums';
import { acceptCase, keepCase, leaveCase, refundCase } from './decide';
import { listCases, readCase, type CasePerson } from './read';

const START = EXPIRES - 600;
const config = testConfig();
const clock = openTestClock(START);
let db: TestDatabase;
let context: Context;
let storeId: string;
let by: CasePerson;
let operator: CasePerson;
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

async function merchant(): Promise<CasePerson> {
  const made = await makeStore(db, config);
  const { ownerId } = await db.prisma.store.findUniqueOrThrow({ where: { id: made.storeId } });
  return { kind: 'merchant', userId: ownerId, storeId: made.storeId };
}

/** A session of this status with settled transfers; answers the ids of the session and of its cases. */
async function odd(status: SessionStatus, ...given: GivenTransfer[]) {
  const id = await world.make(storeId, status);
  for (const one of given) {
    await world.transfer(id, one);
    await world.settle(id);
  }
  const cases = await world.casesOf(id);
  return { id, caseId: String(cases[0]?.id), cases: cases.map((one) => String(one.id)) };
}

describe('a payment that counts for nothing gets one case, however often it is settled', () => {
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

  test('the surplus of an overpayment, of the transfers that made it', async () => {
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

  test('the exact price gets none, nor does a part while there is time', async () => {
    const exact = await odd('pending', { cents: 1250 });
    clock.set(EXPIRES - 10);
    const part = await odd('pending', { cents: 500 });
    expect([exact.cases, part.cases]).toEqual([[], []]);
    expect(await world.ledgerOf(part.id)).toEqual({ received: 500, unresolved: -500 });
  });

  test('a part is in question once its session has failed', async () => {
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
      const accepted = await acceptCase(context, { caseId, by, note: 'customer called' });
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

  test('the wrong token completes a session that still waits', async () => {
    const { id, caseId } = await odd('pending', { cents: 1250, currency: 'USDC' });
    await acceptCase(context, { caseId, by });
    expect(await world.read(id)).toMatchObject({ status: 'completed', acceptedFrom: null, completedCurrency: 'USDC' });
    expect(await world.eventsOf(id)).toEqual(['payment.completed']);
  });

  test('the late rest of a failed session completes it, and its parts are payments with it', async () => {
    const { id, cases } = await odd('failed', { cents: 500 }, { cents: 750, time: EXPIRES + 30 });
    await acceptCase(context, { caseId: cases[1] as string, by });
    expect(await world.read(id)).toMatchObject({ status: 'completed', acceptedFrom: 'failed', exception: 'none' });
    expect(await world.casesOf(id)).toMatchObject([
      { kind: 'unfinished', state: 'accepted', decidedBy: 'rule:completed' },
      { kind: 'late', state: 'accepted', decidedBy: `merchant:${by.userId}` },
    ]);
    expect(await world.ledgerOf(id)).toEqual({ received: 1250, store: -1250 });
  });

  test('less than the price counts, gives the store nothing yet, and can still go back', async () => {
    const { id, caseId } = await odd('expired', { cents: 1249 });
    expect(await acceptCase(context, { caseId, by })).toMatchObject({ state: 'accepted', actions: ['refund'] });
    expect(await world.read(id)).toMatchObject({ status: 'expired', amountReceived: 1249n, exception: 'partial' });
    expect(await world.eventsOf(id)).toEqual([]);
    expect(await world.ledgerOf(id)).toEqual({ received: 1249, unresolved: -1249 });
    expect(await refundCase(context, { caseId, by })).toMatchObject({ state: 'refund' });
    expect(await world.ledgerOf(id)).toEqual({ received: 1249, refund: -1249 });
  });

  test('takes only what is missing, and leaves the rest open to be kept or sent back', async () => {
    const { id, caseId } = await odd('expired', { cents: 2000 });
    const accepted = await acceptCase(context, { caseId, by });
    expect(accepted).toMatchObject({ state: 'open', amount: 7_500_000n, actions: ['keep', 'refund', 'leave'] });
    expect(await world.read(id)).toMatchObject({ status: 'completed', exception: 'over', amountReceived: 2000n });
    expect(await world.ledgerOf(id)).toEqual({ received: 2000, store: -1250, unresolved: -750 });
    // A second press finds it accepted and takes nothing more.
    expect(await acceptCase(context, { caseId, by })).toMatchObject({ state: 'open', amount: 7_500_000n });
    expect(await refundCase(context, { caseId, by })).toMatchObject({ state: 'refund', actions: [] });
    expect(await world.ledgerOf(id)).toEqual({ received: 2000, store: -1250, refund: -750 });
    expect(await db.prisma.refund.findMany({ where: { sessionId: id } })).toMatchObject([{ amount: 750n }]);
  });

  test('takes nothing of a second payment once the price is paid: it is kept or sent back', async () => {
    const { id, caseId } = await odd('pending', { cents: 1250 }, { cents: 1250, time: EXPIRES + 5 });
    const refused = acceptCase(context, { caseId, by });
    await expect(refused).rejects.toMatchObject({ code: 'CASE_ALREADY_DECIDED', message: /paid already/ });
    expect(await keepCase(context, { caseId, by })).toMatchObject({ state: 'kept', actions: [] });
    expect(await world.ledgerOf(id)).toEqual({ received: 2500, store: -2500 });
    await expect(refundCase(context, { caseId, by })).rejects.toMatchObject({ code: 'CASE_ALREADY_DECIDED' });
    expect(await keepCase(context, { caseId, by })).toMatchObject({ state: 'kept' });
    expect(await world.eventsOf(id)).toEqual(['payment.completed']);
  });

  test('what was accepted goes into the price first, and of a part that is not needed the rest stays open', async () => {
    const { id, cases } = await odd('failed', { cents: 800 }, { cents: 900, time: EXPIRES + 30 });
    await acceptCase(context, { caseId: cases[1] as string, by });
    const [part, late] = await world.casesOf(id);
    expect(late).toMatchObject({ kind: 'late', state: 'accepted', counted: late?.amount });
    expect(part).toMatchObject({ kind: 'unfinished', state: 'open', decidedBy: null });
    expect(part?.counted.toFixed()).toBe('3500000');
    expect(await world.ledgerOf(id)).toEqual({ received: 1700, store: -1250, unresolved: -450 });
  });

  test('one payment does not make the others of an expired session come in time', async () => {
    const { id, caseId } = await odd('expired', { cents: 1250 }, { cents: 1250 });
    await acceptCase(context, { caseId, by });
    await world.transfer(id, { cents: 1250 });
    await world.settle(id);
    expect(await world.read(id)).toMatchObject({ status: 'completed', amountReceived: 1250n, exception: 'late' });
    expect((await world.casesOf(id)).map(({ kind, state }) => `${kind} ${state}`)).toEqual([
      'late accepted',
      'late open',
      'late open',
    ]);
  });

  test('a part that goes back does not pay for anything', async () => {
    const { id, cases } = await odd('failed', { cents: 500 }, { cents: 750, time: EXPIRES + 30 });
    await refundCase(context, { caseId: cases[0] as string, by });
    await acceptCase(context, { caseId: cases[1] as string, by });
    expect(await world.read(id)).toMatchObject({ status: 'failed', amountReceived: 750n });
    expect(await world.ledgerOf(id)).toEqual({ received: 1250, refund: -500, unresolved: -750 });
    expect(await world.eventsOf(id)).toEqual([]);
  });
});

describe('less than a cent', () => {
  test('opens no case and blocks nobody, whenever and however it comes, and none of it is lost', async () => {
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
  test('a refund is owed to the sender, of an overpayment the surplus alone', async () => {
    const late = await odd('expired', { cents: 300 });
    const over = await odd('pending', { cents: 1300 });
    for (const { caseId } of [late, over]) await refundCase(context, { caseId, by });
    expect(await world.ledgerOf(late.id)).toEqual({ received: 300, refund: -300 });
    expect(await world.ledgerOf(over.id)).toEqual({ received: 1300, refund: -50, store: -1250 });
    expect(await world.read(over.id)).toMatchObject({ status: 'completed', exception: 'none' });
  });

  test('what was left moves nothing and can be decided about later', async () => {
    const { id, caseId } = await odd('expired', { cents: 1250 });
    expect(await leaveCase(context, { caseId, by })).toMatchObject({ state: 'left', actions: ['accept', 'refund'] });
    expect(await world.ledgerOf(id)).toEqual({ received: 1250, unresolved: -1250 });
    expect(await acceptCase(context, { caseId, by: operator })).toMatchObject({
      state: 'accepted',
      decidedBy: `operator:${operator.userId}`,
    });
  });
});

describe('who may decide, and how often', () => {
  test('a case of another store, of a store that is not theirs, or of nobody, does not exist for a merchant', async () => {
    const { caseId } = await odd('expired', { cents: 1250 });
    const other = await merchant();
    const asOwner: CasePerson = { kind: 'merchant', userId: other.userId, storeId };
    const asOperator: CasePerson = { kind: 'operator', userId: by.userId };
    for (const decide of [acceptCase, keepCase, refundCase, leaveCase, readCase]) {
      for (const user of [other, asOwner, asOperator]) {
        await expect(decide(context, { caseId, by: user })).rejects.toMatchObject({ code: 'CASE_NOT_FOUND' });
      }
      for (const none of ['0', '999999', '-1', 'x', '1e3', '9'.repeat(30)]) {
        await expect(decide(context, { caseId: none, by })).rejects.toMatchObject({ code: 'CASE_NOT_FOUND' });
      }
    }
    expect(await listCases(context, { by: other })).toEqual([]);
    expect(await readCase(context, { caseId, by: operator })).toMatchObject({ id: caseId });
  });

  test('deciding the same again changes nothing; deciding otherwise is refused with what was decided', async () => {
    const { id, caseId } = await odd('expired', { cents: 1250 });
    await acceptCase(context, { caseId, by, note: 'first' });
    clock.advance(5000);
    expect(await acceptCase(context, { caseId, by: operator, note: 'second' })).toMatchObject({ note: 'first' });
    for (const decide of [refundCase, leaveCase]) {
      const refused = decide(context, { caseId, by });
      await expect(refused).rejects.toMatchObject({ code: 'CASE_ALREADY_DECIDED', message: /accepted/ });
    }
    expect(await world.eventsOf(id)).toEqual(['payment.completed']);
  });

  test('a note has its limit, and a refused one changes nothing', async () => {
    const { caseId } = await odd('expired', { cents: 1250 });
    const long = leaveCase(context, { caseId, by, note: 'x'.repeat(501) });
    await expect(long).rejects.toMatchObject({ code: 'INVALID_PARAMETER', param: 'note' });
    expect(await readCase(context, { caseId, by })).toMatchObject({ state: 'open' });
  });

  test('of two who decide otherwise at once, one wins and the other is told', async () => {
    for (let round = 0; round < 8; round++) {
      const { id, caseId } = await odd('expired', { cents: 1250 });
      const outcomes = await Promise.allSettled([
        acceptCase(context, { caseId, by }),
        refundCase(context, { caseId, by: operator }),
        acceptCase(context, { caseId, by }),
        world.settle(id),
      ]);
      const { state } = await readCase(context, { caseId, by });
      const refused = outcomes.filter((one) => one.status === 'rejected').map(({ reason }) => reason.code as string);
      expect(refused).toEqual(Array(state === 'accepted' ? 1 : 2).fill('CASE_ALREADY_DECIDED'));
      expect(await world.ledgerOf(id)).toEqual({ received: 1250, [state === 'accepted' ? 'store' : 'refund']: -1250 });
      expect(await world.eventsOf(id)).toEqual(state === 'accepted' ? ['payment.completed'] : []);
    }
  });
});

test('the list shows the newest first, in pages, by state, with what can be done', async () => {
  const { id } = await odd('expired', { cents: 100 }, { cents: 200 }, { cents: 300 });
  const first = await listCases(context, { by, environment: 'test', limit: 2 });
  expect(first.map(({ amount, actions }) => [amount, actions])).toEqual([
    [3_000_000n, ['accept', 'refund', 'leave']],
    [2_000_000n, ['accept', 'refund', 'leave']],
  ]);
  const rest = await listCases(context, { by, before: first[1]!.id });
  expect(rest).toMatchObject([
    {
      amount: 1_000_000n,
      sessionId: id,
      kind: 'late',
      payer: '0x1111111111111111111111111111111111111111',
      decimals: 6,
    },
  ]);
  await leaveCase(context, { caseId: rest[0]!.id, by });
  expect(await listCases(context, { by, state: 'open' })).toHaveLength(2);
  expect(await listCases(context, { by, state: 'left', sessionId: id })).toHaveLength(1);
  expect(await listCases(context, { by, environment: 'live' })).toEqual([]);
});

test('the database itself keeps what a case is about, and a decision that moved money', async () => {
  const { caseId } = await odd('expired', { cents: 1250 });
  const change = (text: string) => db.pool.query(`UPDATE payment_cases SET ${text} WHERE id = $1`, [caseId]);
  await expect(change(`amount = 1`)).rejects.toThrow(/stays so/);
  await expect(change(`state = 'left'`)).rejects.toThrow(/payment_cases_decided/);
  await expect(db.pool.query('DELETE FROM payment_cases WHERE id = $1', [caseId])).rejects.toThrow(/append-only/);
  await acceptCase(context, { caseId, by });
  await expect(change(`state = 'refund'`)).rejects.toThrow(/stays so/);
});
