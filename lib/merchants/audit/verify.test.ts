// Verifies the audit log: an attacker with the database but without the key, a stored head, and the worker's
// own check.

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { transaction } from '@/lib/platform/database/db';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { TestClock, testContext } from '@/testing/fixtures';
import { BEGINNING, entryHash } from './chain';
import { allAudit, listAudit } from './read';
import { recordAudit, type Recorded } from './record';
import { verifyAudit, type Anchor } from './verify';
import { watchAudit } from './watch';

let db: TestDatabase;
beforeAll(async () => {
  db = await openTestDatabase();
});
afterAll(() => db.close());

const DAY_MILLISECONDS = 24 * 3_600_000;
const NOW = new Date('2026-11-21T10:00:00.123Z');
const ENTRY: Recorded = {
  actor: 'user:1',
  storeId: null,
  action: 'key.create',
  target: 'key:1',
  address: '',
  now: NOW,
};
const record = (changes: Partial<Recorded> = {}) =>
  transaction(db.pool, (tx) => recordAudit(tx, { ...ENTRY, ...changes }));
const verify = (anchors: readonly Anchor[] = []) => verifyAudit(db.pool, anchors);
/** Runs a statement that no program of the service may run. */
async function tamper(statement: string): Promise<void> {
  await db.pool.query('ALTER TABLE audit_entries DISABLE TRIGGER USER');
  await db.pool.query(statement);
  await db.pool.query('ALTER TABLE audit_entries ENABLE TRIGGER USER');
}

beforeEach(() => tamper('DELETE FROM audit_entries'));

/** Rewrites a whole log in the format of former versions: a valid chain without a key. */
async function rewriteWithoutKey(from: bigint): Promise<void> {
  await db.pool.query('ALTER TABLE audit_entries DISABLE TRIGGER USER');
  let former: Uint8Array = BEGINNING;
  for await (const { hash, keyVersion: _, ...facts } of allAudit(db.pool)) {
    const made = facts.number < from ? hash : entryHash(former, { ...facts, actor: 'user:2' }, null);
    if (facts.number >= from) {
      await db.pool.query(
        `UPDATE audit_entries SET actor = 'user:2', hash = $2, key_version = NULL WHERE number = $1`,
        [facts.number, made],
      );
    }
    former = made;
  }
  await db.pool.query('ALTER TABLE audit_entries ENABLE TRIGGER USER');
}

describe('an attacker who can write to the database and lacks the key', () => {
  test('cannot rewrite entries so that the chain holds', async () => {
    for (let n = 0; n < 5; n++) await record({ now: new Date(NOW.getTime() + n * DAY_MILLISECONDS) });
    await rewriteWithoutKey(3n);
    expect((await verify()).broken).toEqual({ number: 3n, why: 'it has no key, and the entries before it have' });
  });

  test('is detected by a stored head after rewriting or truncating the log', async () => {
    for (let n = 1; n <= 5; n++) await record({ details: { n } });
    const { entries, head } = await verify();
    expect((await verify([{ number: entries, head }])).broken).toBeNull();
    await rewriteWithoutKey(1n);
    expect((await verify()).broken).toBeNull();
    expect((await verify([{ number: entries, head }])).broken).toMatchObject({ number: 5n });
    await tamper('DELETE FROM audit_entries WHERE number > 3');
    expect((await verify([{ number: entries, head }])).broken).toMatchObject({
      number: 5n,
      why: expect.stringContaining('missing'),
    });
  });
});

test('entries of former versions without a key verify before entries with one', async () => {
  await record();
  await record();
  await rewriteWithoutKey(1n);
  await record();
  expect(await verify()).toMatchObject({ entries: 3n, broken: null });
});

test('processes of a former version may write entries without a key for a day after the first one with a key', async () => {
  const withoutKey = async (hours: number) => {
    await record({ now: new Date(NOW.getTime() + hours * 3_600_000) });
    const [last, former] = (await listAudit(db.pool, { limit: 2 })).entries;
    if (!last || !former) throw new Error('there are no two entries');
    const { hash: _, keyVersion: __, ...facts } = last;
    const hash = entryHash(former.hash, facts, null).toString('hex');
    await tamper(`UPDATE audit_entries SET key_version = NULL, hash = '\\x${hash}' WHERE number = ${last.number}`);
  };
  await record();
  await withoutKey(23);
  await record({ now: new Date(NOW.getTime() + DAY_MILLISECONDS) });
  expect((await verify()).broken).toBeNull();
  await withoutKey(25);
  expect((await verify()).broken).toMatchObject({ number: 4n });
});

test('the log cannot be verified without the version of the master key that wrote it', async () => {
  await record();
  const { broken } = await verifyAudit(db.pool, [], new Map([[2, Buffer.alloc(32, 7)]]));
  expect(broken).toEqual({ number: 1n, why: 'MASTER_KEYS lacks version 1, which it needs' });
});

describe('the worker’s step', () => {
  const opened = () => {
    const lines: object[] = [];
    const context = testContext(db, new TestClock());
    const log = Object.assign(Object.create(context.log), { info: (line: object) => lines.push(line) });
    const step = watchAudit();
    const run = async () => {
      while ((await step({ ...context, log })).more);
    };
    return { lines, run };
  };

  test('writes each new head once into the log of the process', async () => {
    await record();
    const { lines, run } = opened();
    await run();
    await run();
    await record();
    await run();
    const { head } = await verify();
    expect(lines).toEqual([
      { entries: '1', head: expect.stringMatching(/^[0-9a-f]{64}$/) },
      { entries: '2', head },
    ]);
  });

  test('fails while an entry that it has verified is missing, also after further entries', async () => {
    for (let n = 1; n <= 3; n++) await record({ details: { n } });
    const { run } = opened();
    await run();
    await tamper('DELETE FROM audit_entries WHERE number > 1');
    await expect(run()).rejects.toThrow('entry 3: it is missing');
    await record();
    await record();
    expect((await verify()).broken).toBeNull();
    await expect(run()).rejects.toThrow('entry 3: it is not the entry');
  });

  test('fails when a new entry does not follow from the former ones', async () => {
    await record();
    const { run } = opened();
    await run();
    await record();
    await tamper(`UPDATE audit_entries SET actor = 'user:9' WHERE number = 2`);
    await expect(run()).rejects.toThrow('broken at entry 2');
  });
});
