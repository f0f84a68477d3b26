// The outcome depends only on the facts, not on the order of transfers, decisions and settlings.

import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Context } from '@/lib/platform/context';
import { openTestClock } from '@/testing/chain-clock';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { makeChain, makeStore, testConfig, testContext } from '@/testing/fixtures';
import { EXPIRES, openSettledSessions, PRICE, type GivenTransfer } from '@/testing/payments/settled-session';
import type { SessionStatus } from '@/prisma/generated/enums';
import { acceptException, refundException } from './decide';

const START = EXPIRES - 600;
const clock = openTestClock(EXPIRES - 10);
let db: TestDatabase;
let context: Context;
let storeId: string;
let userId: string;
let world: ReturnType<typeof openSettledSessions>;

beforeAll(async () => {
  db = await openTestDatabase();
  const config = testConfig();
  context = testContext(db, clock, config);
  ({ storeId } = await makeStore(db, config));
  userId = (await db.prisma.store.findUniqueOrThrow({ where: { id: storeId } })).ownerId;
  const chains = { ethereum: await makeChain(db, 'ethereum', START), bsc: await makeChain(db, 'bsc', START) };
  world = openSettledSessions(db, clock, { ...chains, tron: await makeChain(db, 'tron', START) });
});
afterAll(() => db.close());

type Given = GivenTransfer & { cents: number; decision: 'accept' | 'refund' | null };
type Step = { at: number; do: 'transfer' | 'decide' | 'settle'; of: number };

const given: fc.Arbitrary<Given> = fc.record({
  cents: fc.integer({ min: 1, max: 1500 }),
  network: fc.constantFrom('ethereum', 'bsc', 'tron'),
  currency: fc.constantFrom('USDT', 'USDC'),
  time: fc.constantFrom(EXPIRES - 300, EXPIRES - 299, EXPIRES + 1),
  decision: fc.constantFrom('accept' as const, 'accept' as const, 'refund' as const, null),
});

/** The outcome of a session for this order of steps; remaining steps run at the end. */
async function run(status: SessionStatus, transfers: readonly Given[], order: readonly number[]) {
  const id = await world.make(storeId, status);
  const ids: (string | null)[] = transfers.map(() => null);
  const decide = async (of: number): Promise<void> => {
    const decision = transfers[of]?.decision;
    const found = (await world.casesOf(id)).find(({ transferId }) => String(transferId) === ids[of]);
    if (!decision || !found || found.kind === 'over' || found.state !== 'open') return;
    const action = decision;
    const act = action === 'accept' ? acceptException : refundException;
    // Once the price is paid, accepting is rejected; the payment stays open.
    await act(context, { caseId: String(found.id), by: { kind: 'merchant', userId, storeId } }).catch((error) => {
      if (action !== 'accept' || error.code !== 'CASE_ALREADY_DECIDED') throw error;
    });
  };
  const steps = transfers
    .flatMap((_, of): Step[] =>
      (['transfer', 'settle', 'decide'] as const).map((what, n) => ({ at: order[of * 3 + n] ?? 0, do: what, of })),
    )
    .toSorted((a, b) => a.at - b.at);
  for (const { do: what, of } of steps) {
    if (what === 'transfer') ids[of] = await world.transfer(id, transfers[of] as Given);
    if (what === 'settle') await world.settle(id);
    if (what === 'decide' && ids[of] !== null) await decide(of);
  }
  await world.settle(id);
  for (const of of transfers.keys()) await decide(of);
  await world.settle(id);

  const session = await world.read(id);
  const cases = await world.casesOf(id);
  const cents = (kind: string) =>
    cases
      .filter((one) => one.kind === kind)
      .reduce((sum, one) => sum + transfers[ids.indexOf(String(one.transferId))]!.cents, 0);
  const open = await db.pool.query(
    `SELECT coalesce(sum((c.amount - c.counted) / power(10::numeric, t.decimals - 2)), 0)::float8 AS cents
       FROM payment_exceptions c JOIN transfers t ON t.id = c.transfer_id
       WHERE c.session_id = $1 AND c.state IN ('open', 'left', 'accepted')`,
    [id],
  );
  return {
    status: session.status,
    events: await world.eventsOf(id),
    ledger: await world.ledgerOf(id),
    late: cents('late'),
    wrong: cents('wrong_token') + cents('wrong_network'),
    open: open.rows[0].cents as number,
  };
}

const keptParts = (one: Given): Given => (one.decision === 'refund' ? { ...one, decision: null } : one);

test('any order of transfers, decisions and settlings leads to the same ledger: the store has the price or nothing', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom('pending' as const, 'expired' as const, 'canceled' as const, 'failed' as const),
      fc.array(given, { minLength: 1, maxLength: 4 }),
      fc.array(fc.nat(1000), { minLength: 12, maxLength: 12 }),
      fc.array(fc.nat(1000), { minLength: 12, maxLength: 12 }),
      async (status, drawn, one, other) => {
        // Refunding a part of a failed session before the rest is accepted is a different decision.
        const transfers = status === 'failed' ? drawn.map(keptParts) : drawn;
        const { open: _first, ...first } = await run(status, transfers, one);
        const { open, ...second } = await run(status, transfers, other);
        expect(second).toEqual(first);
        expect(Object.values(second.ledger).reduce((sum, cents) => sum + cents, 0)).toBeCloseTo(0, 6);
        expect(second.ledger.received).toBe(transfers.reduce((sum, { cents }) => sum + cents, 0));
        // The store has exactly the price, or nothing. All other money that is not refunded has an open exception.
        expect(second.ledger.store ?? 0).toBe(second.status === 'completed' ? -PRICE : 0);
        if (second.status !== 'pending') expect(open).toBeCloseTo(-(second.ledger.unresolved ?? 0), 6);
      },
    ),
    { numRuns: 25 },
  );
}, 120_000);
