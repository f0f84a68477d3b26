import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { transaction } from '@/lib/platform/database/db';
import { newStoreId } from '@/lib/platform/ids';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { makeStore, TestClock, testConfig, testContext } from '@/testing/fixtures';
import { postAt, wholeStatement } from '@/testing/ledger/statement-scene';
import { silentLog } from '@/testing/chain-clock';
import { closeMonths } from './close';
import { accountsOf, Balances, isNotZero, partAmounts, PARTS, type PartAmount, type StatementScope } from './parts';
import { monthPeriod, type Period } from './period';
import { readStatement } from './statement';

let db: TestDatabase;
beforeAll(async () => void (db = await openTestDatabase(20)));
afterAll(() => db.close());

const scope = (): StatementScope => ({ storeId: newStoreId(), environment: 'test' });
const month = (text: string): Period => monthPeriod(text) as Period;
const amount = (part: PartAmount['part'], units: bigint, network = 'bsc', currency = 'USDT'): PartAmount => ({
  network,
  currency,
  part,
  amount: units,
});
/** The sums of the ledger's postings before a time, by another query than a statement's. */
async function ledgerAt({ storeId, environment }: StatementScope, at: Date): Promise<PartAmount[]> {
  const { rows } = await db.pool.query<{ account: string; network: string; currency: string; amount: string }>(
    `SELECT account, network, currency, sum(amount)::text AS amount FROM ledger_postings p JOIN ledger_entries e ON e.id = p.entry_id
     WHERE e.environment = $1::"Environment" AND e.created_at < $2 AND account = ANY ($3) GROUP BY 1, 2, 3 HAVING sum(amount) <> 0`,
    [environment, at, Object.keys(accountsOf(storeId))],
  );
  return partAmounts(rows, accountsOf(storeId));
}
async function presentBalances({ storeId, environment }: StatementScope): Promise<PartAmount[]> {
  const { rows } = await db.pool.query<{ account: string; network: string; currency: string; amount: string }>(
    `SELECT account, network, currency, amount FROM ledger_balances
     WHERE environment = $1::"Environment" AND account = ANY ($2) AND amount <> 0`,
    [environment, Object.keys(accountsOf(storeId))],
  );
  return partAmounts(rows, accountsOf(storeId));
}

describe('a statement', () => {
  it('has the balances before the period, every line with the balance after it, and the balances at the end', async () => {
    const of = scope();
    await postAt(db.pool, of, { at: '2026-08-31T23:59:59.999Z', moves: [amount('available', 5n)] });
    const first = await postAt(db.pool, of, {
      at: '2026-09-01T00:00:00Z',
      moves: [amount('available', 10n, 'ethereum', 'USDC'), amount('unresolved', 3n, 'ethereum', 'USDC')],
      sessionId: 'cs_1',
    });
    const second = await postAt(db.pool, of, {
      at: '2026-09-30T23:59:59.999Z',
      kind: 'refund_reserved',
      moves: [amount('available', -4n), amount('reserved', 4n)],
      intentId: `re_${of.storeId}`,
    });
    await postAt(db.pool, of, { at: '2026-10-01T00:00:00Z', moves: [amount('available', 7n)] });
    const { opening, lines, closing } = await wholeStatement(db.pool, of, month('2026-09'));
    expect(opening).toEqual([amount('available', 5n)]);
    expect(lines.map(({ entryId, part, amount: moved, balance }) => [entryId, part, moved, balance])).toEqual([
      [first, 'available', 10n, 10n],
      [first, 'unresolved', 3n, 3n],
      [second, 'available', -4n, 1n],
      [second, 'reserved', 4n, 4n],
    ]);
    expect(lines[0]).toMatchObject({ kind: 'transfer', sessionId: 'cs_1', network: 'ethereum', currency: 'USDC' });
    expect(closing.balances).toEqual([
      amount('available', 1n),
      amount('reserved', 4n),
      amount('available', 10n, 'ethereum', 'USDC'),
      amount('unresolved', 3n, 'ethereum', 'USDC'),
    ]);
  });

  it('has nothing of another store or environment', async () => {
    const of = scope();
    await postAt(db.pool, of, { at: '2026-09-02T00:00:00Z', moves: [amount('available', 1n)] });
    await postAt(db.pool, scope(), { at: '2026-09-02T00:00:00Z', moves: [amount('available', 2n)] });
    await postAt(
      db.pool,
      { ...of, environment: 'live' },
      { at: '2026-09-02T00:00:00Z', moves: [amount('available', 4n)] },
    );
    const { lines, closing } = await wholeStatement(db.pool, of, month('2026-09'));
    expect(lines).toHaveLength(1);
    expect(closing.balances).toEqual([amount('available', 1n)]);
  });

  it('ends as it began, whatever is committed while a client downloads it', async () => {
    const of = scope();
    await postAt(db.pool, of, { at: new Date(), moves: [amount('available', 1n)] });
    const period: Period = { from: new Date('2026-01-01'), to: new Date('2100-01-01'), month: null };
    const pieces = readStatement({ pool: db.pool, log: silentLog() }, of, period);
    expect((await pieces.next()).value).toMatchObject({ kind: 'opening' });
    await postAt(db.pool, of, { at: new Date(), moves: [amount('available', 100n)] });
    expect((await pieces.next()).value).toMatchObject({ kind: 'lines', lines: [{ amount: 1n }] });
    expect((await pieces.next()).value).toMatchObject({ kind: 'closing', balances: [amount('available', 1n)] });
    await pieces.return();
  });

  it('is refused when its end is not the balance of the ledger', async () => {
    const of = scope();
    await postAt(db.pool, of, { at: new Date(), moves: [amount('available', 9n)] });
    await transaction(db.pool, async (tx) => {
      await tx.query('SET LOCAL session_replication_role = replica');
      await tx.query('UPDATE ledger_balances SET amount = amount - 1 WHERE account = $1', [`store:${of.storeId}`]);
    });
    const period: Period = { from: new Date('2026-01-01'), to: new Date('2100-01-01'), month: null };
    await expect(wholeStatement(db.pool, of, period)).rejects.toThrow('does not end with the balances');
    // A period that has ended does not depend on it.
    await expect(wholeStatement(db.pool, of, month('2026-01'))).resolves.toMatchObject({ lines: [] });
  });
});

