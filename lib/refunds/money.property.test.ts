// Random histories of a store's money: payments in parts, late, dust, in any token and network, decisions about them, refunds in either
// token that are canceled, converted and paid, and sessions that end. In every history the database refuses no entry, the ledger balances,
// and every base unit that arrived is accounted for.

import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { acceptException, keepException, leaveException, refundException } from '@/lib/payments/exceptions/decide';
import { listExceptions, type ExceptionActor } from '@/lib/payments/exceptions/read';
import type { Context } from '@/lib/platform/context';
import { transaction } from '@/lib/platform/database/db';
import { postConversion, postFunding, postPaidRefund, readReservation } from '@/lib/ledger/post-refund';
import { shortfallOf } from '@/lib/ledger/postings';
import { centsToBaseUnits } from '@/lib/money/amounts';
import { findViolations } from '@/lib/ledger/invariants/check';
import { openTestClock } from '@/testing/chain-clock';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { makeChain, makeStore, testConfig, testContext } from '@/testing/fixtures';
import { EXPIRES, openSettledSessions } from '@/testing/payments/settled-session';
import { refundRequest } from '@/testing/refunds/refund-caller';
import { cancelRefundByStore, createRefundByStore } from './request/by-store';
import { decimalsIn } from './request/tokens';
import { moveRefund } from './states';

const START = EXPIRES - 600;
const clock = openTestClock(START);
const config = testConfig();
const decimalsOf = decimalsIn(config, 'test');
let db: TestDatabase;
let context: Context;
let world: ReturnType<typeof openSettledSessions>;
beforeAll(async () => {
  db = await openTestDatabase();
  context = testContext(db, clock, config);
  const [ethereum, bsc] = [await makeChain(db, 'ethereum', START), await makeChain(db, 'bsc', START)];
  world = openSettledSessions(db, clock, { ethereum, bsc, tron: await makeChain(db, 'tron', START) });
});
afterAll(() => db.close());

const which = fc.nat(1);
const pick = fc.nat(20);
const currency = fc.constantFrom('USDT', 'USDC');
const command = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('pay' as const),
      which,
      cents: fc.constantFrom(0.5, 1, 400, 625.25, 624.75, 850, 1250, 2500),
      network: fc.constantFrom('ethereum', 'ethereum', 'bsc', 'bsc', 'tron'),
      currency: fc.constantFrom('USDT', 'USDT', 'USDT', 'USDC'),
      time: fc.constantFrom(START + 100, START + 200, START + 300, EXPIRES + 5),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom('accept' as const, 'keep' as const), pick }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('send back' as const, 'leave' as const), pick }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('refund' as const),
      which,
      currency,
      cents: fc.constantFrom(1, 300, 625, 1250),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom('cancel' as const, 'pay out' as const), pick }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('expire' as const) }) },
);
type Command = typeof command extends fc.Arbitrary<infer T> ? T : never;

/** A store with two sessions, and what happens to it. */
async function openStore() {
  clock.set(START + 400);
  const { storeId } = await makeStore(db, config);
  const { ownerId } = await db.prisma.store.findUniqueOrThrow({ where: { id: storeId } });
  const by: ExceptionActor = { kind: 'merchant', userId: ownerId, storeId };
  const side = { storeId, environment: 'test' as const, record: async () => {} };
  const sessions = [await world.make(storeId), await world.make(storeId)] as const;
  const decide = { accept: acceptException, keep: keepException, 'send back': refundException, leave: leaveException };
  const openRefunds = () =>
    db.prisma.refund.findMany({ where: { storeId, status: 'pending' }, orderBy: { refundId: 'asc' } });
  let made = 0;

  async function payOut(at: number): Promise<void> {
    const refunds = await openRefunds();
    const refund = refunds[at % Math.max(1, refunds.length)];
    if (!refund) return;
    const asset = { network: refund.network, currency: refund.currency };
    const paid = { ...asset, amount: centsToBaseUnits(refund.amount, decimalsOf(asset)) };
    const of = { intentId: refund.id, storeId, environment: 'test' as const, sessionId: refund.sessionId, paid };
    await transaction(db.pool, async (tx) => {
      const { amounts } = await readReservation(tx, of);
      await postFunding(tx, 'test', paid);
      if (shortfallOf(paid, amounts) !== 0n) expect(await postConversion(tx, of, amounts)).toBeGreaterThanOrEqual(0n);
      await postPaidRefund(tx, of);
      const now = clock.now();
      const completedBy = { transactionHash: refund.id, receiptNumber: refund.id };
      expect(await moveRefund(tx, refund.id, 'begin', { at: now, signAfter: now })).toBe(true);
      expect(await moveRefund(tx, refund.id, 'complete', { at: now, completedBy })).toBe(true);
    });
  }

  async function run(one: Command): Promise<unknown> {
    switch (one.kind) {
      case 'pay': {
        const id = sessions[one.which] as string;
        await world.transfer(id, one);
        return world.settle(id);
      }
      case 'refund': {
        const request = { session_id: sessions[one.which] as string, currency: one.currency, amount: one.cents };
        return createRefundByStore(context, side, refundRequest({ ...request, refund_id: `r${made++}` }));
      }
      case 'cancel': {
        const refunds = await openRefunds();
        const refund = refunds[one.pick % Math.max(1, refunds.length)];
        return refund && cancelRefundByStore(context, side, refund.refundId);
      }
      case 'pay out':
        return payOut(one.pick);
      case 'expire':
        clock.set(EXPIRES + 4000);
        for (const id of sessions) await world.settle(id);
        return;
      default: {
        const cases = await listExceptions(context, { by });
        const found = cases[one.pick % Math.max(1, cases.length)];
        return found && decide[one.kind](context, { caseId: found.id, by });
      }
    }
  }
  return { storeId, sessions, by, run };
}

