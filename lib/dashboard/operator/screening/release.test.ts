// A hit is released by two operators who were shown exactly this hit, and in no other way. What it froze is listed with its payments.

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { readFacts } from '@/lib/installation/alarms/facts';
import { readMetrics } from '@/lib/installation/metrics/metrics';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { makeStore, TestClock, testConfig, testContext } from '@/testing/fixtures';
import { LIST_KEY, loadList } from '@/testing/screening/signed-list';
import { listHits, readScreeningState } from './read';
import { decideRelease, type ReleaseDecision } from './release';

const [FIRST, SECOND] = ['11111111-1111-4111-8111-111111111111', '22222222-2222-4222-8222-222222222222'] as const;
const PAYER = `0x${'a1'.repeat(20)}`;
const HASH = `0x${'77'.repeat(32)}`;

let db: TestDatabase;
let storeId: string;
const clock = new TestClock();
const config = testConfig({ SCREENING_LIST_KEY: LIST_KEY });
const context = () => testContext(db, clock, config);

beforeAll(async () => {
  db = await openTestDatabase();
  ({ storeId } = await makeStore(db, config));
  for (const id of [FIRST, SECOND])
    await db.prisma.user.create({ data: { id, email: `${id}@example.test`, passwordHash: '-', role: 'operator' } });
  await db.pool.query(
    `INSERT INTO sessions (id, store_id, environment, order_id, amount_total, currency, amount_due, currencies, networks, created_at,
       expires_at, address_index, evm_address, tron_address, solana_address)
     VALUES ('cs_test_tainted', $1, 'test', 'order', 100, 'USD', 100, '{USDT}', '{ethereum}', now(), now(), 1, '0xdd', 'T', 'S')`,
    [storeId],
  );
  await db.pool.query(
    `INSERT INTO transfers (chain_id, network, session_id, transaction_hash, ordinal, block_number, block_hash, block_time, currency,
       contract, payer, recipient, amount, decimals)
     VALUES (1, 'ethereum', 'cs_test_tainted', $2, 0, 1, '', now(), 'USDT', '0xc', $1, '0xdd', 1230000, 6)`,
    [PAYER, HASH],
  );
});
afterAll(() => db.close());
beforeEach(async () => {
  await db.pool.query('TRUNCATE screenings, approvals, sanctioned_addresses, sanctions_lists');
  await db.pool.query('UPDATE users SET role_granted_by = NULL, role_granted_at = NULL, disabled_at = NULL');
  await insertHit();
});

const insertHit = () =>
  db.pool.query(
    `INSERT INTO screenings (environment, network, address, role, transaction_hash, verdict, source, entity, requested_at, checked_at)
     VALUES ('test', 'ethereum', $1, 'sender', $2, 'hit', 'hook', 'A mixer', $3, $3)`,
    [PAYER, HASH, clock.now()],
  );
const shown = async () => (await listHits(context(), { before: null, limit: 10 })).rows;
async function decide(move: ReleaseDecision['move'], userId: string, over: Partial<ReleaseDecision> = {}) {
  const [hit] = await shown();
  const given = {
    screening: hit?.id ?? '1',
    digest: hit?.release.digest ?? 'a'.repeat(64),
    note: 'checked with the bank',
  };
  await decideRelease(context(), { ...given, move, userId, address: '192.0.2.1', ...over });
}
const refused = (code: string) => expect.objectContaining({ code }) as unknown;
const isReleased = async () => (await db.pool.query('SELECT released_at, released_by FROM screenings')).rows[0];

test('a hit is listed with its source, its time and the payments that it freezes', async () => {
  expect(await shown()).toMatchObject([
    {
      role: 'sender',
      source: 'hook',
      entity: 'A mixer',
      foundAt: clock.now(),
      payments: [{ storeId, sessionId: 'cs_test_tainted', currency: 'USDT', amount: '1.230000' }],
      release: { requestedBy: null, declined: null },
    },
  ]);
});

