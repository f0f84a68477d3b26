// The rows of docs/failure-model.md#reading-and-cancelling.

import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { newSessionId } from '@/lib/platform/ids';
import { makeStore, type TestStore } from '@/testing/fixtures';
import { openFrontServer, outcome, SESSIONS, type Answered, type FrontServer } from '@/testing/front-server';
import { EXPIRES, openSettledSessions, PRICE } from '@/testing/payments/settled-session';

let front: FrontServer;
let other: TestStore;
let sessions: ReturnType<typeof openSettledSessions>;
beforeAll(async () => {
  front = await openFrontServer();
  other = await makeStore(front.db, front.config);
  const chains = await front.db.prisma.chain.findMany();
  sessions = openSettledSessions(
    front.db,
    front.clock,
    Object.fromEntries(chains.map(({ network, id }) => [network, id])),
  );
});
afterAll(() => front.close());

let id: string;
beforeEach(async () => {
  id = await sessions.make(front.store.storeId);
});

const NOT_FOUND = '404 SESSION_NOT_FOUND session_id';
const read = (of: string, store?: TestStore) =>
  front.send({ method: 'GET', path: `${SESSIONS}/${of}`, ...(store ? { store } : {}) });
const cancel = async (of: string, store?: TestStore) =>
  outcome(await front.send({ path: `${SESSIONS}/${of}/cancel`, body: '', ...(store ? { store } : {}) }));

/** A response without the parts that differ between any two. */
function comparable({ status, headers, text }: Answered) {
  const { 'x-request-id': requestId, date: _, ...rest } = headers;
  return { status, headers: rest, text: text.replace(String(requestId), '').replace(/"timestamp":\d+/, '') };
}

test("P-01 another merchant's session is like one that does not exist, byte for byte", async () => {
  const [foreign, missing] = [await read(id, other), await read(newSessionId('test'), other)];
  expect(outcome(foreign)).toBe(NOT_FOUND);
  expect(comparable(foreign)).toEqual(comparable(missing));
});

test("P-02 cancelling another merchant's session", async () => {
  expect([await cancel(id, other), await cancel(newSessionId('test'), other)]).toEqual([NOT_FOUND, NOT_FOUND]);
  expect([(await sessions.read(id)).status, await sessions.eventsOf(id)]).toEqual(['pending', []]);
});

test('P-03 cancelling twice, or an expired or failed session', async () => {
  expect([await cancel(id), await cancel(id)]).toEqual(['200', '400 SESSION_EXPIRED session_id']);
  expect(await sessions.eventsOf(id)).toEqual(['payment.cancelled']);
  const [expired, failed] = [
    await sessions.make(front.store.storeId, 'expired'),
    await sessions.make(front.store.storeId, 'failed'),
  ];
  expect([await cancel(expired), await cancel(failed)]).toEqual([
    '400 SESSION_EXPIRED session_id',
    '400 SESSION_FAILED session_id',
  ]);
});

test('P-04 cancelling a paid session', async () => {
  await sessions.transfer(id, { cents: PRICE });
  await sessions.settle(id);
  expect(await cancel(id)).toBe('400 SESSION_ALREADY_PAID session_id');
  expect(await sessions.eventsOf(id)).toEqual(['payment.completed']);
});

test('P-05 an unconfirmed payment keeps the session open (PAYMENT_IN_PROGRESS) until a reorg removes it', async () => {
  const { rows } = await front.db.pool.query(
    `INSERT INTO unconfirmed_transfers (chain_id, session_id, transaction_hash, ordinal, block_number, block_hash, block_time, currency, contract,
       payer, recipient, amount)
     SELECT id, $1, $2, 0, 95, '0xb', $3, 'USDT', '0xc', '0xp', '0xr', 1 FROM chains WHERE network = 'bsc' RETURNING id`,
    [id, `0x${randomUUID()}`, new Date((EXPIRES - 300) * 1000)],
  );
  expect(await cancel(id)).toBe('400 PAYMENT_IN_PROGRESS session_id');
  await front.db.pool.query('UPDATE unconfirmed_transfers SET orphaned_at = now() WHERE id = $1', [rows[0].id]);
  expect(await cancel(id)).toBe('200');
  // A payment that was mined before the expiry but is final after it is recorded as late.
  await sessions.transfer(id, { cents: PRICE });
  await sessions.settle(id);
  expect([(await sessions.read(id)).status, (await sessions.casesOf(id)).length]).toEqual(['canceled', 1]);
  expect(await sessions.eventsOf(id)).toEqual(['payment.cancelled']);
});

