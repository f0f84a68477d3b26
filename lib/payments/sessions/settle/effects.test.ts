// What settling writes for the rows that it reads, without a database. settle.test.ts has the same on PostgreSQL.

import { describe, expect, test } from 'vitest';
import { networkSpec } from '@/lib/networks/networks';
import { openLog } from '@/lib/platform/log';
import { scriptedTransaction, type Answer } from '@/testing/database/scripted-transaction';
import type { NewException } from './exceptions';
import { loadForSettling } from './load';
import { writeExceptions } from './open-exceptions';
import { settleSessions } from './settle';

const NOW = new Date('2026-11-21T10:00:00Z');
const at = (seconds: number): Date => new Date(NOW.getTime() + seconds * 1000);
const log = openLog('test', 'silent');
const EXPIRES = 600;
const SESSION = {
  ...{ id: 'cs_1', store_id: 'st_1', environment: 'test', order_id: 'o-1', exchange_rate: null },
  ...{ settlement_currency: 'USDT', status: 'pending', accepted_from: null, amount_due: '1250', amount_received: '0' },
  ...{ exception: 'none', currencies: ['USDC', 'USDT'], networks: ['ethereum'], offered_pairs: ['ethereum-USDT'] },
  ...{ created_at: at(0), expires_at: at(EXPIRES), unread: [] as string[], is_held: false, proven: ['ethereum'] },
};
const transfer = (id: string, cents: number, over: object = {}) => ({
  ...{ id, session_id: 'cs_1', network: 'ethereum', currency: 'USDT', amount: `${cents * 10_000}`, decimals: 6 },
  ...{ block_time: at(60), transaction_hash: `0x${id}`, ordinal: 0, decision: null, returned: '0', unresolved: null },
  case_id: null,
  ...over,
});
const CASE = { case_id: '7', case_kind: 'late', case_state: 'open', case_amount: '0', case_counted: '0' };
const MOVED = { status: 'pending', store_id: 'st_1', order_id: 'o-1', request_id: null, traceparent: null };
const RECORDED = { session: 'cs_1', order_id: 'o-1', request_id: null, traceparent: null };
const chainAt = (seconds: number, over: object = {}) => ({
  ...{ environment: 'test', network: 'ethereum', final_time: at(seconds) },
  ...over,
});

type World = {
  readonly session?: object;
  readonly transfers?: readonly object[];
  readonly seen?: readonly object[];
  readonly chains?: readonly object[];
  readonly answers?: Readonly<Record<string, Answer>>;
};
/** Subscriptions of the store's endpoint; none by default. */
const wanting = (...events: string[]) => ({
  'sessions-wanting-optional-events': [{ ...SESSION, optional_events: events }],
  'optional-event-recorded': [],
  ...{ 'SAVEPOINT apart': 0, 'RELEASE SAVEPOINT apart': 0 },
});
const script = ({ session = {}, transfers = [], seen = [], chains = [chainAt(0)], answers = {} }: World) =>
  scriptedTransaction({
    'settle-chains': chains,
    'settle-sessions': [{ ...SESSION, ...session }],
    'settle-transfers': transfers,
    'settle-seen': seen,
    'remember-received': 1,
    'move-session': [MOVED],
    'record-event': [RECORDED],
    'post-entries': 1,
    'open-cases': (values) =>
      (JSON.parse(String(values[3])) as { transferId: string }[]).map(({ transferId }, n) => ({
        id: `${40 + n}`,
        transfer_id: transferId,
      })),
    'record-counted': (values) => (JSON.parse(String(values[0])) as unknown[]).length,
    'sessions-wanting-optional-events': [],
    ...answers,
  });
const settle = async (world: World, when: { now?: Date; holdSeconds?: number } = {}) => {
  const scripted = script(world);
  const closed = await settleSessions(scripted.tx, ['cs_1'], { now: NOW, log, ...when });
  return { ...scripted, closed };
};
/** The bodies of the recorded events. */
const eventsOf = ({ valuesOf }: Awaited<ReturnType<typeof settle>>) =>
  valuesOf('record-event').map(([, store, environment, type, object, body]) => ({
    ...{ store, environment, type, object },
    ...JSON.parse(String(body)).data.object,
  }));
/** The posted lines as `kind account amount`. */
const linesOf = ({ valuesOf }: Awaited<ReturnType<typeof settle>>): string[] =>
  valuesOf('post-entries').flatMap(([lines]) =>
    (JSON.parse(String(lines)) as Record<string, string>[]).map((one) => `${one.kind} ${one.account} ${one.amount}`),
  );

