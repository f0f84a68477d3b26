import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { afterCommit, transaction } from './db';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';

let db: TestDatabase;
beforeAll(async () => {
  db = await openTestDatabase(4);
  await db.pool.query('CREATE TABLE counters (id int PRIMARY KEY, value int NOT NULL)');
  await db.pool.query('INSERT INTO counters VALUES (1, 0), (2, 0)');
});
afterAll(() => db.close());

const valueOf = async (id: number) =>
  (await db.pool.query('SELECT value FROM counters WHERE id = $1', [id])).rows[0].value;

describe('a transaction', () => {
  test('that throws leaves nothing behind and hands its connection back whole', async () => {
    for (let n = 0; n < 10; n++) {
      const failing = transaction(db.pool, async (tx) => {
        await tx.query('UPDATE counters SET value = 99 WHERE id = 1');
        throw new Error('no');
      });
      await expect(failing).rejects.toThrow('no');
    }
    expect(await valueOf(1)).toBe(0);
  });

  test('whose connection is cut fails alone: the process lives on and the pool works', async () => {
    const cut = transaction(db.pool, async (tx) => {
      const { rows } = await tx.query('SELECT pg_backend_pid() AS pid');
      await db.pool.query('SELECT pg_terminate_backend($1)', [rows[0].pid]);
      // The server closes the connection before this is sent, so its error arrives while no query waits for an answer.
      await db.pool.query('SELECT pg_sleep(0.05)');
      await tx.query('UPDATE counters SET value = 1 WHERE id = 1');
    });
    await expect(cut).rejects.toThrow(/terminat|connection/i);
    expect(await valueOf(1)).toBe(0);
  });

  test('that is committed succeeds and runs all that follows it, also when a part of that throws', async () => {
    const told = vi.spyOn(console, 'error').mockImplementation(() => {});
    const ran: number[] = [];
    const before = await valueOf(1);
    const fault = new Error('no log');
    const result = await transaction(db.pool, async (tx) => {
      afterCommit(tx, () => {
        throw fault;
      });
      afterCommit(tx, () => void ran.push(2));
      await tx.query('UPDATE counters SET value = value + 1 WHERE id = 1');
      return 'done';
    });
    expect([result, await valueOf(1), ran]).toEqual(['done', before + 1, [2]]);
    expect(told.mock.calls).toEqual([[expect.any(String), fault]]);
    told.mockRestore();
    await db.pool.query('UPDATE counters SET value = $1 WHERE id = 1', [before]);
  });

  test('that loses a deadlock is retried until both have committed', async () => {
    let waiting = 0;
    let bothHold = () => {};
    const held = new Promise<void>((resolve) => (bothHold = resolve));
    const swap = (first: number, second: number) => {
      let tries = 0;
      return transaction(db.pool, async (tx) => {
        await tx.query('UPDATE counters SET value = value + 1 WHERE id = $1', [first]);
        if (tries++ === 0 && ++waiting === 2) bothHold();
        await held;
        await tx.query('UPDATE counters SET value = value + 1 WHERE id = $1', [second]);
      });
    };
    await Promise.all([swap(1, 2), swap(2, 1)]);
    expect([await valueOf(1), await valueOf(2)]).toEqual([2, 2]);
  });
});
