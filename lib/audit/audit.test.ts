import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { transaction } from '@/lib/db';
import { openTestDatabase, type TestDatabase } from '@/lib/testing/database';
import { config } from '@/lib/config';
import { testConfig, TestClock, testContext } from '@/lib/testing/fixtures';
import { BEGINNING, chainKey, entryHash, type AuditFacts } from './chain';
import { allAudit, listAudit } from './read';
import { recordAudit, type Recorded } from './record';
import { verifyAudit, type Anchor } from './verify';
import { watchAudit } from './watch';

let db: TestDatabase;
beforeAll(async () => {
  db = await openTestDatabase();
});
afterAll(() => db.close());

const NOW = new Date('2026-11-21T10:00:00.123Z');
const entry = (changes: Partial<Recorded> = {}): Recorded => ({
  actor: 'user:1',
  storeId: 'st_1',
  action: 'key.create',
  target: 'key:1',
  address: '192.0.2.1',
  now: NOW,
  ...changes,
});
const record = (changes: Partial<Recorded> = {}) => transaction(db.pool, (tx) => recordAudit(tx, entry(changes)));
const verify = (anchors: readonly Anchor[] = []) => verifyAudit(db.pool, anchors);
/** Does what no program of ours may do. */
async function tamper(statement: string): Promise<void> {
  await db.pool.query('ALTER TABLE audit_entries DISABLE TRIGGER USER');
  await db.pool.query(statement);
  await db.pool.query('ALTER TABLE audit_entries ENABLE TRIGGER USER');
}

beforeEach(() => tamper('DELETE FROM audit_entries'));

test('entries written at once by many have numbers without gaps and one chain', async () => {
  await Promise.all(
    Array.from({ length: 20 }, (_, n) => record({ target: `key:${n}`, details: { n, ключ: 'значение' } })),
  );
  expect(await verify()).toMatchObject({ entries: 20n, broken: null });
});

test('what a transaction that is rolled back has recorded was never there', async () => {
  await record();
  const failed = transaction(db.pool, async (tx) => {
    await recordAudit(tx, entry({ target: 'never' }));
    throw new Error('no');
  });
  await expect(failed).rejects.toThrow('no');
  await record();
  expect(await verify()).toMatchObject({ entries: 2n, broken: null });
});

test('O-07: the database refuses to change or delete an entry', async () => {
  await record();
  await expect(db.pool.query(`UPDATE audit_entries SET actor = 'user:2'`)).rejects.toThrow(/append-only/);
  await expect(db.pool.query('DELETE FROM audit_entries')).rejects.toThrow(/append-only/);
  await expect(db.pool.query('TRUNCATE audit_entries')).rejects.toThrow(/append-only/);
});

describe('a change by somebody who can switch the guard off is found', () => {
  test.each([
    `UPDATE audit_entries SET details = '{"n":7}' WHERE number = 3`,
    `UPDATE audit_entries SET at = at + interval '1 millisecond' WHERE number = 3`,
    `UPDATE audit_entries SET store_id = NULL WHERE number = 3`,
    `UPDATE audit_entries SET hash = decode(repeat('00', 32), 'hex') WHERE number = 3`,
    'DELETE FROM audit_entries WHERE number = 3',
  ])('O-07: %s', async (statement) => {
    for (let n = 1; n <= 5; n++) await record({ details: { n } });
    await tamper(statement);
    expect((await verify()).broken).toMatchObject({ number: 3n });
  });
});

test('O-07: the hash covers every field, and does not depend on the order of the details', () => {
  const key = chainKey(config().MASTER_KEYS, 1);
  const facts: AuditFacts = { ...entry(), number: 1n, at: NOW, details: { a: 1, b: [{ c: null, d: 'x' }] } };
  const hash = entryHash(BEGINNING, facts, key);
  expect(entryHash(BEGINNING, { ...facts, details: { b: [{ d: 'x', c: null }], a: 1 } }, key)).toEqual(hash);
  const changes: Partial<AuditFacts>[] = [
    { number: 2n },
    { at: new Date(NOW.getTime() + 1) },
    { actor: 'user:2' },
    { storeId: null },
    { action: 'key.revoke' },
    { target: 'key:2' },
    { details: { a: 2, b: [{ c: null, d: 'x' }] } },
    { address: '' },
  ];
  for (const change of changes) expect(entryHash(BEGINNING, { ...facts, ...change }, key)).not.toEqual(hash);
  expect(entryHash(hash, facts, key)).not.toEqual(hash);
  expect(entryHash(BEGINNING, facts, null)).not.toEqual(hash);
  expect(entryHash(BEGINNING, facts, chainKey(new Map([[1, Buffer.alloc(32, 7)]]), 1))).not.toEqual(hash);
});