describe('a session that its payment completes', () => {
  test('remembers the amount, moves, records its event and credits the store, in this order', async () => {
    const done = await settle({ transfers: [transfer('1', 1250)] });
    expect(done.closed).toBe(1);
    expect(done.names().slice(4)).toEqual(['remember-received', 'move-session', 'record-event', 'post-entries']);
    expect(done.valuesOf('remember-received')).toEqual([['cs_1', 1250n, 'none']]);
    expect(done.valuesOf('move-session')).toEqual([
      ['cs_1', ['pending'], 'completed', NOW, null, 'ethereum', 'USDT', '0x1', 'complete'],
    ]);
    expect(eventsOf(done)).toEqual([
      {
        ...{ store: 'st_1', environment: 'test', type: 'payment.completed', object: 'cs_1' },
        ...{ amount: 1250, status: 'completed', currency: 'USDT', exchange_rate: '1', order_id: 'o-1' },
        ...{ session_id: 'cs_1', source: 'api', network: 'ethereum', transaction_hash: '0x1', amount_received: 1250 },
      },
    ]);
    expect(linesOf(done)).toEqual(['transfer received 12500000', 'transfer store:st_1 -12500000']);
  });

  test('posts a surplus as unresolved and opens an exception about it', async () => {
    const done = await settle({ transfers: [transfer('1', 1300)] });
    expect(linesOf(done)).toEqual([
      'transfer received 13000000',
      'transfer store:st_1 -12500000',
      'transfer unresolved:st_1 -500000',
    ]);
    expect(done.valuesOf('open-cases')).toEqual([
      ['st_1', 'test', 'cs_1', JSON.stringify([{ transferId: '1', kind: 'over', amount: '500000' }])],
    ]);
  });

  test('credits parts that were posted before from what is unresolved of them, and no more', async () => {
    const parts = [
      transfer('1', 500, { unresolved: '5000000' }),
      transfer('2', 500, { unresolved: '1000000' }),
      transfer('3', 100, { unresolved: '0' }),
      // The price needs 150 of these 300 cents; the rest stays unresolved.
      transfer('4', 300, { unresolved: '3000000' }),
    ];
    const done = await settle({ transfers: parts });
    expect(linesOf(done)).toEqual([
      'counted unresolved:st_1 5000000',
      'counted store:st_1 -5000000',
      'counted unresolved:st_1 1000000',
      'counted store:st_1 -1000000',
      'counted unresolved:st_1 1500000',
      'counted store:st_1 -1500000',
    ]);
  });

  test('records how much of a decided payment was counted', async () => {
    const late = transfer('1', 1250, {
      ...CASE,
      decision: 'accepted',
      case_state: 'accepted',
      case_amount: '12500000',
    });
    const done = await settle({ session: { status: 'expired' }, transfers: [late] });
    expect(done.closed).toBe(1);
    expect(done.valuesOf('record-counted')).toEqual([
      [JSON.stringify([{ id: '7', state: 'accepted', counted: '12500000' }]), NOW],
    ]);
    expect(done.valuesOf('move-session')[0]).toEqual([
      ...['cs_1', ['expired', 'failed', 'canceled'], 'completed', NOW, null, 'ethereum', 'USDT', '0x1', 'accept'],
    ]);
    expect(eventsOf(done)).toMatchObject([{ type: 'payment.completed', status: 'completed' }]);
  });

  test('fails as a whole when an exception was decided meanwhile', async () => {
    const late = transfer('1', 1250, { ...CASE, decision: 'accepted', case_state: 'accepted' });
    await expect(
      settle({ session: { status: 'expired' }, transfers: [late], answers: { 'record-counted': 0 } }),
    ).rejects.toThrow('an exception was decided before its payment could be counted');
  });
});

describe('a session that another transaction moved first', () => {
  test('records no event, is not counted as closed, and its payments stay unresolved', async () => {
    const done = await settle({ transfers: [transfer('1', 1250)], answers: { 'move-session': 0 } });
    expect(done.closed).toBe(0);
    expect(eventsOf(done)).toEqual([]);
    expect(linesOf(done)).toEqual(['transfer received 12500000', 'transfer unresolved:st_1 -12500000']);
  });
});

