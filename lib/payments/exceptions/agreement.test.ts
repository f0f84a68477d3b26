// Every response of the service about a payment agrees with the ledger, after each step of a history of payments and decisions.

import { createHash } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Context } from '@/lib/platform/context';
import { openTestClock } from '@/testing/chain-clock';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { makeChain, makeStore, testConfig, testContext } from '@/testing/fixtures';
import { asMoney, recompute, reportedPayment } from '@/testing/payments/recomputed-payment';
import { EXPIRES, openSettledSessions, type GivenTransfer } from '@/testing/payments/settled-session';
import type { SessionStatus } from '@/prisma/generated/enums';
import { acceptException, keepException, leaveException, refundException } from './decide';
import type { ExceptionActor } from './read';

const START = EXPIRES - 600;
const clock = openTestClock(START);
let db: TestDatabase;
let context: Context;
let by: ExceptionActor;
let storeId: string;
let world: ReturnType<typeof openSettledSessions>;

beforeAll(async () => {
  db = await openTestDatabase();
  const chains = { ethereum: await makeChain(db, 'ethereum', START), bsc: await makeChain(db, 'bsc', START) };
  world = openSettledSessions(db, clock, { ...chains, tron: await makeChain(db, 'tron', START) });
  context = testContext(db, clock, testConfig());
  ({ storeId } = await makeStore(db, context.config));
  const { ownerId } = await db.prisma.store.findUniqueOrThrow({ where: { id: storeId } });
  by = { kind: 'merchant', userId: ownerId, storeId };
});
afterAll(() => db.close());

const DECISIONS = { accept: acceptException, keep: keepException, refund: refundException, leave: leaveException };
/** A payment, or a decision about the exception of the payment with this number in the history. */
type Step = GivenTransfer | readonly [keyof typeof DECISIONS, number];

const PAST_END = EXPIRES + 60;
const HISTORIES: readonly [string, SessionStatus, readonly Step[]][] = [
  ['the price', 'pending', [{ cents: 1250 }]],
  ['the price in two parts on two networks', 'pending', [{ cents: 500 }, { cents: 750, network: 'bsc' }]],
  [
    'the price in two tokens, of which one was accepted',
    'pending',
    [{ cents: 750 }, { cents: 500, currency: 'USDC' }, ['accept', 1]],
  ],
  [
    'two tokens that reach the price by fractions of a cent',
    'pending',
    [{ cents: 750.4 }, { cents: 499.6, currency: 'USDC' }, ['accept', 1]],
  ],
  ['a refunded surplus', 'pending', [{ cents: 1750 }, ['refund', 0]]],
  ['a surplus that is kept', 'pending', [{ cents: 1750 }, ['leave', 0], ['keep', 0]]],
  ['a second payment that is refunded completely', 'pending', [{ cents: 1250 }, { cents: 1250 }, ['refund', 1]]],
  [
    'a part that is refunded before a late payment is accepted',
    'failed',
    [{ cents: 500 }, ['refund', 0], { cents: 1250, time: PAST_END }, ['accept', 2]],
  ],
  [
    'a late payment with its price accepted and the rest refunded',
    'expired',
    [{ cents: 2000, time: PAST_END }, ['accept', 0], ['refund', 0]],
  ],
  ['a refunded late payment', 'expired', [{ cents: 1250, time: PAST_END }, ['refund', 0]]],
  [
    'a wrong token beside the price, left and then sent back',
    'pending',
    [{ cents: 300, currency: 'USDC' }, { cents: 1250 }, ['leave', 0], ['refund', 0]],
  ],
  ['a refunded part', 'failed', [{ cents: 500 }, ['refund', 0]]],
];

test.each(HISTORIES)('status, event, receipt and finder agree with the ledger: %s', async (name, status, steps) => {
  const id = await world.make(storeId, status);
  const transfers: (string | null)[] = [];
  let wasCompleted = false;
  for (const [n, step] of steps.entries()) {
    const hash = `0x${createHash('sha256').update(`${name} ${n}`).digest('hex')}`;
    if ('cents' in step) {
      transfers.push(await world.transfer(id, { ...step, hash }));
      await world.settle(id);
    } else {
      transfers.push(null);
      const found = (await world.casesOf(id)).find((one) => String(one.transferId) === transfers[step[1]]);
      await DECISIONS[step[0]](context, { caseId: String(found?.id), by });
    }
    wasCompleted = await expectAgreement(id, wasCompleted);
  }
  expect(wasCompleted).toBe((await world.read(id)).status === 'completed');
});

/** Compares every response with the ledger. Returns whether the session is completed now. */
async function expectAgreement(id: string, wasCompleted: boolean): Promise<boolean> {
  const [real, answers] = [await recompute(context, id), await reportedPayment(context, id)];
  const { status, receipt } = answers;
  expect(status.amount_received).toBe(`${real.received / 100n}.${String(real.received % 100n).padStart(2, '0')}`);
  if (status.status !== 'PENDING') expect(status.exception !== 'none').toBe(real.isOpen);
  expect(answers.verdictsOf('counted').filter((hash) => real.returned.includes(hash))).toEqual([]);
  if (status.status !== 'COMPLETED') return false;
  if (!wasCompleted) expect(answers.completedWith).toBe(real.received);
  expect(answers.verdictsOf('counted')).toEqual(real.paidBy);
  expect(receipt?.transactions.map(({ hash }) => hash).toSorted()).toEqual(real.paidBy);
  const paid = Object.fromEntries((receipt?.paid ?? []).map(({ currency, amount }) => [currency, amount]));
  expect(Object.keys(paid).toSorted()).toEqual(Object.keys(asMoney(real.byToken)).toSorted());
  const total = Object.values(paid).reduce((sum, amount) => sum + BigInt(amount.replace('.', '')), 0n);
  expect(total).toBe(real.received);
  for (const [currency, cents] of Object.entries(real.byToken)) {
    const said = BigInt((paid[currency] ?? '').replace('.', ''));
    // A cent lost by rounding goes to one of the tokens.
    expect([cents, cents + 1n]).toContain(said);
  }
  return true;
}
