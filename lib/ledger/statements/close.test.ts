import { createHash } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { unixSeconds } from '@/lib/platform/clock';
import { transaction } from '@/lib/platform/database/db';
import { checkBooks } from '@/lib/ledger/invariants/check';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { makeFault, openQuarantine } from '@/testing/database/database-fault';
import { makeChain, makeStore, TestClock, testConfig, testContext } from '@/testing/fixtures';
import { postAt, wholeStatement } from '@/testing/ledger/statement-scene';
import { closeMonths } from './close';
import { listMonths, readClosedMonth } from './months';
import type { PartAmount, StatementScope } from './parts';
import { monthOf, monthPeriod, monthsBetween, type Period } from './period';

let db: TestDatabase;
let of: StatementScope;
const clock = new TestClock();
const config = testConfig();
beforeAll(async () => void (db = await openTestDatabase(20)));
afterAll(() => db.close());
// Its final block is of now.
beforeEach(() => makeChain(db, 'bsc', unixSeconds(new Date())));
afterEach(async () => {
  await transaction(db.pool, async (tx) => {
    await tx.query('SET LOCAL session_replication_role = replica');
    await tx.query(
      'TRUNCATE ledger_entries, ledger_postings, ledger_balances, statement_months, quarantine, stores, chains CASCADE',
    );
  });
});

/** A month that ended at least a day and at most two months ago, and the two before it. */
const DAY = 86_400_000;
const RECENT = monthOf(new Date(Date.now() - 32 * DAY));
const [, EMPTY = '', FIRST = ''] = monthsBetween('2000-01', RECENT, 3);
/** The last moment of the recent month, and the first one after it. */
const AFTER = (monthPeriod(RECENT) as Period).to;
const LAST = new Date(AFTER.getTime() - 1);

const usdt = (amount: bigint, part: PartAmount['part'] = 'available'): PartAmount => ({
  ...{ network: 'bsc', currency: 'USDT', part, amount },
});
const month = (text: string): Period => monthPeriod(text) as Period;
async function closeAll(): Promise<void> {
  while ((await closeMonths(testContext(db, clock, config))).more);
}
/** A store with payments in two months, and none in the month between. */
async function storeWithMonths(): Promise<StatementScope> {
  of = { storeId: (await makeStore(db, config)).storeId, environment: 'test' };
  await postAt(db.pool, of, { at: `${FIRST}-03T10:00:00Z`, moves: [usdt(12n)] });
  await postAt(db.pool, of, { at: LAST, moves: [usdt(30n)], sessionId: 'cs_x' });
  return of;
}
const closed = async (text: string) => readClosedMonth(db.pool, of, text);
const tamper = (text: string, values: unknown[] = []) =>
  transaction(db.pool, async (tx) => {
    await tx.query('SET LOCAL session_replication_role = replica');
    await tx.query(text, values);
  });

