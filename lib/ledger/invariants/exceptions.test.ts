import { afterAll, beforeAll, expect, it } from 'vitest';
import { acceptException, leaveException, refundException } from '@/lib/payments/exceptions/decide';
import type { ExceptionActor } from '@/lib/payments/exceptions/read';
import type { Context } from '@/lib/platform/context';
import { openTestClock } from '@/testing/chain-clock';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { makeChain, makeStore, testConfig, testContext } from '@/testing/fixtures';
import { EXPIRES, openSettledSessions, type GivenTransfer } from '@/testing/payments/settled-session';
import { checkBooks } from './check';

const BEFORE = EXPIRES - 60;
const AFTER = EXPIRES + 60;
const clock = openTestClock(BEFORE);
let db: TestDatabase;
let context: Context;
let storeId: string;
let by: ExceptionActor;
let world: ReturnType<typeof openSettledSessions>;

beforeAll(async () => {
  db = await openTestDatabase();
  context = testContext(db, clock, testConfig());
  ({ storeId } = await makeStore(db, context.config));
  const { ownerId } = await db.prisma.store.findUniqueOrThrow({ where: { id: storeId } });
  by = { kind: 'merchant', userId: ownerId, storeId };
  const chains = { ethereum: await makeChain(db, 'ethereum', AFTER), bsc: await makeChain(db, 'bsc', AFTER) };
  world = openSettledSessions(db, clock, chains);
});
afterAll(() => db.close());

/** Consecutive transfers, the first ones before the session's expiry and the others after it. */
async function flow(inTime: GivenTransfer[], late: GivenTransfer[] = []): Promise<{ id: string; cases: string[] }> {
  clock.set(BEFORE);
  const id = await world.make(storeId);
  for (const one of inTime) {
    await world.transfer(id, one);
    await world.settle(id);
  }
  clock.set(AFTER);
  await world.settle(id);
  for (const one of late) {
    await world.transfer(id, one);
    await world.settle(id);
  }
  return { id, cases: (await world.casesOf(id)).map((one) => String(one.id)) };
}
const statusOf = async (id: string) => (await world.read(id)).status;

it('the invariants hold through payments of every kind and every decision about them', async () => {
  const whole = await flow([{ cents: 1250 }]);
  const parts = await flow([{ cents: 1000 }, { cents: 250, network: 'bsc' }]);
  const over = await flow([{ cents: 1000 }, { cents: 700, network: 'bsc' }]);
  await refundException(context, { caseId: over.cases[0]!, by });
  const unpaid = await flow([]);
  const failed = await flow([{ cents: 500 }]);
  await refundException(context, { caseId: failed.cases[0]!, by });
  const lateWhole = await flow([], [{ cents: 1250, time: AFTER }]);
  await acceptException(context, { caseId: lateWhole.cases[0]!, by });
  const lateRest = await flow([{ cents: 500 }], [{ cents: 750, time: AFTER, network: 'bsc' }]);
  for (const caseId of lateRest.cases) await acceptException(context, { caseId, by }).catch(() => null);
  const latePart = await flow([], [{ cents: 300, time: AFTER }]);
  await acceptException(context, { caseId: latePart.cases[0]!, by });
  const wrong = await flow([{ cents: 1250, currency: 'USDC' }]);
  await leaveException(context, { caseId: wrong.cases[0]!, by });

  const completed = [whole, parts, over, lateWhole, lateRest];
  expect(await Promise.all(completed.map(({ id }) => statusOf(id)))).toEqual(completed.map(() => 'completed'));
  const others = [unpaid, failed, latePart, wrong];
  expect(await Promise.all(others.map(({ id }) => statusOf(id)))).toEqual(['expired', 'failed', 'expired', 'expired']);
  // These transfers were inserted without an address of their session.
  const broken = (await checkBooks(db.pool)).filter(({ id, count }) => count > 0 && id !== 'INV-1b');
  expect(broken).toEqual([]);
});