describe('a release', () => {
  test('takes two operators with a reason, and is audited', async () => {
    await decide('request', FIRST);
    expect(await isReleased()).toMatchObject({ released_at: null });
    expect((await shown())[0]?.release.requestedBy).toMatchObject({ userId: FIRST, note: 'checked with the bank' });
    await decide('approve', SECOND, { note: null }).catch(() => {});
    expect(await isReleased()).toMatchObject({ released_at: null });
    await decide('approve', SECOND);
    expect(await isReleased()).toEqual({ released_at: clock.now(), released_by: SECOND });
    expect(await shown()).toEqual([]);
    const { rows } = await db.pool.query(`SELECT action, actor, target, details FROM audit_entries ORDER BY number`);
    expect(rows).toMatchObject([
      { action: 'screening.release_ask', actor: `user:${FIRST}` },
      {
        action: 'screening.release_approve',
        actor: `user:${SECOND}`,
        target: `ethereum ${PAYER}`,
        details: { source: 'hook' },
      },
    ]);
  });

  test('is refused from one operator alone, from two who are not independent, and without a reason', async () => {
    await expect(decide('request', FIRST, { note: null })).rejects.toEqual(refused('INVALID_PARAMETER'));
    await expect(decide('approve', FIRST)).rejects.toEqual(refused('APPROVAL_CHANGED'));
    await decide('request', FIRST);
    await expect(decide('approve', FIRST)).rejects.toEqual(refused('APPROVAL_BY_TWO'));
    await db.pool.query(`UPDATE users SET role_granted_by = $1, role_granted_at = '2020-01-01' WHERE id = $2`, [
      FIRST,
      SECOND,
    ]);
    await expect(decide('approve', SECOND)).rejects.toEqual(refused('APPROVAL_BY_TWO'));
    expect(await isReleased()).toMatchObject({ released_at: null });
  });

  test('of another hit than the one that was shown is refused, and a decline ends the request', async () => {
    await expect(decide('request', FIRST, { digest: 'b'.repeat(64) })).rejects.toEqual(refused('APPROVAL_CHANGED'));
    await decide('request', FIRST);
    await db.pool.query(`UPDATE screenings SET source = 'hook list', entity = 'A mixer; SDN 1'`);
    await expect(decide('approve', SECOND)).rejects.toEqual(refused('APPROVAL_CHANGED'));
    await decide('request', SECOND);
    await decide('decline', FIRST, { note: 'it is the mixer' });
    expect((await shown())[0]?.release).toMatchObject({ requestedBy: null, declined: { note: 'it is the mixer' } });
    await expect(decide('approve', FIRST)).rejects.toEqual(refused('APPROVAL_CHANGED'));
  });

  test('of an unknown or released hit is refused', async () => {
    for (const screening of ['999999', 'x', ''])
      await expect(decide('request', FIRST, { screening })).rejects.toEqual(refused('NOT_FOUND'));
  });

  test('ends when a list names the address for the first time, and the hit is listed again', async () => {
    await decide('request', FIRST);
    await decide('approve', SECOND);
    await loadList(db.pool, [PAYER], { asOf: clock.now().toISOString() });
    expect(await isReleased()).toEqual({ released_at: null, released_by: null });
    expect(await shown()).toMatchObject([{ source: 'list', release: { requestedBy: null } }]);
    await decide('request', FIRST);
    await decide('approve', SECOND);
    expect(await shown()).toEqual([]);
  });
});

test('hits, late answers and an old list are alarms and metrics, and a released hit is none', async () => {
  const kinds = async () =>
    (await readFacts(context())).facts.map(({ kind }) => kind).filter((kind) => kind.startsWith('screening'));
  expect((await kinds()).toSorted()).toEqual(['screening_hit', 'screening_list']);
  await loadList(db.pool, [`0x${'b2'.repeat(20)}`], { asOf: clock.now().toISOString() });
  await db.pool.query(
    `INSERT INTO screenings (environment, network, address, role, requested_at, next_at) VALUES ('live', 'tron', 'T', 'payee', $1, $1)`,
    [clock.now()],
  );
  expect(await kinds()).toEqual(['screening_hit']);
  expect(await readMetrics(context())).toMatch(/stabletill_screening_hits 1\n[^]*stabletill_screening_waiting 1\n/);
  clock.advance(16 * 60);
  expect((await kinds()).toSorted()).toEqual(['screening_hit', 'screening_waiting']);
  await db.pool.query(`UPDATE screenings SET released_at = now() WHERE verdict = 'hit'`);
  expect(await kinds()).toEqual(['screening_waiting']);
  clock.advance(8 * 86_400);
  expect(await readScreeningState(context())).toMatchObject({
    isOn: true,
    waiting: 1,
    list: { entries: 1, isStale: true },
  });
  expect(await kinds()).toContain('screening_list');
});
