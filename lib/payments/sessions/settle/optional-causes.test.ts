// Which causes become optional events, without a database. optional-events.test.ts has the same on PostgreSQL.

import { describe, expect, test, vi } from 'vitest';
import { networkSpec } from '@/lib/networks/networks';
import { openLog } from '@/lib/platform/log';
import { scriptedTransaction, type Answer } from '@/testing/database/scripted-transaction';
import { recordOptionalEvents, recordSeen, type EventCause, type SeenTransfer } from './optional-events';

const NOW = new Date('2026-11-21T10:00:00Z');
const START = NOW.getTime() / 1000;
const CONTRACT = networkSpec('live', 'ethereum', 'public')?.tokens.USDT?.contract ?? '';
const row = (id: string, over: object = {}) => ({
  ...{ id, store_id: 'st_1', environment: 'test', order_id: `o-${id}`, status: 'pending', accepted_from: null },
  ...{ amount_due: '1250', amount_received: '100', exchange_rate: '1.15' },
  ...{ networks: ['ethereum'], offered_pairs: ['ethereum-USDT'], created_at: NOW },
  ...{ expires_at: new Date(NOW.getTime() + 600_000), optional_events: ['payment.seen', 'payment.partial'] },
  ...over,
});
const payment = (over: object = {}): EventCause['payment'] => ({
  ...{ network: 'ethereum', currency: 'USDT', amount: 123_456n, decimals: 6, blockTime: START + 60 },
  ...{ transactionHash: '0xa', ordinal: 3, decision: null },
  ...over,
});
const partial = (sessionId = 'cs_1', over: object = {}): EventCause => ({
  type: 'payment.partial',
  sessionId,
  payment: payment(over),
});
const SAVEPOINTS = {
  ...{ 'SAVEPOINT apart': 0, 'RELEASE SAVEPOINT apart': 0 },
  'ROLLBACK TO SAVEPOINT apart; RELEASE SAVEPOINT apart': 0,
};
const open = (answers: Readonly<Record<string, Answer>> = {}) => {
  const log = openLog('test', 'silent');
  const failures = vi.spyOn(log, 'error');
  const scripted = scriptedTransaction({
    'sessions-wanting-optional-events': [row('cs_1')],
    'optional-event-recorded': [],
    'record-event': [{ session: 'cs_1', order_id: 'o-1', request_id: null, traceparent: null }],
    'optional-events-network': [{ network: 'ethereum' }],
    ...SAVEPOINTS,
    ...answers,
  });
  const bodies = () =>
    scripted.valuesOf('record-event').map(([, store, environment, type, object, body, , cause]) => ({
      ...{ store, environment, type, object, cause },
      ...JSON.parse(String(body)).data.object,
    }));
  return { ...scripted, log, failures, bodies, at: { now: NOW, log } };
};

