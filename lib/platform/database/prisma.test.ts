import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { isLostRace, openPool, sqlState, SqlState, transaction, violatedConstraint, type Tx } from './db';
import { openPrisma, prismaOn } from './prisma';
import { inSavepoint } from './isolate';
import { failingPool } from '@/testing/database/failing-pool';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';

let db: TestDatabase;
beforeAll(async () => {
  db = await openTestDatabase(4);
});
afterAll(() => db.close());
const NOW = new Date('2026-03-29T00:59:59.123Z');
beforeEach(async () => {
  await db.pool.query('TRUNCATE throttles');
  for (const subject of ['one', 'two'])
    await db.pool.query('INSERT INTO throttles (subject, failures, until, seen_at) VALUES ($1, 0, $2, $2)', [
      subject,
      NOW,
    ]);
});

const valueOf = async (subject: string, on: Pick<Tx, 'query'> = db.pool) =>
  (await on.query('SELECT failures FROM throttles WHERE subject = $1', [subject])).rows[0]?.failures as number;
const add = async (tx: Tx, subject: string) =>
  (await prismaOn(tx)).throttle.update({ where: { subject }, data: { failures: { increment: 1 } } });

describe('Prisma in a transaction', () => {
  test('and SQL see each other’s writes before the commit, and nothing else does', async () => {
    await transaction(db.pool, async (tx) => {
      const prisma = await prismaOn(tx);
      await tx.query(`UPDATE throttles SET failures = 5 WHERE subject = 'one'`);
      expect(await prisma.throttle.findUnique({ where: { subject: 'one' } })).toMatchObject({ failures: 5 });
      await add(tx, 'one');
      expect(await valueOf('one', tx)).toBe(6);
      expect(await valueOf('one')).toBe(0);
      expect(await (await prismaOn(db.pool)).throttle.findUnique({ where: { subject: 'one' } })).toMatchObject({
        failures: 0,
      });
    });
    expect(await valueOf('one')).toBe(6);
  });

  test('is on the one connection, also when many run at once and read by key', async () => {
    const work = (own: string) => async (tx: Tx) => {
      const prisma = await prismaOn(tx);
      await prisma.throttle.create({ data: { subject: own, failures: 7, until: NOW, seenAt: NOW } });
      const [mine, one] = await Promise.all(
        [own, 'one'].map((subject) => prisma.throttle.findUnique({ where: { subject } })),
      );
      expect([mine?.failures, one?.failures]).toEqual([7, 0]);
      const { rows } = await tx.query('SELECT pg_backend_pid() AS pid');
      expect(await prisma.$queryRaw`SELECT pg_backend_pid() AS pid`).toEqual(rows);
    };
    await Promise.all(Array.from({ length: 12 }, (_, n) => transaction(db.pool, work(`own ${n}`))));
    expect((await db.pool.query('SELECT FROM throttles')).rowCount).toBe(14);
  });

  test('that throws leaves nothing of Prisma or SQL behind and hands its connection back whole', async () => {
    for (let n = 0; n < 10; n++) {
      const failing = transaction(db.pool, async (tx) => {
        await add(tx, 'one');
        await tx.query(`UPDATE throttles SET failures = 9 WHERE subject = 'two'`);
        throw new Error('no');
      });
      await expect(failing).rejects.toThrow('no');
    }
    expect([await valueOf('one'), await valueOf('two')]).toEqual([0, 0]);
  });

  test('whose COMMIT fails leaves nothing behind', async () => {
    // BEGIN, the update, COMMIT.
    const pool = failingPool(db.pool, 3, 'before');
    await expect(transaction(pool, (tx) => add(tx, 'one'))).rejects.toThrow('the process ended here');
    expect(await valueOf('one')).toBe(0);
  });

  test('whose connection is cut fails alone: the process lives on and the pool works', async () => {
    const cut = transaction(db.pool, async (tx) => {
      await add(tx, 'one');
      const { rows } = await tx.query('SELECT pg_backend_pid() AS pid');
      await db.pool.query('SELECT pg_terminate_backend($1)', [rows[0].pid]);
      await db.pool.query('SELECT pg_sleep(0.05)');
      await add(tx, 'two');
    });
    await expect(cut).rejects.toThrow(/terminat|connection/i);
    for (let n = 0; n < 8; n++) await transaction(db.pool, (tx) => add(tx, 'two'));
    expect([await valueOf('one'), await valueOf('two')]).toEqual([0, 8]);
  });

  test('that loses a deadlock is retried until both have committed', async () => {
    let waiting = 0;
    let bothHold = () => {};
    const held = new Promise<void>((resolve) => (bothHold = resolve));
    const swap = (first: string, second: string) => {
      let tries = 0;
      return transaction(db.pool, async (tx) => {
        await add(tx, first);
        if (tries++ === 0 && ++waiting === 2) bothHold();
        await held;
        await add(tx, second);
      });
    };
    await Promise.all([swap('one', 'two'), swap('two', 'one')]);
    expect([await valueOf('one'), await valueOf('two')]).toEqual([2, 2]);
  });

  test('joins it also when another copy of this file loaded the client, as in Next’s bundles', async () => {
    vi.resetModules();
    const [copy, copied] = [await import('./db'), await import('./prisma')];
    expect(copied.prismaOn).not.toBe(prismaOn);
    await copy.transaction(db.pool, async (tx) => {
      const { rows } = await tx.query('SELECT pg_backend_pid() AS pid');
      const prisma = await copied.prismaOn(tx);
      expect(await prisma.$queryRaw`SELECT pg_backend_pid() AS pid`).toEqual(rows);
    });
  });

  test('goes on after an error within a savepoint', async () => {
    await transaction(db.pool, async (tx) => {
      const prisma = await prismaOn(tx);
      const row = { subject: 'one', failures: 0, until: NOW, seenAt: NOW };
      await inSavepoint(tx, () => prisma.throttle.create({ data: row })).catch(() => add(tx, 'two'));
    });
    expect(await valueOf('two')).toBe(1);
  });

  test('refuses a query after the transaction’s end', async () => {
    let late: Tx | undefined;
    const prisma = await transaction(db.pool, async (tx) => prismaOn((late = tx)));
    await expect(prisma.throttle.count()).rejects.toThrow(/closed|not found|already/i);
    expect(late).toBeDefined();
  });

  test('waits for nothing but the database: a statement that exceeds its limit ends the transaction', async () => {
    const slow = transaction(db.pool, async (tx) => {
      await tx.query('SET LOCAL statement_timeout = 100');
      const prisma = await prismaOn(tx);
      await prisma.$queryRaw`SELECT 1 AS one FROM pg_sleep(10)`;
    });
    expect(await slow.catch(sqlState)).toBe('57014');
  });
});