describe('reading statements', () => {
  const open = (of: StatementScope) => readStatement({ pool: db.pool, log: silentLog() }, of, month('2026-09'));

  it('takes one place for a store and few for all stores, and gives them back', async () => {
    const of = scope();
    const first = open(of);
    await first.next();
    await expect(open(of).next()).rejects.toMatchObject({ code: 'RATE_LIMITED' });
    const others = [open(scope()), open(scope())];
    for (const one of others) await one.next();
    await expect(open(scope()).next()).rejects.toMatchObject({ code: 'RATE_LIMITED' });
    for (const one of [first, ...others]) await one.return();
    await expect(wholeStatement(db.pool, of, month('2026-09'))).resolves.toMatchObject({ lines: [] });
    expect(db.pool.idleCount).toBe(db.pool.totalCount);
  });
});

type Step = { readonly day: number; readonly asset: number; readonly units: bigint; readonly what: number };
const ASSETS = [
  ['bsc', 'USDT'],
  ['bsc', 'USDC'],
  ['tron', 'USDT'],
] as const;
const START = Date.UTC(2026, 5, 1);
const DAY = 86_400_000;
/** Months from June to October, all of which have ended. */
const DAYS = 153;
const step: fc.Arbitrary<Step> = fc.record({
  day: fc.double({ min: 0, max: DAYS, noNaN: true, maxExcluded: true }),
  asset: fc.nat({ max: ASSETS.length - 1 }),
  units: fc.bigInt({ min: 1n, max: 10n ** 30n }),
  what: fc.nat({ max: 3 }),
});
/** A payment, or a move between two parts of at most what is there. */
function movesOf({ asset, units, what }: Step, held: Balances): PartAmount[] {
  const [network, currency] = ASSETS[asset] ?? ASSETS[0];
  const of = (part: PartAmount['part'], moved: bigint) => ({ network, currency, part, amount: moved });
  if (what === 0) return [of('available', units)];
  const [from, to] = [PARTS[what - 1] ?? 'available', PARTS[what % PARTS.length] ?? 'available'];
  const there = held.add(of(from, 0n));
  const moved = units < there ? units : there;
  return moved === 0n ? [of('unresolved', units)] : [of(from, -moved), of(to, moved)];
}

describe('for any history of a store', () => {
  it('opening plus lines is closing, each equals the ledger to the unit, and closing months changes neither', async () => {
    const { storeId } = await makeStore(db, testConfig());
    const context = testContext(db, new TestClock());
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 1, maxLength: 25 }),
        fc.tuple(fc.nat({ max: DAYS }), fc.nat({ max: DAYS })),
        async (steps, days) => {
          await transaction(db.pool, async (tx) => {
            await tx.query('SET LOCAL session_replication_role = replica');
            await tx.query('TRUNCATE ledger_entries, ledger_postings, ledger_balances, statement_months');
          });
          const of: StatementScope = { storeId, environment: 'test' };
          const held = new Balances([]);
          for (const one of steps.toSorted((first, second) => first.day - second.day)) {
            const moves = movesOf(one, held);
            for (const move of moves) held.add(move);
            await postAt(db.pool, of, { at: new Date(START + Math.floor(one.day * DAY)), moves });
          }
          const [from, to] = [Math.min(...days), Math.max(...days) + 1].map((day) => new Date(START + day * DAY));
          const period: Period = { from: from as Date, to: to as Date, month: null };
          const before = await wholeStatement(db.pool, of, period);
          expect(before.opening).toEqual(await ledgerAt(of, period.from));
          const summed = new Balances(before.opening);
          for (const line of before.lines) expect(line.balance).toBe(summed.add(line));
          expect(before.closing.balances).toEqual(summed.list());
          expect(before.closing.balances.filter(isNotZero)).toEqual(await ledgerAt(of, period.to));
          const present = await wholeStatement(db.pool, of, { ...period, to: new Date('2100-01-01') });
          expect(present.closing.balances.filter(isNotZero)).toEqual(await presentBalances(of));
          while ((await closeMonths(context)).more);
          expect(await wholeStatement(db.pool, of, period)).toEqual(before);
        },
      ),
      { numRuns: 40 },
    );
  }, 120_000);
});
