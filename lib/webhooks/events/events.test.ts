import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { PAYMENT_EVENTS, paymentEventBody, type PaymentEventType, type PaymentFacts } from './events';

const at = { id: 'evt_1800000000123000001', now: new Date(1_800_000_000_987) };
const paid: PaymentFacts = {
  sessionId: 'cs_test_1',
  orderId: 'order-1',
  amountDue: 1250n,
  currency: 'USDT',
  exchangeRate: null,
  network: 'bsc',
  transactionHash: '0xabc',
  amountReceived: 1300n,
};
const unpaid: PaymentFacts = { ...paid, network: null, transactionHash: null, amountReceived: 0n };
const common = {
  amount: 1250,
  currency: 'USDT',
  order_id: 'order-1',
  session_id: 'cs_test_1',
  source: 'api',
  exchange_rate: '1',
};

describe('W-22, W-23: a body has exactly the fields of the contract:', () => {
  test.each<[PaymentEventType, PaymentFacts, object]>([
    [
      'payment.completed',
      paid,
      {
        ...common,
        status: 'completed',
        network: 'bsc',
        transaction_hash: '0xabc',
        amount_received: 1300,
      },
    ],
    [
      'payment.completed',
      { ...paid, exchangeRate: '1.0834' },
      {
        ...common,
        status: 'completed',
        exchange_rate: '1.0834',
        network: 'bsc',
        transaction_hash: '0xabc',
        amount_received: 1300,
      },
    ],
    ['payment.failed', { ...unpaid, amountReceived: 700n }, { ...common, status: 'failed', amount_received: 700 }],
    ['payment.expired', unpaid, { ...common, status: 'expired', amount_received: 0 }],
    ['payment.cancelled', unpaid, { ...common, status: 'canceled', amount_received: 0 }],
    [
      'payment.cancelled',
      { ...unpaid, currency: 'USDC' },
      {
        ...common,
        status: 'canceled',
        currency: 'USDC',
        amount_received: 0,
      },
    ],
  ])('%s', (type, facts, object) => {
    expect(JSON.parse(paymentEventBody(type, facts, at))).toEqual({
      id: 'evt_1800000000123000001',
      type,
      created_at: 1_800_000_000,
      data: { object },
    });
  });
});

test('any text of an order id is unchanged in the body', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'grapheme' }),
      fc.constantFrom('\u2028', '\u2029', '"', '\\', '🧾', '</script>', '\u0000'),
      (text, odd) => {
        const orderId = `${text}${odd}${text}`;
        const body = Buffer.from(paymentEventBody('payment.completed', { ...paid, orderId }, at)).toString('utf8');
        expect(JSON.parse(body).data.object.order_id).toBe(orderId);
      },
    ),
  );
});

test('amounts are written as exact integers, however large', () => {
  fc.assert(
    fc.property(fc.bigInt(0n, 10n ** 60n), fc.constantFrom(...Object.keys(PAYMENT_EVENTS)), (amountReceived, type) => {
      const body = paymentEventBody(type as PaymentEventType, { ...paid, amountReceived }, at);
      expect(body).toContain(`"amount_received":${amountReceived}}`);
    }),
  );
});