/** The errors that the service may return; any other, such as a violated CHECK, is a bug. */
const isRefusal = (error: unknown): boolean => {
  const { code } = error as { code?: string };
  return code !== undefined && /^[A-Z]+(_[A-Z]+)+$/.test(code);
};

test('no history of payments, decisions and refunds overdraws an account, unbalances the ledger, or loses a base unit', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(command, { minLength: 4, maxLength: 16 }), async (commands) => {
      const store = await openStore();
      for (const one of commands) {
        await store.run(one).catch((error: unknown) => {
          if (!isRefusal(error)) throw error;
        });
      }
      const violations = await transaction(db.pool, (tx) => findViolations(tx));
      // These transfers have no addresses, and these refunds no transactions and events.
      const money = violations.filter(({ id, count }) => count > 0 && /^INV-(1c|2|3|15)/.test(id));
      expect(money.map(({ id, violations: found }) => [id, ...found])).toEqual([]);
      // Every refund that was accepted has its money, in whatever token and network it is to be paid.
      const { rows } = await db.pool.query<{ id: string; short: string }>(
        `SELECT r.id, s.amount_due - s.amount_refunded AS short FROM refunds r JOIN sessions s ON s.id = r.session_id
         WHERE r.store_id = $1 AND s.amount_refunded > s.amount_due`,
        [store.storeId],
      );
      expect(rows).toEqual([]);
      // Every exception of a closed session can be decided until its money was paid out.
      for (const { state, sessionStatus, actions } of await listExceptions(context, { by: store.by }))
        if (state !== 'refund' && state !== 'kept' && !(state === 'accepted' && sessionStatus === 'completed'))
          expect(actions.length).toBeGreaterThan(0);
    }),
    { numRuns: 40 },
  );
}, 300_000);

test('everything that a session was paid can be refunded in the tokens that it was paid in, in any number of refunds', async () => {
  const store = await openStore();
  const [id] = store.sessions;
  await world.transfer(id, { cents: 625.25, network: 'ethereum', time: START + 100 });
  await world.transfer(id, { cents: 624.75, network: 'bsc', time: START + 200 });
  await world.settle(id);
  expect(await world.read(id)).toMatchObject({ status: 'completed', completedNetwork: 'bsc' });
  await store.run({ kind: 'refund', which: 0, currency: 'USDT', cents: 625 });
  await store.run({ kind: 'refund', which: 0, currency: 'USDT', cents: 300 });
  await store.run({ kind: 'refund', which: 0, currency: 'USDT', cents: 300 });
  await store.run({ kind: 'refund', which: 0, currency: 'USDT', cents: 1 });
  const made = await db.prisma.refund.findMany({ where: { sessionId: id }, orderBy: { refundId: 'asc' } });
  expect(made.map(({ network, amount }) => [network, amount])).toEqual([
    ['ethereum', 625n],
    ['bsc', 300n],
    ['bsc', 300n],
    ['bsc', 1n],
  ]);
});
