// What the whole worker of four local networks does in the database while there is nothing to do (docs/growth.md, Idle).

import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { useTemporaryDirectory } from '@/testing/temporary-directory';
import { startIdleWorker, type IdleWorker } from '@/testing/watching/idle-worker';

/** As long as the longest pause of a step that runs more often than once an hour, so that each of them runs. */
const SECONDS = 600;
/** Per second. They bound the write load and the storage of an idle installation. */
const [MOST_TRANSACTIONS, MOST_ROWS] = [6, 4.5];
/** The most frequent statements and tables, which the test prints. */
const SHOWN = 20;

const directory = useTemporaryDirectory();
let db: TestDatabase;
let worker: IdleWorker;
beforeAll(async () => {
  db = await openTestDatabase();
  worker = await startIdleWorker(db, directory);
});
afterAll(async () => {
  await worker?.stop();
  await db.close();
});

test('an idle worker of four networks commits at most six transactions and changes at most four and a half rows a second', async () => {
  await worker.becomeQuiet();
  // The first run of each step in the quiet reads what later ones know.
  await worker.run(SECONDS);
  const { transactions, statements, rows, failures } = await worker.run(SECONDS);
  expect(worker.isQuiet()).toBe(true);
  expect(failures).toEqual([]);
  const changed = [...rows.values()].reduce((sum, count) => sum + count, 0);
  const most = (counts: ReadonlyMap<string, number>) =>
    Object.fromEntries([...counts].toSorted(([, a], [, b]) => b - a).slice(0, SHOWN));
  const shown = { transactions, changed, statements: most(statements), rows: most(rows) };
  console.log(`idle for ${SECONDS} s: ${JSON.stringify(shown)}`);
  expect(transactions).toBeGreaterThan(SECONDS);
  expect(transactions).toBeLessThanOrEqual(MOST_TRANSACTIONS * SECONDS);
  expect(changed).toBeLessThanOrEqual(MOST_ROWS * SECONDS);
});
