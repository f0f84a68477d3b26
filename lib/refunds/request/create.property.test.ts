// In any order of creating, repeating, canceling, failing and paying: the counts match the live refunds, the reserve matches the ledger,
// and no account is overdrawn.

import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { networkSpec } from '@/lib/networks/networks';
import type { Context } from '@/lib/platform/context';
import { transaction } from '@/lib/platform/database/db';
import { ServiceError } from '@/lib/platform/errors/errors';
import { newReceiptNumber } from '@/lib/platform/ids';
import { postConversion, postPaidRefund, readReservation } from '@/lib/ledger/post-refund';
import { shortfallOf } from '@/lib/ledger/postings';
import { centsToBaseUnits } from '@/lib/money/amounts';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { TestClock, testContext } from '@/testing/fixtures';
import { makePaidSession } from '@/testing/payments/paid-session';
import { makeMerchant, refundRequest } from '@/testing/refunds/refund-caller';
import { cancelRefund } from './cancel';
import { createRefund } from './create';
import { releaseAmounts } from './release-amounts';
import { moveRefund } from '@/lib/refunds/states';

const RUNS = 40;
const clock = new TestClock();
let db: TestDatabase;
let context: Context;

beforeAll(async () => {
  db = await openTestDatabase();
  context = testContext(db, clock);
});
afterAll(() => db.close());

type Merchant = Awaited<ReturnType<typeof makeMerchant>>;
type Scene = Merchant & { readonly sessions: readonly string[] };

/** Three sessions on two networks of different decimals; the store has less than their prices in total. */
async function openScene(): Promise<Scene> {
  const merchant = await makeMerchant(db, context);
  await db.pool.query('UPDATE stores SET refund_day_limit = 700 WHERE id = $1', [merchant.storeId]);
  const given = { storeId: merchant.storeId, closedAt: clock.now(), cents: 400 };
  const sessions = await Promise.all([
    makePaidSession(db, { ...given }),
    makePaidSession(db, { ...given, network: 'bsc', currency: 'USDC' }),
    makePaidSession(db, { ...given, network: 'bsc', received: 40 }),
  ]);
  return { ...merchant, sessions };
}

const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('create' as const),
      session: fc.nat(2),
      amount: fc.integer({ min: 1, max: 450 }),
      currency: fc.constantFrom('USDT', 'USDC'),
      name: fc.nat(9),
    }),
  },
  { weight: 4, arbitrary: fc.record({ kind: fc.constantFrom('cancel', 'fail', 'pay'), name: fc.nat(9) }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('wait' as const), seconds: fc.integer({ min: 1, max: 90_000 }) }),
  },
);
type Step = typeof step extends fc.Arbitrary<infer One> ? One : never;

async function play(scene: Scene, one: Step): Promise<void> {
  if ('seconds' in one) return clock.advance(one.seconds);
  const refund_id = `refund-${one.name}`;
  if ('amount' in one) {
    const { session, amount, currency } = one;
    const session_id = scene.sessions[session] as string;
    await createRefund(context, scene.caller(), refundRequest({ session_id, refund_id, amount, currency }));
    return;
  }
  if (one.kind === 'cancel') {
    await cancelRefund(context, scene.caller(), refund_id);
    return;
  }
  await end(scene, refund_id, one.kind === 'pay');
}

/** As the pipeline ends a refund. */
async function end({ storeId }: Scene, refundId: string, isPaid: boolean): Promise<void> {
  const refund = await db.prisma.refund.findFirst({ where: { storeId, refundId } });
  if (!refund) return;
  const at = clock.now();
  await transaction(db.pool, async (tx) => {
    await moveRefund(tx, refund.id, 'begin', { at, signAfter: at });
    const completedBy = { transactionHash: '0xhash', receiptNumber: newReceiptNumber() };
    const how = isPaid ? { completedBy } : { failureReason: 'it was refused' };
    if (!(await moveRefund(tx, refund.id, isPaid ? 'complete' : 'fail', { at, ...how }))) return;
    if (!isPaid) return releaseAmounts(tx, refund);
    const { network, currency, environment, sessionId } = refund;
    const decimals = networkSpec('test', network, 'local')?.tokens[currency]?.decimals as number;
    const paid = { network, currency, amount: centsToBaseUnits(refund.amount, decimals) };
    const of = { intentId: refund.id, storeId, environment, sessionId, paid };
    const { amounts } = await readReservation(tx, of);
    if (shortfallOf(paid, amounts) !== 0n) await postConversion(tx, of, amounts);
    await postPaidRefund(tx, of);
  });
}

async function check({ storeId, sessions }: Scene): Promise<void> {
  const refunds = await db.prisma.refund.findMany({ where: { storeId } });
  const live = refunds.filter(({ status }) => status !== 'failed' && status !== 'canceled');
  const sum = (of: typeof refunds): bigint => of.reduce((total, { amount }) => total + amount, 0n);
  for (const session of await db.prisma.session.findMany({ where: { id: { in: [...sessions] } } })) {
    expect(session.amountRefunded).toBe(sum(live.filter(({ sessionId }) => sessionId === session.id)));
    expect(session.amountRefunded <= session.amountDue).toBe(true);
  }
  for (const { day, amount } of await db.prisma.refundDay.findMany({ where: { storeId } })) {
    expect(amount).toBe(sum(live.filter((one) => one.day.getTime() === day.getTime())));
    expect(amount <= 700n).toBe(true);
  }
  const { rows } = await db.pool.query(
    `SELECT b.account, b.amount = coalesce(p.amount, 0) AS right, b.amount > 0 AS overdrawn FROM ledger_balances b LEFT JOIN
       (SELECT e.environment, p.account, p.network, p.currency, sum(p.amount) AS amount FROM ledger_postings p
        JOIN ledger_entries e ON e.id = p.entry_id GROUP BY 1, 2, 3, 4) p USING (environment, account, network, currency)
     WHERE b.account IN ($1, $2)`,
    [`store:${storeId}`, `refund:${storeId}`],
  );
  for (const row of rows) expect(row).toMatchObject({ right: true, overdrawn: false });
  const { rows: sums } = await db.pool.query(
    'SELECT network, currency, sum(amount) AS amount FROM ledger_balances GROUP BY 1, 2 HAVING sum(amount) <> 0',
  );
  expect(sums).toEqual([]);
}

test('after any sequence the sums are right, the limits hold and the ledger balances', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 25 }), async (steps) => {
      const scene = await openScene();
      for (const one of steps) {
        await play(scene, one).catch((error: unknown) => {
          if (!(error instanceof ServiceError)) throw error;
        });
      }
      await check(scene);
    }),
    { numRuns: RUNS },
  );
}, 120_000);