test(
  'P-06 each of 500 races between a cancel and a payment ends once, with one event',
  { timeout: 120_000 },
  async () => {
    const race = async () => {
      const one = await sessions.make(front.store.storeId);
      const pay = async () => {
        await sessions.transfer(one, { cents: PRICE });
        await sessions.settle(one);
      };
      const [canceled] = await Promise.all([cancel(one), pay()]);
      return { canceled, status: (await sessions.read(one)).status, events: await sessions.eventsOf(one) };
    };
    const ends = new Set<string>();
    for (let n = 0; n < 50; n++) {
      for (const { canceled, status, events } of await Promise.all(Array.from({ length: 10 }, race))) {
        ends.add(`${canceled} ${status} ${events.join()}`);
      }
    }
    const allowed = [
      '200 canceled payment.cancelled',
      '400 PAYMENT_IN_PROGRESS session_id completed payment.completed',
      '400 SESSION_ALREADY_PAID session_id completed payment.completed',
    ];
    expect([...ends].filter((end) => !allowed.includes(end))).toEqual([]);
  },
);

test('P-07 frequent reads get the same response each time, and above the rate the time to retry', async () => {
  const limited = await openFrontServer({
    LIMIT_LOOPBACK: 'on',
    KEY_RATE: '1',
    KEY_BURST: '100',
    DATABASE_POOL: '125',
  });
  try {
    const made = await limited.send();
    const path = `${SESSIONS}/${String(made.json.id)}`;
    const answers = await Promise.all(Array.from({ length: 120 }, () => limited.send({ method: 'GET', path })));
    const good = answers.filter(({ status }) => status === 200);
    const held = answers.filter(({ status }) => status !== 200);
    expect([good.length, new Set(good.map(({ text }) => text)).size, held.length]).toEqual([99, 1, 21]);
    for (const answer of held) {
      expect([outcome(answer), answer.headers['retry-after']]).toEqual(['429 RATE_LIMITED Authorization', '1']);
    }
    // Another key is not delayed.
    const store = await makeStore(limited.db, limited.config);
    expect(outcome(await limited.send({ store }))).toBe('200');
  } finally {
    await limited.close();
  }
});

test('P-08 ids carry at least 128 random bits, and refusing an existing id takes as long as refusing an unknown one', async () => {
  const ids = Array.from({ length: 2000 }, () => newSessionId('test').slice('cs_test_'.length));
  expect([new Set(ids).size, Math.log2(62) * (ids[0]?.length ?? 0) >= 128]).toEqual([2000, true]);
  // Each position takes every one of the 62 characters.
  for (let place = 0; place < 22; place++) expect(new Set(ids.map((one) => one[place])).size).toBe(62);

  const times: { foreign: number[]; missing: number[] } = { foreign: [], missing: [] };
  const timed = async (of: string) => {
    const began = performance.now();
    expect((await read(of, other)).status).toBe(404);
    return performance.now() - began;
  };
  for (let turn = 0; turn < 200; turn++) {
    times.foreign.push(await timed(id));
    times.missing.push(await timed(newSessionId('test')));
  }
  const median = (list: number[]) => list.toSorted((a, b) => a - b)[100] ?? 0;
  expect(median(times.foreign) / median(times.missing)).toBeGreaterThan(0.5);
  expect(median(times.foreign) / median(times.missing)).toBeLessThan(2);
});
