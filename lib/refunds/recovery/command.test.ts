// What the commands of `stabletill refunds` print about the signer's journal without a signer.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { runRefundsCommand } from './command';

let db: TestDatabase;
beforeAll(async () => void (db = await openTestDatabase()));
afterAll(() => db.close());

const HEAD = 'ab'.repeat(32);
const seeJournal = (journal: object | null) =>
  db.pool.query(
    `INSERT INTO signer_states (id, is_frozen, checked_at, words_confirmed, journal) VALUES (1, false, now(), true, $1)
     ON CONFLICT (id) DO UPDATE SET journal = excluded.journal`,
    [journal === null ? null : JSON.stringify(journal)],
  );

async function mark(): Promise<{ code: number; lines: string[] }> {
  const lines: string[] = [];
  const settings = { databaseUrl: db.url, signerSocket: '/nowhere/signer.sock', testChains: 'local' };
  const code = await runRefundsCommand(['mark'], settings, (line) => void lines.push(line));
  return { code, lines };
}

test('the mark of a lost signer is read from the database: the journal as a worker last saw it', async () => {
  await seeJournal({ records: 7, head: HEAD });
  expect(await mark()).toEqual({ code: 0, lines: [`7:${HEAD}`] });
});

test('without a journal that a worker has seen, there is no mark', async () => {
  await seeJournal(null);
  expect(await mark()).toEqual({ code: 1, lines: ['No worker has seen a journal yet.'] });
});
