// The till shows what the server has decided, and never shows a sale as paid before it is.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { PayMethod, PublicStatus } from '@/lib/payments/checkout/view';
import { hasException, saleStage, shortOf, slowestPayment } from './stage';

type Seen = PublicStatus['seen'][number];
const seen = (over: Partial<Seen> = {}): Seen => ({
  network: 'bsc',
  currency: 'USDT',
  amount: '12.34',
  confirmations: 1,
  confirmations_required: 3,
  final: false,
  transaction_hash: '0x1',
  explorer_url: null,
  orphaned: false,
  verdict: 'counts',
  ...over,
});
const method: PayMethod = {
  network: 'bsc',
  currency: 'USDT',
  address: '0x2',
  amount: '12.34',
  token: '0x3',
  payment_uri: 'ethereum:0x3',
};
const status = (over: Partial<PublicStatus> = {}): PublicStatus => ({
  status: 'PENDING',
  payment_status: 'unpaid',
  expires_at: 200,
  amount_due: '12.34',
  amount_received: '0.00',
  methods: [method],
  server_time: 100,
  exception: 'none',
  seen: [],
  lagging: [],
  refunds: [],
  ...over,
});

test.each([
  ['nothing has arrived', {}, 'pay'],
  ['a part has arrived', { seen: [seen({ amount: '5.00' })], methods: [{ ...method, amount: '7.34' }] }, 'short'],
  ['all was seen', { seen: [seen()], methods: [] }, 'confirming'],
  ['all was seen before the time was over', { seen: [seen()], methods: [], server_time: 300 }, 'confirming'],
  ['parts were seen whose cents are rounded down', { seen: [seen({ amount: '12.33' })], methods: [] }, 'confirming'],
  ['time is over', { methods: [], server_time: 200 }, 'checking'],
  ['time is over and a part is there', { methods: [], server_time: 200, seen: [seen({ amount: '1.00' })] }, 'checking'],
  ['nothing is offered', { methods: [] }, 'unavailable'],
  ['only something else has arrived', { seen: [seen({ verdict: 'wrong_token' })] }, 'pay'],
  ['it is complete', { status: 'COMPLETED', methods: [] }, 'paid'],
  ['it ran out', { status: 'EXPIRED', methods: [] }, 'expired'],
  ['it was canceled', { status: 'CANCELED', methods: [] }, 'canceled'],
  ['it failed', { status: 'FAILED', methods: [] }, 'failed'],
] as const)('when %s', (_, over, stage) => {
  expect(saleStage(status(over as Partial<PublicStatus>))).toBe(stage);
});

test('shows a sale as paid only when the server reports its session as completed', () => {
  const amounts = fc.array(fc.record({ cents: fc.integer({ min: 0, max: 5000 }), final: fc.boolean() }));
  fc.assert(
    fc.property(
      amounts,
      fc.constantFrom('PENDING', 'EXPIRED', 'CANCELED', 'FAILED'),
      fc.boolean(),
      (all, name, has) => {
        const payments = all.map(({ cents, final }) => seen({ amount: (cents / 100).toFixed(2), final }));
        const given = status({ status: name, seen: payments, methods: has ? [method] : [] });
        expect(saleStage(given)).not.toBe('paid');
      },
    ),
  );
});

test('the received and the missing amount add up to the price', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 1n, max: 1233n }), (missing) => {
      const text = (cents: bigint) => `${cents / 100n}.${String(cents % 100n).padStart(2, '0')}`;
      const given = status({
        seen: [seen({ amount: text(1234n - missing) })],
        methods: [{ ...method, amount: text(missing) }],
      });
      expect(shortOf(given)).toEqual({ received: text(1234n - missing), missing: text(missing) });
    }),
  );
  expect(shortOf(status())).toBeNull();
});

test('shows the confirmations of the slowest pending payment, and of no final one', () => {
  const all = [seen({ confirmations: 2 }), seen({ confirmations: 1 }), seen({ confirmations: 0, final: true })];
  expect(slowestPayment({ seen: all })?.confirmations).toBe(1);
  expect(slowestPayment({ seen: [] })).toBeNull();
});

test('reports a transfer that does not count, but not one that the network reversed', () => {
  expect(hasException(status({ seen: [seen({ verdict: 'wrong_token' })] }))).toBe(true);
  expect(hasException(status({ exception: 'over' }))).toBe(true);
  expect(hasException(status({ seen: [seen({ verdict: 'orphaned' })], exception: 'partial' }))).toBe(false);
  expect(hasException(status({ seen: [seen()] }))).toBe(false);
});