describe('an optional event', () => {
  test('has the session’s facts and those of its payment, and is named by the transfer', async () => {
    const { tx, at, bodies, valuesOf } = open();
    await recordOptionalEvents(tx, [partial()], at);
    expect(bodies()).toEqual([
      {
        ...{ store: 'st_1', environment: 'test', type: 'payment.partial', object: 'cs_1', cause: 'ethereum 0xa 3' },
        ...{ amount: 1250, status: 'pending', currency: 'USDT', exchange_rate: '1.15', order_id: 'o-cs_1' },
        ...{ session_id: 'cs_1', source: 'api', network: 'ethereum', transaction_hash: '0xa' },
        ...{ amount_received: 100, payment_amount: 12 },
      },
    ]);
    expect(valuesOf('optional-event-recorded')).toEqual([['cs_1', 'payment.partial', 'ethereum 0xa 3']]);
  });

  test('about an exception is named by it, and counts also a payment that does not count', async () => {
    const { tx, at, bodies } = open({
      'sessions-wanting-optional-events': [row('cs_1', { optional_events: ['payment.exception'] })],
    });
    const exception = { id: '7', kind: 'late', amount: 29_999n } as const;
    const cause: EventCause = {
      ...{ type: 'payment.exception', sessionId: 'cs_1', exception },
      payment: payment({ currency: 'USDC' }),
    };
    await recordOptionalEvents(tx, [cause], at);
    expect(bodies()).toMatchObject([
      { type: 'payment.exception', cause: '7', exception_id: '7', exception_kind: 'late', exception_amount: 2 },
    ]);
  });

  test('is recorded once for its cause', async () => {
    const { tx, at, bodies } = open({ 'optional-event-recorded': [{}] });
    await recordOptionalEvents(tx, [partial()], at);
    expect(bodies()).toEqual([]);
  });

  test('is recorded only for a subscription to its type', async () => {
    const { tx, at, bodies, valuesOf } = open({
      'sessions-wanting-optional-events': [row('cs_1', { optional_events: ['payment.seen'] })],
    });
    await recordOptionalEvents(tx, [partial(), partial('cs_2'), { ...partial(), type: 'payment.seen' }], at);
    expect(bodies().map(({ type, object }) => `${type} ${object}`)).toEqual(['payment.seen cs_1']);
    // Each session and each type is requested once.
    expect(valuesOf('sessions-wanting-optional-events')).toEqual([
      [
        ['cs_1', 'cs_2'],
        ['payment.partial', 'payment.seen'],
      ],
    ]);
  });

  test.each([
    ['in another token', { currency: 'USDC' }],
    ['on another network', { network: 'bsc' }],
    ['after the expiry', { blockTime: START + 600 }],
    ['long before the session', { blockTime: START - 100_000 }],
    ['below a cent', { amount: 9_999n }],
  ])('is not caused by a payment %s', async (_, over) => {
    const { tx, at, bodies } = open();
    await recordOptionalEvents(tx, [partial('cs_1', over)], at);
    expect(bodies()).toEqual([]);
  });

  test('follows the rules of a session that an accepted payment completed', async () => {
    const reopened = row('cs_1', { status: 'completed', accepted_from: 'expired' });
    const { tx, at, bodies } = open({ 'sessions-wanting-optional-events': [reopened] });
    await recordOptionalEvents(tx, [partial()], at);
    expect(bodies()).toEqual([]);
  });

  test('that cannot be written is logged, and the others are recorded', async () => {
    const fault = new Error('refused');
    const failing = (values: readonly unknown[]) => {
      if (values[3] === 'payment.seen') throw fault;
      return [{ session: 'cs_1', order_id: 'o-1', request_id: null, traceparent: null }];
    };
    const { tx, at, bodies, failures, names } = open({ 'record-event': failing });
    await recordOptionalEvents(tx, [{ ...partial(), type: 'payment.seen' }, partial()], at);
    expect(bodies().map(({ type }) => type)).toEqual(['payment.seen', 'payment.partial']);
    expect(names()).toContain('ROLLBACK TO SAVEPOINT apart; RELEASE SAVEPOINT apart');
    expect(failures).toHaveBeenCalledExactlyOnceWith(
      { err: fault, sessionId: 'cs_1', type: 'payment.seen' },
      expect.any(String),
    );
  });

  test('that lost a race fails the transaction, which is tried again', async () => {
    const lost = Object.assign(new Error('deadlock'), { code: '40P01' });
    const { tx, at, failures } = open({ 'record-event': lost });
    await expect(recordOptionalEvents(tx, [partial()], at)).rejects.toBe(lost);
    expect(failures).not.toHaveBeenCalled();
  });

  test('without a cause runs no statement', async () => {
    const { tx, at, names } = open();
    await recordOptionalEvents(tx, [], at);
    await recordSeen(tx, { chainId: 1, transfers: [] }, at);
    expect(names()).toEqual([]);
  });
});

describe('an unconfirmed transfer', () => {
  const seen = (over: Partial<SeenTransfer> = {}): SeenTransfer => ({
    ...{ sessionId: 'cs_1', currency: 'USDT', contract: CONTRACT, amount: 12_500_000n, blockTime: START + 60 },
    ...{ transactionHash: '0xb', ordinal: 0 },
    ...over,
  });

  test('causes payment.seen with the decimals of its contract', async () => {
    const { tx, at, bodies, valuesOf } = open();
    await recordSeen(tx, { chainId: 9, transfers: [seen(), seen({ contract: '0xother', ordinal: 1 })] }, at);
    expect(valuesOf('optional-events-network')).toEqual([[9]]);
    expect(valuesOf('sessions-wanting-optional-events')).toEqual([[['cs_1'], ['payment.seen']]]);
    expect(bodies()).toMatchObject([{ type: 'payment.seen', cause: 'ethereum 0xb 0', payment_amount: 1250 }]);
  });

  test('on an unknown chain is a fault', async () => {
    const { tx, at } = open({ 'optional-events-network': [] });
    await expect(recordSeen(tx, { chainId: 9, transfers: [seen()] }, at)).rejects.toThrow('there is no chain 9');
  });
});
