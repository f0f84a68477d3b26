import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { ApiResponse } from '@/lib/platform/http';
import { answer } from '@/lib/api/answer';
import { openServices, type Services } from '@/lib/api/services';
import { transaction, type Tx } from '@/lib/platform/database/db';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { untilTransactionsEnd } from '@/testing/database/open-transactions';
import { makeStore, signedRequest, TestClock, testConfig, testContext, type TestStore } from '@/testing/fixtures';
import type { PaymentEventType } from './events';
import { recordPaymentEvent } from './record';

const clock = new TestClock();
const config = testConfig();
let db: TestDatabase;
let services: Services;
let store: TestStore;

beforeAll(async () => {
  db = await openTestDatabase();
  services = openServices(testContext(db, clock, config));
});
afterAll(() => db.close());
beforeEach(async () => {
  store = await makeStore(db, config);
});

const json = (response: ApiResponse) => JSON.parse(response.body);
const request = (query = '', of = store) =>
  answer(services, { ...signedRequest(of, { method: 'GET', path: '/api/v1/events', now: clock.now() }), query });
type Listed = { data: { id: string; data: { object: { session_id: string } } }[]; next_cursor: string | null };
const list = async (query = ''): Promise<Listed & { resume_cursor?: string }> => {
  const response = await request(query);
  expect(response.status).toBe(200);
  return json(response);
};
const sessionsOf = ({ data }: Listed): string[] => data.map((event) => event.data.object.session_id);

function record(tx: Tx, sessionId: string, type: PaymentEventType = 'payment.completed'): Promise<void> {
  return recordPaymentEvent(tx, {
    storeId: store.storeId,
    environment: 'test',
    type,
    sessionId,
    orderId: randomUUID(),
    amountDue: 1250n,
    currency: 'USDT',
    exchangeRate: null,
    network: null,
    transactionHash: null,
    amountReceived: 0n,
    now: clock.now(),
  });
}
const happens = (sessionId: string, type?: PaymentEventType) =>
  transaction(db.pool, (tx) => record(tx, sessionId, type));

/** A transaction that a test ends when it wants to. */
async function open(): Promise<{ tx: Tx; client: pg.PoolClient; end: (how: 'COMMIT' | 'ROLLBACK') => Promise<void> }> {
  const client = await db.pool.connect();
  await client.query('BEGIN');
  const end = async (how: string): Promise<void> => {
    await client.query(how);
    client.release();
  };
  return { tx: client as unknown as Tx, client, end };
}

describe('a reader who follows the events oldest first', () => {
  test('never misses an event that was written earlier and committed later', async () => {
    await happens('cs_first');
    await untilTransactionsEnd(db);
    const first = await list('order=asc');
    expect(sessionsOf(first)).toEqual(['cs_first']);
    const start = first.resume_cursor;

    const slow = await open();
    await record(slow.tx, 'cs_slow');
    const quick = await open();
    await record(quick.tx, 'cs_quick');
    await quick.end('COMMIT');
    // Newest first, it is shown at once. A follower has to wait, or it would miss the slow one.
    expect(sessionsOf(await list())).toEqual(['cs_quick', 'cs_first']);
    const waiting = await list(`order=asc&cursor=${start}`);
    expect(waiting).toEqual({ data: [], next_cursor: null, resume_cursor: start });

    await slow.end('COMMIT');
    await untilTransactionsEnd(db);
    expect(sessionsOf(await list(`order=asc&cursor=${start}`))).toEqual(['cs_slow', 'cs_quick']);
  });

  test('is not delayed by an event that was rolled back', async () => {
    const undone = await open();
    await record(undone.tx, 'cs_undone');
    await happens('cs_kept');
    expect((await list('order=asc')).data).toEqual([]);
    await undone.end('ROLLBACK');
    await untilTransactionsEnd(db);
    expect(sessionsOf(await list('order=asc'))).toEqual(['cs_kept']);
  });

  test('gets each of many concurrent events exactly once while they are being written', async () => {
    const written = new Set<string>();
    const seen: string[] = [];
    let cursor = '';
    const follow = async (): Promise<void> => {
      const page = await list(`order=asc&limit=7${cursor}`);
      seen.push(...sessionsOf(page));
      cursor = `&cursor=${page.resume_cursor}`;
    };
    const writer = async (name: number): Promise<void> => {
      for (let n = 0; n < 12; n++) {
        const id = `cs_${name}_${n}`;
        const one = await open();
        // A transaction gets its number with its first change; others overtake it before it records its event.
        await one.client.query('SELECT pg_current_xact_id()');
        if (n % 3 === name) await happens(`${id}_between`).then(() => written.add(`${id}_between`));
        await record(one.tx, id);
        await one.end('COMMIT');
        written.add(id);
      }
    };
    const state = { isOver: false };
    const writing = Promise.all([0, 1, 2].map(writer)).finally(() => (state.isOver = true));
    while (!state.isOver) await follow();
    await writing;
    await untilTransactionsEnd(db);
    for (let pages = 0; pages < written.size && seen.length < written.size; pages++) await follow();
    expect(seen.toSorted()).toEqual([...written].toSorted());
  });

  test('gets positions above every earlier one after a restart of the server with a slow clock', async () => {
    await happens('cs_before');
    await untilTransactionsEnd(db);
    const page = await list('order=asc');
    expect(page.data).toHaveLength(1);
    // The earlier start was in the future, by its clock.
    const ahead = 1_000_000_000_000;
    await db.pool.query('ALTER TABLE events DISABLE TRIGGER USER');
    await db.pool.query('UPDATE events SET written_in = written_in + $2 WHERE store_id = $1', [store.storeId, ahead]);
    await db.pool.query('ALTER TABLE events ENABLE TRIGGER USER');
    await db.pool.query(
      `UPDATE position_eras SET server_started_at = server_started_at - interval '1 day', began = began + $1, base = base + $1`,
      [ahead],
    );
    await untilTransactionsEnd(db);
    const moved = await list('order=asc');
    expect(moved.data).toEqual(page.data);
    await happens('cs_after');
    await untilTransactionsEnd(db);
    expect(sessionsOf(await list(`order=asc&cursor=${moved.resume_cursor}`))).toEqual(['cs_after']);
  });

  test('begins one era when many processes write first after a start of the server', async () => {
    await db.pool.query(`UPDATE position_eras SET server_started_at = server_started_at - interval '2 days'`);
    const before = await db.prisma.positionEra.count();
    await Promise.all(Array.from({ length: 8 }, (_, n) => happens(`cs_era_${n}`)));
    expect(await db.prisma.positionEra.count()).toBe(before + 1);
    await untilTransactionsEnd(db);
    expect((await list('order=asc')).data).toHaveLength(8);
  });
});