describe('closing months', () => {
  it('records every ended month with lines once, and links it to the month before', async () => {
    await storeWithMonths();
    await postAt(db.pool, of, { at: new Date(), moves: [usdt(1n)] });
    await closeAll();
    const [first, recent] = [await closed(FIRST), await closed(RECENT)];
    expect(first).toMatchObject({ lines: 1n, previousHash: null, closing: [usdt(12n)] });
    expect(recent).toMatchObject({ lines: 1n, previousHash: first?.hash, closing: [usdt(42n)] });
    expect(await closed(EMPTY)).toBeNull();
    expect(await closeMonths(testContext(db, clock, config))).toEqual({ more: false });
    expect(await listMonths(db.pool, of, 12)).toEqual([
      { month: new Date().toISOString().slice(0, 7), hash: null },
      { month: RECENT, hash: recent?.hash },
      { month: FIRST, hash: first?.hash },
    ]);
  });

  it('hashes the documented text', async () => {
    await storeWithMonths();
    await closeAll();
    const { rows } = await db.pool.query<{ id: string }>(
      'SELECT id::text FROM ledger_entries WHERE store_id = $1 ORDER BY created_at',
      [of.storeId],
    );
    const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
    const first = sha256(
      `statement/1 ${of.storeId} test ${FIRST} -\n` +
        `line ${rows[0]?.id} ${FIRST}-03T10:00:00.000Z transfer - - bsc USDT available 12\n` +
        'closing bsc USDT available 12\n',
    );
    const recent = sha256(
      `statement/1 ${of.storeId} test ${RECENT} ${first}\nopening bsc USDT available 12\n` +
        `line ${rows[1]?.id} ${LAST.toISOString()} transfer cs_x - bsc USDT available 30\n` +
        'closing bsc USDT available 42\n',
    );
    expect([(await closed(FIRST))?.hash, (await closed(RECENT))?.hash]).toEqual([first, recent]);
  });

  it('happens once when two workers do it at once', async () => {
    await storeWithMonths();
    await Promise.all([closeAll(), closeAll(), closeAll()]);
    const { rows } = await db.pool.query('SELECT month FROM statement_months');
    expect(rows).toHaveLength(2);
    expect(await openQuarantine(db.pool)).toEqual([]);
  });

  it('leaves the month open that has not ended', async () => {
    await storeWithMonths();
    const current = new Date().toISOString().slice(0, 7);
    await postAt(db.pool, of, { at: new Date(), moves: [usdt(1n)] });
    await closeAll();
    expect(await closed(current)).toBeNull();
    expect((await wholeStatement(db.pool, of, month(current))).closing).toMatchObject({
      hash: null,
      previousHash: null,
    });
  });

  it('of one store fails: the months of all others are closed, and it is retried', async () => {
    const bad = await storeWithMonths();
    const good = await storeWithMonths();
    const endFault = await makeFault(db.pool, {
      table: 'statement_months',
      on: 'INSERT',
      row: `NEW.store_id = '${bad.storeId}'`,
    });
    await closeAll();
    expect(await closed(RECENT)).not.toBeNull();
    expect(good).toBe(of);
    expect(await openQuarantine(db.pool)).toMatchObject([{ kind: 'month', id: `${bad.storeId} test` }]);
    await endFault();
    clock.advance(10);
    await closeAll();
    of = bad;
    expect(await closed(RECENT)).not.toBeNull();
    expect(await openQuarantine(db.pool)).toEqual([]);
  });

  it('refuses a month whose end does not follow from the balances of the ledger', async () => {
    await storeWithMonths();
    await tamper('UPDATE ledger_balances SET amount = amount + 1 WHERE account = $1', [`store:${of.storeId}`]);
    await closeAll();
    expect(await closed(FIRST)).toBeNull();
    expect(await openQuarantine(db.pool)).toMatchObject([{ kind: 'month', id: `${of.storeId} test` }]);
  });

  it('waits until a final block is an hour past the end, so that a clock which is ahead closes nothing too early', async () => {
    await storeWithMonths();
    const at = (milliseconds: number) =>
      db.pool.query('UPDATE chains SET final_time = $1', [new Date(AFTER.getTime() + milliseconds)]);
    await at(3_599_000);
    await closeAll();
    expect([await closed(FIRST), await closed(RECENT)]).toEqual([expect.anything(), null]);
    await at(3_600_000);
    await closeAll();
    expect(await closed(RECENT)).not.toBeNull();
  });
});

