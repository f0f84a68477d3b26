// The command says with its exit code whether the books are in order, for a person and for a program.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { INVARIANTS } from './check';
import { runCheckBooks } from './check-command';

let db: TestDatabase;
beforeAll(async () => void (db = await openTestDatabase()));
afterAll(() => db.close());

async function run(...words: string[]) {
  const lines: string[] = [];
  // As console.log, which prints everything that it gets.
  const print = (...printed: unknown[]) => void lines.push(printed.join(' '));
  const code = await runCheckBooks(words, { databaseUrl: db.url, print });
  return { code, lines };
}

test('books in order are 0, a violated invariant is 1 and is named, and another word is wrong usage', async () => {
  const whole = await run();
  expect([whole.code, whole.lines.length]).toEqual([0, INVARIANTS.length]);
  expect(whole.lines.every((line) => line.startsWith('ok ') && !line.includes('\n'))).toBe(true);
  expect(whole.lines.join('\n').match(/ok {4}/g)).toHaveLength(INVARIANTS.length);
  // A month that says more than its entries.
  await db.pool.query(`INSERT INTO coin_months VALUES ('test', '2026-11-01', 'ethereum', 'ETH', 1, 1, 0, 0, 0)`);
  const broken = await run();
  expect(broken.code).toBe(1);
  expect(broken.lines.filter((line) => line.startsWith('BROKEN'))).toEqual([
    expect.stringMatching(/^BROKEN {2}INV-2l .*\(1\)$/),
  ]);
  const json = await run('--json');
  const { invariants } = JSON.parse(json.lines.join('\n')) as { invariants: { id: string; count: number }[] };
  expect([json.code, invariants.filter(({ count }) => count > 0).map(({ id }) => id)]).toEqual([1, ['INV-2l']]);
  expect(await run('--all')).toEqual({ code: 2, lines: [] });
});