describe('an error through Prisma', () => {
  const user = { email: 'a@example.com', role: 'merchant' } as const;

  test('keeps its SQLSTATE and names the violated unique key, within a transaction and outside', async () => {
    await (await prismaOn(db.pool)).user.create({ data: user });
    const create = async (on: Parameters<typeof prismaOn>[0]) => (await prismaOn(on)).user.create({ data: user });
    for (const again of [create(db.pool), transaction(db.pool, create)]) {
      const error: unknown = await again.catch((fault: unknown) => fault);
      expect([sqlState(error), violatedConstraint(error)]).toEqual([SqlState.uniqueViolation, 'users_email_key']);
    }
  });

  test('about a missing row has no SQLSTATE and is no lost race', async () => {
    const prisma = await prismaOn(db.pool);
    const error: unknown = await prisma.user
      .delete({ where: { email: 'unknown@example.com' } })
      .catch((fault: unknown) => fault);
    expect(error).toMatchObject({ code: 'P2025' });
    expect([sqlState(error), isLostRace(error)]).toEqual([null, false]);
  });
});

test('a connection outside of a transaction is refused', async () => {
  const connection = await db.pool.connect();
  await expect(prismaOn(connection)).rejects.toThrow('neither a pool nor an open transaction');
  connection.release();
});

test('a pool has one client', async () => {
  expect(await openPrisma(db.pool)).toBe(db.prisma);
});

test('times are the same through Prisma and SQL where the database’s time zone is not UTC', async () => {
  const name = new URL(db.url).pathname.slice(1);
  await db.pool.query(`ALTER DATABASE ${name} SET timezone TO 'Asia/Kolkata'`);
  const pool = openPool(db.url, 1);
  try {
    const prisma = await openPrisma(pool);
    expect(await prisma.throttle.findUnique({ where: { subject: 'one' } })).toMatchObject({ until: NOW });
    await prisma.throttle.create({ data: { subject: 'three', failures: 0, until: NOW, seenAt: NOW } });
    const { rows } = await pool.query(`SELECT until FROM throttles WHERE subject = 'three'`);
    expect(rows).toEqual([{ until: NOW }]);
    await prisma.$disconnect();
  } finally {
    await pool.end();
    await db.pool.query(`ALTER DATABASE ${name} RESET timezone`);
  }
});
