// The examples of events in the OpenAPI document. A test checks each against its schema.

import { CREATED, HASH, REFUND, SESSION_ID } from './examples';
import { PAYOUT } from './payout-examples';

const fact = {
  amount: 1250,
  currency: 'USDT',
  exchange_rate: '1',
  order_id: 'order-1001',
  session_id: SESSION_ID,
  source: 'api',
};
const transferred = { network: 'bsc', transaction_hash: HASH };
const refundFact = {
  session_id: SESSION_ID,
  order_id: 'order-1001',
  refund_id: 'refund-1001',
  refund_amount: 500,
  refund_currency: 'USDT',
  source: 'api',
  network: 'bsc',
};
const payoutFact = {
  payout_id: 'payout-2026-11-29',
  amount: 125_000,
  currency: 'USDT',
  network: 'bsc',
  destination: PAYOUT.completed.destination,
};
const event = (type: string, object: Record<string, unknown>) => ({
  id: 'evt_1700000123456789012',
  type,
  created_at: CREATED + 123,
  data: { object },
});

/** By type. A test checks that the keys equal those of the table. */
export const EVENTS: Readonly<Record<string, unknown>> = {
  'payment.completed': event('payment.completed', {
    status: 'completed',
    ...fact,
    network: 'bsc',
    transaction_hash: HASH,
    amount_received: 1250,
  }),
  'payment.failed': event('payment.failed', { status: 'failed', ...fact, amount_received: 500 }),
  'payment.expired': event('payment.expired', { status: 'expired', ...fact, amount_received: 0 }),
  'refund.succeeded': event('refund.succeeded', { ...refundFact, status: 'completed', transaction_hash: HASH }),
  'refund.failed': event('refund.failed', {
    ...refundFact,
    status: 'failed',
    failure_reason: REFUND.failed.failure_reason,
  }),
  'payout.paid': event('payout.paid', { ...payoutFact, status: 'completed', transaction_hash: HASH }),
  'payout.failed': event('payout.failed', {
    ...payoutFact,
    status: 'failed',
    failure_reason: PAYOUT.failed.failure_reason,
  }),
  'payment.cancelled': event('payment.cancelled', { status: 'canceled', ...fact, amount_received: 0 }),
  'payment.seen': event('payment.seen', {
    status: 'pending',
    ...fact,
    ...transferred,
    amount_received: 0,
    payment_amount: 500,
  }),
  'payment.partial': event('payment.partial', {
    status: 'pending',
    ...fact,
    ...transferred,
    amount_received: 500,
    payment_amount: 500,
  }),
  'payment.exception': event('payment.exception', {
    status: 'completed',
    ...fact,
    ...transferred,
    amount_received: 1500,
    payment_amount: 1500,
    exception_id: '42',
    exception_kind: 'over',
    exception_amount: 250,
  }),
};

export const EVENT_LIST = {
  oldest_first: {
    data: [EVENTS['payment.completed']],
    next_cursor: null,
    resume_cursor: 'ZWExIDQyIGV2dF8xNzAwMDAwMTIzNDU2Nzg5MDEy',
  },
};
export const LISTEN_RESPONSE = {
  one: {
    data: [
      {
        event_id: 'evt_1700000123456789012',
        event_type: 'payment.completed',
        body: JSON.stringify(EVENTS['payment.completed']),
      },
    ],
    resume_cursor: 'ZWExIDQyIGV2dF8xNzAwMDAwMTIzNDU2Nzg5MDEy',
  },
  nothing: { data: [], resume_cursor: 'ZWExIDQyIGV2dF8xNzAwMDAwMTIzNDU2Nzg5MDEy' },
};
