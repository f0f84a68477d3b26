// Service objectives: what processes count reaches the hour once, and the budget follows from it.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { countObjective, takeObjectives } from '@/lib/platform/metrics/objectives';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { TestClock, testContext } from '@/testing/fixtures';
import { budgetOf, readObjectives } from './objectives';
import { recordObjectives } from './record-objectives';

let db: TestDatabase;
beforeAll(async () => void (db = await openTestDatabase()));
afterAll(() => db.close());
beforeEach(async () => {
  takeObjectives();
  await db.pool.query('TRUNCATE objective_hours');
});

const count = (good: number, bad: number): void => {
  for (let n = 0; n < good; n++) countObjective('api', true);
  for (let n = 0; n < bad; n++) countObjective('api', false);
};
const api = async (clock: TestClock) =>
  (await readObjectives(testContext(db, clock))).find(({ kind }) => kind === 'api');

describe('what processes count', () => {
  it('adds up over runs and hours, and is forgotten after 30 days', async () => {
    const clock = new TestClock();
    count(900, 1);
    await recordObjectives({ pool: db.pool, clock });
    await recordObjectives({ pool: db.pool, clock });
    clock.advance(3600);
    count(99, 0);
    await recordObjectives({ pool: db.pool, clock });
    expect(await api(clock)).toMatchObject({ target: 0.999, measured: 0.999 });
    expect((await api(clock))?.budgetLeft).toBeCloseTo(0);
    clock.advance(31 * 86_400);
    expect(await api(clock)).toMatchObject({ measured: null, budgetLeft: null });
  });

  it('waits for the next run while the database refuses it', async () => {
    const clock = new TestClock();
    count(3, 0);
    await db.pool.query('ALTER TABLE objective_hours RENAME TO elsewhere');
    await expect(recordObjectives({ pool: db.pool, clock })).rejects.toThrow('objective_hours');
    await db.pool.query('ALTER TABLE elsewhere RENAME TO objective_hours');
    count(1, 0);
    await recordObjectives({ pool: db.pool, clock });
    expect((await db.pool.query('SELECT good::int, bad::int FROM objective_hours')).rows).toEqual([
      { good: 4, bad: 0 },
    ]);
  });

  it('writes nothing when there was nothing', async () => {
    await recordObjectives({ pool: db.pool, clock: new TestClock() });
    expect((await db.pool.query('SELECT FROM objective_hours')).rowCount).toBe(0);
  });
});

it.each([
  [{ good: 0, bad: 0 }, null],
  [{ good: 1000, bad: 0 }, 1],
  [{ good: 1998, bad: 1 }, 0.5],
  [{ good: 997, bad: 3 }, -2],
])('the budget of %o is left to the share %s', (counted, left) => {
  const { budgetLeft } = budgetOf(0.999, counted);
  if (left === null) expect(budgetLeft).toBeNull();
  else expect(budgetLeft).toBeCloseTo(left, 2);
});
