import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { transaction } from '@/lib/platform/database/db';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { config } from '@/lib/platform/config/config';
import { BEGINNING, chainKey, entryHash, type AuditFacts } from './chain';
import { allAudit, listAudit } from './read';
import { recordAudit, type Recorded } from './record';
import { verifyAudit } from './verify';

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
/** Runs a statement that no program of the service may run. */
async function tamper(statement: string): Promise<void> {
  await db.pool.query('ALTER TABLE audit_entries DISABLE TRIGGER USER');
  await db.pool.query(statement);
  await db.pool.query('ALTER TABLE audit_entries ENABLE TRIGGER USER');
}

beforeEach(() => tamper('DELETE FROM audit_entries'));

test('concurrent entries get numbers without gaps and form one chain', async () => {
  await Promise.all(
    Array.from({ length: 20 }, (_, n) => record({ target: `key:${n}`, details: { n, ключ: 'значение' } })),
  );
  expect(await verifyAudit(db.pool)).toMatchObject({ entries: 20n, broken: null });
});

test('a rolled back transaction leaves no entry', async () => {
  await record();
  const failed = transaction(db.pool, async (tx) => {
    await recordAudit(tx, entry({ target: 'never' }));
    throw new Error('no');
  });
  await expect(failed).rejects.toThrow('no');
  await record();
  expect(await verifyAudit(db.pool)).toMatchObject({ entries: 2n, broken: null });
});

test('O-07: the database refuses to change or delete an entry', async () => {
  await record();
  await expect(db.pool.query(`UPDATE audit_entries SET actor = 'user:2'`)).rejects.toThrow(/append-only/);
  await expect(db.pool.query('DELETE FROM audit_entries')).rejects.toThrow(/append-only/);
  await expect(db.pool.query('TRUNCATE audit_entries')).rejects.toThrow(/append-only/);
});

describe('a change by an attacker who can disable the trigger is detected', () => {
  test.each([
    `UPDATE audit_entries SET details = '{"n":7}' WHERE number = 3`,
    `UPDATE audit_entries SET at = at + interval '1 millisecond' WHERE number = 3`,
    `UPDATE audit_entries SET store_id = NULL WHERE number = 3`,
    `UPDATE audit_entries SET hash = decode(repeat('00', 32), 'hex') WHERE number = 3`,
    'DELETE FROM audit_entries WHERE number = 3',
  ])('O-07: %s', async (statement) => {
    for (let n = 1; n <= 5; n++) await record({ details: { n } });
    await tamper(statement);
    expect((await verifyAudit(db.pool)).broken).toMatchObject({ number: 3n });
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

test('entries with different fields never share a hash, even when their joined texts are equal', () => {
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

test('pages contain every entry once, filtered by store, actor and action', async () => {
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
