// The order part of receipts, in the digits of its own currency.

import { expect, test } from 'vitest';
import { receiptOrder } from './order';

const order = { amount_total: '1234', amount_due: '1234', currency: 'USDT', currencies: ['USDT'], exchange_rate: null };

test('an order in a token has that token’s cents and no rate', () => {
  expect(receiptOrder(order)).toEqual({ price: { amount: '12.34', currency: 'USDT' }, converted: null });
});

test('an order in dollars is worth its tokens one for one', () => {
  expect(receiptOrder({ ...order, currency: 'USD', currencies: ['USDT', 'USDC'] }).converted).toBeNull();
});

test.each([
  ['JPY', '150000', '150000'],
  ['EUR', '150000', '1500.00'],
  ['KWD', '150000', '150.000'],
])('a converted order in %s shows price, rate and converted amount', (currency, total, price) => {
  const converted = { ...order, currency, amount_total: total, amount_due: '99000', exchange_rate: '0.0066' };
  expect(receiptOrder(converted)).toEqual({
    price: { amount: price, currency },
    converted: { due: { amount: '990.00', currency: 'USDT' }, rate: '0.0066' },
  });
});