describe('a closed month', () => {
  it('has the same hash in every later export, which a changed ledger breaks off', async () => {
    await storeWithMonths();
    await closeAll();
    const hash = (await closed(RECENT))?.hash;
    await postAt(db.pool, of, { at: new Date(), moves: [usdt(1n)] });
    for (let n = 0; n < 2; n++)
      expect((await wholeStatement(db.pool, of, month(RECENT))).closing).toMatchObject({ hash });
    await tamper(`UPDATE ledger_entries SET session_id = 'cs_y' WHERE store_id = $1 AND session_id = 'cs_x'`, [
      of.storeId,
    ]);
    await expect(wholeStatement(db.pool, of, month(RECENT))).rejects.toThrow('another hash');
  });

  it('with a refund and a payout under way agrees with the books', async () => {
    await storeWithMonths();
    for (const account of ['refund', 'payout'])
      await db.pool.query(
        `WITH entry AS (INSERT INTO ledger_entries (kind, store_id, environment, created_at, intent_id)
             VALUES ($1 || '_reserved', $2, 'test', $3, $1) RETURNING id),
           posted AS (INSERT INTO ledger_postings (entry_id, account, network, currency, amount) SELECT entry.id, line.account, 'bsc', 'USDT', line.amount
             FROM entry, (VALUES ('store:' || $2, 5), ($1 || ':' || $2, -5)) AS line (account, amount))
         SELECT id FROM entry`,
        [account, of.storeId, LAST],
      );
    await closeAll();
    expect((await closed(RECENT))?.closing).toContainEqual(usdt(10n, 'reserved'));
    expect((await checkBooks(db.pool)).find(({ id }) => id === 'INV-2k')?.count).toBe(0);
  });

  it.each([
    [
      'a removed line',
      `DELETE FROM ledger_postings WHERE entry_id IN (SELECT min(id) FROM ledger_entries WHERE store_id = $1)`,
    ],
    ['another amount', `UPDATE ledger_postings SET amount = amount * 2 WHERE account = 'store:' || $1`],
  ])('is checked with the books: %s is found', async (_, text) => {
    await storeWithMonths();
    await closeAll();
    const violations = async () => (await checkBooks(db.pool)).find(({ id }) => id === 'INV-2k')?.count;
    expect(await violations()).toBe(0);
    await tamper(text, [of.storeId]);
    expect(await violations()).toBeGreaterThan(0);
  });

  it('is never changed, removed or closed again', async () => {
    await storeWithMonths();
    await closeAll();
    for (const text of [
      `UPDATE statement_months SET hash = repeat('0', 64)`,
      'DELETE FROM statement_months',
      'TRUNCATE statement_months',
      'INSERT INTO statement_months SELECT * FROM statement_months',
    ])
      await expect(db.pool.query(text)).rejects.toThrow(/append-only|duplicate key/);
  });
});

describe('an entry that began before the end of a month', () => {
  it.each([
    ['a closed month', LAST],
    ['a month without lines before the last closed one', `${EMPTY}-10T00:00:00.000Z`],
  ])('is booked at the first moment after %s', async (_, at) => {
    await storeWithMonths();
    await closeAll();
    const id = await postAt(db.pool, of, { at, moves: [usdt(5n)] });
    const { rows } = await db.pool.query('SELECT created_at FROM ledger_entries WHERE id = $1', [id]);
    expect(rows).toEqual([{ created_at: AFTER }]);
    expect((await wholeStatement(db.pool, of, month(RECENT))).lines).toHaveLength(1);
    // Another store may still write that month.
    const other = { storeId: (await makeStore(db, config)).storeId, environment: 'test' } as const;
    await postAt(db.pool, other, { at: LAST, moves: [usdt(5n)] });
    expect((await wholeStatement(db.pool, other, month(RECENT))).lines).toHaveLength(1);
  });

  it('is repeated with a later time when the month was closed before its commit', async () => {
    await storeWithMonths();
    let tries = 0;
    await transaction(db.pool, async (tx) => {
      await postAt(tx, of, { at: LAST, moves: [usdt(5n)] });
      if (++tries === 1) await closeAll();
    });
    expect(tries).toBe(2);
    expect((await wholeStatement(db.pool, of, month(RECENT))).lines).toHaveLength(1);
  });

  it('is refused at its commit when the month was closed meanwhile', async () => {
    await storeWithMonths();
    const client = await db.pool.connect();
    await client.query('BEGIN');
    await postAt(client, of, { at: LAST, moves: [usdt(5n)] });
    await closeAll();
    await expect(client.query('COMMIT')).rejects.toMatchObject({ code: '40001' });
    client.release();
    expect(await closed(RECENT)).toMatchObject({ lines: 1n });
  });

  it('is part of the month when its commit came first', async () => {
    await storeWithMonths();
    const client = await db.pool.connect();
    await client.query('BEGIN');
    await postAt(client, of, { at: LAST, moves: [usdt(5n)] });
    // As at its commit: the entry passed the check and is not visible yet.
    await client.query('SET CONSTRAINTS ALL IMMEDIATE');
    const closing = closeAll();
    const waits = `SELECT count(*)::int AS n FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
      AND pid IN (SELECT pid FROM pg_stat_activity WHERE datname = current_database())`;
    while ((await db.pool.query<{ n: number }>(waits)).rows[0]?.n === 0);
    await client.query('COMMIT');
    client.release();
    await closing;
    expect(await closed(RECENT)).toMatchObject({ lines: 2n, closing: [usdt(47n)] });
  });
});