test('no two entries that differ share a hash by how their texts join', () => {
  const text = fc.string({ maxLength: 6 });
  fc.assert(
    fc.property(fc.tuple(text, text), fc.tuple(text, text), ([action, target], [other, another]) => {
      fc.pre(action !== other || target !== another);
      const facts: AuditFacts = { ...entry({ action, target }), number: 1n, at: NOW, details: {} };
      expect(entryHash(BEGINNING, facts, null)).not.toEqual(
        entryHash(BEGINNING, { ...facts, action: other, target: another }, null),
      );
    }),
  );
});

test('pages have every entry once, by store, actor and action', async () => {
  for (let n = 0; n < 25; n++) {
    await record({
      storeId: n % 2 ? 'st_1' : null,
      actor: `user:${n % 3}`,
      action: n % 5 ? 'key.create' : 'store.approve',
    });
  }
  const numbers: bigint[] = [];
  for (let before: bigint | undefined; ;) {
    const { entries, next } = await listAudit(db.pool, { before, limit: 7 });
    numbers.push(...entries.map(({ number }) => number));
    if (next === null) break;
    before = next;
  }
  expect(numbers).toEqual(Array.from({ length: 25 }, (_, n) => BigInt(25 - n)));
  const filtered = await listAudit(db.pool, { storeId: 'st_1', actor: 'user:0', action: 'key', limit: 50 });
  expect(
    filtered.entries.every(
      ({ storeId, actor, action }) => `${storeId} ${actor} ${action}` === 'st_1 user:0 key.create',
    ),
  ).toBe(true);
  expect(filtered.entries.length).toBeGreaterThan(0);
  let all = 0;
  for await (const _ of allAudit(db.pool)) all++;
  expect(all).toBe(25);
});

describe('somebody who can write to the database and lacks the key', () => {
  /** Writes a whole log anew, as former versions did: every hash follows, without a key. */
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

  test('cannot rewrite entries so that the chain holds', async () => {
    for (let n = 1; n <= 5; n++) await record({ details: { n } });
    await rewriteWithoutKey(3n);
    expect((await verify()).broken).toEqual({ number: 3n, why: 'it has no key, and the entries before it have' });
  });

  test('is caught by a kept head when they rewrite or cut off everything', async () => {
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

test('entries of former versions, without a key, verify before those with one', async () => {
  await record();
  await tamper(`UPDATE audit_entries SET key_version = NULL`);
  for await (const { hash: _, keyVersion: __, ...facts } of allAudit(db.pool)) {
    await db.pool.query('ALTER TABLE audit_entries DISABLE TRIGGER USER');
    await db.pool.query('UPDATE audit_entries SET hash = $1', [entryHash(BEGINNING, facts, null)]);
    await db.pool.query('ALTER TABLE audit_entries ENABLE TRIGGER USER');
  }
  await record();
  expect(await verify()).toMatchObject({ entries: 2n, broken: null });
});

test('the log cannot be checked without the version of the master key that it was written with', async () => {
  await record();
  const { broken } = await verifyAudit(db.pool, [], new Map([[2, Buffer.alloc(32, 7)]]));
  expect(broken).toEqual({ number: 1n, why: 'MASTER_KEYS lacks version 1, which it needs' });
});

describe('the worker’s step', () => {
  const opened = () => {
    const lines: object[] = [];
    const context = testContext(db, new TestClock(), testConfig());
    const log = Object.assign(Object.create(context.log), { info: (line: object) => lines.push(line) });
    const step = watchAudit();
    const run = async () => {
      while ((await step({ ...context, log })).more);
    };
    return { lines, run };
  };

  test('writes each new head into the log of the process, once', async () => {
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

  test('fails while an entry that it has seen is gone, also when others were written since', async () => {
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

  test('fails when a new entry does not follow from the ones before', async () => {
    await record();
    const { run } = opened();
    await run();
    await record();
    await tamper(`UPDATE audit_entries SET actor = 'user:9' WHERE number = 2`);
    await expect(run()).rejects.toThrow('broken at entry 2');
  });
});