describe('a session that is not paid in time', () => {
  const scanned = [chainAt(EXPIRES)];
  const later = { now: at(EXPIRES) };

  test('expires, with the token in which it was requested', async () => {
    const done = await settle({ chains: scanned }, later);
    expect([done.closed, done.valuesOf('move-session')]).toEqual([
      1,
      [['cs_1', ['pending'], 'expired', later.now, null, null, null, null, 'expire']],
    ]);
    expect(eventsOf(done)).toMatchObject([{ type: 'payment.expired', currency: 'USDT', amount_received: 0 }]);
    expect(eventsOf(done)[0]).not.toHaveProperty('network');
    expect(done.names()).not.toContain('remember-received');
  });

  test('fails when a part was paid, and the event names no payment', async () => {
    const done = await settle({ chains: scanned, transfers: [transfer('1', 100)] }, later);
    expect(done.valuesOf('move-session')[0]?.at(-1)).toBe('fail');
    expect(eventsOf(done)).toMatchObject([{ type: 'payment.failed', status: 'failed', amount_received: 100 }]);
    expect(eventsOf(done)[0]).not.toHaveProperty('transaction_hash');
  });

  test('waits for a network as long as the caller says, for ever by default, and always while it is held', async () => {
    const away = { chains: [chainAt(0)] };
    const after = (seconds: number) => ({ now: at(EXPIRES + seconds), holdSeconds: 3600 });
    expect((await settle(away, after(3599))).closed).toBe(0);
    expect((await settle(away, after(3600))).closed).toBe(1);
    expect((await settle(away, { now: at(10 ** 9) })).closed).toBe(0);
    expect((await settle({ ...away, session: { is_held: true } }, after(10 ** 9))).closed).toBe(0);
  });

  test('waits while an unconfirmed transfer would pay it, but not for one in an unknown token', async () => {
    const contract = networkSpec('live', 'ethereum', 'public')?.tokens.USDT?.contract;
    const seen = transfer('9', 1250, { contract });
    expect((await settle({ chains: scanned, seen: [seen] }, later)).closed).toBe(0);
    expect((await settle({ chains: scanned, seen: [{ ...seen, contract: '0xother' }] }, later)).closed).toBe(1);
    expect((await settle({ chains: scanned, seen: [{ ...seen, session_id: 'cs_2' }] }, later)).closed).toBe(1);
  });

  test('waits for a network that is not read completely or not proven', async () => {
    for (const session of [{ unread: ['ethereum'] }, { proven: [] }]) {
      expect((await settle({ chains: scanned, session }, later)).closed).toBe(0);
    }
    expect((await settle({ chains: [chainAt(EXPIRES, { environment: 'live' })] }, later)).closed).toBe(0);
  });
});

describe('settling again', () => {
  test('writes nothing when nothing changed', async () => {
    const session = { status: 'completed', amount_received: '1250' };
    const done = await settle({ session, transfers: [transfer('1', 1250, { unresolved: '0' })] });
    expect([done.closed, done.names()]).toEqual([
      0,
      ['settle-chains', 'settle-sessions', 'settle-transfers', 'settle-seen'],
    ]);
  });

  test('remembers a changed exception although the amount is the same, and the other way round', async () => {
    const paid = [transfer('1', 1250, { unresolved: '0' })];
    const received = async (session: object) =>
      (await settle({ session: { status: 'completed', ...session }, transfers: paid })).valuesOf('remember-received');
    expect(await received({ amount_received: '1250', exception: 'over' })).toEqual([['cs_1', 1250n, 'none']]);
    expect(await received({ amount_received: '1249' })).toEqual([['cs_1', 1250n, 'none']]);
  });

  test('remembers the largest amount that JSON readers take exactly in place of a larger one', async () => {
    const huge = transfer('1', 0, { amount: `${2n ** 63n}0000`, unresolved: '0' });
    const { valuesOf } = await settle({ session: { status: 'completed' }, transfers: [huge] });
    expect(valuesOf('remember-received')[0]?.[1]).toBe(2n ** 53n - 1n);
  });

  test('never lets a later payment fill what was refunded of a completed session', async () => {
    const refunded = transfer('1', 1250, { ...CASE, decision: 'refund', case_state: 'refund', unresolved: '0' });
    const done = await settle({ session: { status: 'completed' }, transfers: [refunded, transfer('2', 300)] });
    expect(linesOf(done)).toEqual(['transfer received 3000000', 'transfer unresolved:st_1 -3000000']);
    expect(done.valuesOf('open-cases')[0]?.[3]).toBe(
      JSON.stringify([{ transferId: '2', kind: 'over', amount: '3000000' }]),
    );
  });

  test('returns only the exceptions that this transaction opened', async () => {
    const { tx } = script({ answers: { 'open-cases': [{ id: '41', transfer_id: '2' }] } });
    const [session] = await loadForSettling(tx, ['cs_1']);
    const [one, two] = ['1', '2'].map(
      (id) => ({ transfer: { id }, kind: 'over', amount: 1n }) as unknown as NewException,
    );
    if (!session || !one || !two) throw new Error('the session was not loaded');
    const shares = { toStore: new Map(), newExceptions: [one, two], countedExceptions: [] };
    expect(await writeExceptions(tx, session, shares, NOW)).toEqual([{ ...two, id: '41' }]);
  });

  test('of no session runs no statement', async () => {
    const { tx, names } = script({});
    expect([await settleSessions(tx, [], { now: NOW, log }), names()]).toEqual([0, []]);
  });
});

