// When the worker's steps run rarely.

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Pool } from '@/lib/platform/database/db';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { TestClock, testContext } from '@/testing/fixtures';
import { runLoop } from './loop';
import { hasWork, openQuiet } from './quiet';

const STEP = { everyMilliseconds: 500 };
const STEADY = { everyMilliseconds: 500, quietMilliseconds: 10_000 };

let db: TestDatabase;
beforeAll(async () => void (db = await openTestDatabase()));
afterAll(() => db.close());

describe('work', () => {
  test('is none where nothing is open', async () => {
    expect(await hasWork(db.pool)).toBe(false);
  });

  test('is what an operator asked for, until it is carried out', async () => {
    await db.pool.query(
      `INSERT INTO freeze_requests (reason, requested_by, requested_at) VALUES ('drill', 'user:1', now())`,
    );
    expect(await hasWork(db.pool)).toBe(true);
    await db.pool.query('UPDATE freeze_requests SET carried_out_at = now()');
    expect(await hasWork(db.pool)).toBe(false);
  });
});

describe('while nothing is to be done', () => {
  let clock: TestClock;
  let answer: () => Promise<boolean>;
  beforeEach(() => {
    clock = new TestClock();
    answer = async () => false;
  });
  const open = () => {
    const pool = { query: async () => ({ rows: [{ hasWork: await answer() }] }) } as unknown as Pool;
    return openQuiet({ ...testContext(db, clock), pool });
  };

  test('the steps run as usual for a minute, and then rarely, each at its own quiet pause if it has one', async () => {
    const quiet = open();
    await quiet.look();
    expect([quiet.pauseOf(STEP), quiet.pauseOf(STEADY)]).toEqual([500, 500]);
    clock.advance(60);
    await quiet.look();
    expect([quiet.pauseOf(STEP), quiet.pauseOf(STEADY)]).toEqual([120_000, 10_000]);
    expect(quiet.pauseOf({ everyMilliseconds: 3_600_000 })).toBe(3_600_000);
  });

  test('work makes every waiting step run at once, and as usual for a minute', async () => {
    const quiet = open();
    clock.advance(60);
    let runs = 0;
    quiet.onWork(() => runs++);
    quiet.onWork(() => runs++)();
    answer = async () => true;
    await quiet.look();
    expect([runs, quiet.pauseOf(STEP)]).toEqual([1, 500]);
    answer = async () => false;
    clock.advance(59);
    await quiet.look();
    expect(quiet.isQuiet()).toBe(false);
    clock.advance(1);
    expect(quiet.isQuiet()).toBe(true);
  });

  test('a database that does not answer counts as work, so that each step says what is wrong', async () => {
    const quiet = open();
    clock.advance(60);
    answer = async () => {
      throw new Error('the database is away');
    };
    await quiet.look();
    expect(quiet.isQuiet()).toBe(false);
  });
});

test('a loop in a long pause runs its step at once when there is work', async () => {
  const stop = new AbortController();
  let runs = 0;
  const quiet = {
    pauseOf: () => 3_600_000,
    onWork: (wake: () => void) => {
      setImmediate(wake);
      return () => {};
    },
  };
  const run = async () => {
    if (++runs === 3) stop.abort();
    return { more: false };
  };
  await runLoop(testContext(db, new TestClock()), { name: 'a step', everyMilliseconds: 500, run }, stop.signal, quiet);
  expect(runs).toBe(3);
});

test('a loop runs a step that has to read something again soon after its usual pause, also while nothing else is to be done', async () => {
  const stop = new AbortController();
  let runs = 0;
  const quiet = { pauseOf: () => 3_600_000, onWork: () => () => {} };
  const run = async () => {
    if (++runs === 3) stop.abort();
    return { more: false, soon: true };
  };
  await runLoop(testContext(db, new TestClock()), { name: 'a step', everyMilliseconds: 1, run }, stop.signal, quiet);
  expect(runs).toBe(3);
});