describe('the list of events', () => {
  test('contains the exact recorded texts, newest first, each once', async () => {
    for (const n of [1, 2, 3, 4, 5]) await happens(`cs_${n}`);
    const first = await list('limit=2');
    await happens('cs_6');
    const second = await list(`limit=2&cursor=${first.next_cursor}`);
    const third = await list(`limit=2&cursor=${second.next_cursor}`);
    expect([first, second, third].flatMap(sessionsOf)).toEqual(['cs_5', 'cs_4', 'cs_3', 'cs_2', 'cs_1']);
    expect(third.next_cursor).toBeNull();
    const { body } = await db.prisma.event.findFirstOrThrow({ where: { objectId: 'cs_6', storeId: store.storeId } });
    expect((await request('limit=1')).body).toContain(`{"data":[${body}],"next_cursor":"`);
  });

  test('can be narrowed by type, object and time', async () => {
    await happens('cs_a', 'payment.expired');
    clock.advance(60);
    const from = clock.now().getTime() / 1000;
    await happens('cs_b');
    expect(sessionsOf(await list('type=payment.expired'))).toEqual(['cs_a']);
    expect(sessionsOf(await list('object_id=cs_b'))).toEqual(['cs_b']);
    expect(sessionsOf(await list(`created_from=${from}`))).toEqual(['cs_b']);
    expect(sessionsOf(await list(`created_to=${from}`))).toEqual(['cs_a']);
  });

  test('contains only the store’s own environment', async () => {
    await happens('cs_mine');
    const other = await makeStore(db, config);
    const live = await makeStore(db, config, 'live');
    await db.prisma.apiKey.update({ where: { id: live.keyId }, data: { storeId: store.storeId } });
    for (const stranger of [other, live]) {
      expect(json(await request('', stranger))).toEqual({ data: [], next_cursor: null });
      expect(json(await request('object_id=cs_mine', stranger)).data).toEqual([]);
    }
  });

  test.each([
    ['limit=101', 'limit'],
    ['type=payment.success', 'type'],
    ['object_id=', 'object_id'],
    ['object_id=%00', 'object_id'],
    ['order=random', 'order'],
    ['created_from=-1', 'created_from'],
    ['cursor=x', 'cursor'],
    [`cursor=${Buffer.from('ed1 99999999999999999999 evt_1').toString('base64url')}`, 'cursor'],
    [`order=asc&cursor=${Buffer.from('ed1 5 evt_1').toString('base64url')}`, 'cursor'],
  ])('refuses ?%s and names the parameter', async (query, param) => {
    const { error } = json(await request(query));
    expect([error.code, error.param]).toEqual(['INVALID_PARAMETER', param]);
  });
});