describe('optional events', () => {
  test('tell of a part once, while the session still waits for the rest', async () => {
    const answers = wanting('payment.partial', 'payment.exception');
    const done = await settle({
      transfers: [transfer('1', 500), transfer('2', 100, { unresolved: '1000000' })],
      answers,
    });
    expect(eventsOf(done)).toMatchObject([{ type: 'payment.partial', payment_amount: 500, transaction_hash: '0x1' }]);
    expect(done.valuesOf('sessions-wanting-optional-events')).toEqual([[['cs_1'], ['payment.partial']]]);
    const completed = await settle({ transfers: [transfer('1', 1250)], answers });
    expect(eventsOf(completed).map(({ type }) => type)).toEqual(['payment.completed']);
  });

  test('tell of an opened exception with its part of the payment', async () => {
    const done = await settle({ transfers: [transfer('1', 1300)], answers: wanting('payment.exception') });
    expect(eventsOf(done).at(-1)).toMatchObject({
      ...{ type: 'payment.exception', exception_id: '40', exception_kind: 'over', exception_amount: 50 },
      payment_amount: 1300,
    });
    const raced = await settle({
      transfers: [transfer('1', 1300)],
      answers: { ...wanting('payment.exception'), 'open-cases': [] },
    });
    expect(eventsOf(raced).map(({ type }) => type)).toEqual(['payment.completed']);
  });
});

test('the inputs are read with exact amounts, per session and environment', async () => {
  const kept = { ...CASE, case_kind: 'over', case_state: 'kept', case_amount: '900', case_counted: '200' };
  const { tx, valuesOf } = script({
    seen: [transfer('9', 10, { contract: '0xother' })],
    session: { exchange_rate: '1.15', accepted_from: 'expired' },
    transfers: [
      transfer('1', 10, { ...kept, decision: 'kept', returned: '5', unresolved: '7' }),
      transfer('2', 10, { ...kept, case_state: 'open' }),
      transfer('3', 10, { session_id: 'cs_2' }),
    ],
    chains: [chainAt(5), chainAt(7, { network: 'bsc' }), chainAt(9, { environment: 'live', network: 'tron' })],
  });
  const [session] = await loadForSettling(tx, ['cs_1']);
  const seconds = NOW.getTime() / 1000;
  expect(session).toMatchObject({
    ...{ id: 'cs_1', storeId: 'st_1', orderId: 'o-1', exchangeRate: '1.15', acceptedFrom: 'expired' },
    ...{ amountDue: 1250n, createdAt: seconds, expiresAt: seconds + EXPIRES, seen: [], isHeld: false },
    scannedThrough: { ethereum: seconds + 5, bsc: null },
    transfers: [
      {
        ...{ id: '1', amount: 100_000n, decision: 'kept', returned: 5n, unresolved: 7n, ordinal: 0 },
        exception: { id: '7', kind: 'over', state: 'kept', amount: 900n, counted: 200n },
      },
      { id: '2', unresolved: null, exception: { state: 'open' } },
    ],
  });
  expect(session?.transfers).toHaveLength(2);
  for (const name of ['settle-sessions', 'settle-transfers', 'settle-seen'])
    expect(valuesOf(name)).toEqual([[['cs_1']]]);
  expect(Object.keys(session?.scannedThrough ?? {})).toEqual(['ethereum', 'bsc']);
});

test('the rows of a batch are read once, however many sessions there are', async () => {
  const sessions = Array.from({ length: 50 }, (_, n) => ({ ...SESSION, id: `cs_${n}` }));
  let reads = 0;
  const rowsOf = (over: object) =>
    sessions.map(({ id }, n) => {
      const row = { ...transfer(`${n}`, 10, over) };
      return Object.defineProperty(row, 'session_id', { get: () => (reads++, id) });
    });
  const { tx } = script({
    transfers: rowsOf({}),
    seen: rowsOf({ contract: '0xother' }),
    answers: { 'settle-sessions': sessions },
  });
  const loaded = await loadForSettling(
    tx,
    sessions.map(({ id }) => id),
  );
  expect(loaded.map(({ transfers }) => transfers.map(({ id }) => `cs_${id}`))).toEqual(sessions.map(({ id }) => [id]));
  expect(reads).toBeLessThanOrEqual(4 * sessions.length);
});
