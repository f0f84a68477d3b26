// Whether the payment page still asks where a refund should go.

import { describe, expect, it } from 'vitest';
import type { RefundRow } from './facts';
import { isFullyRefunded } from './refunds';

const refund = (over: Partial<RefundRow>): RefundRow => ({
  status: 'completed',
  amount: '1234',
  currency: 'USDT',
  network: 'bsc',
  waits_for_address: false,
  receipt_number: null,
  of_exception: false,
  ...over,
});

describe('isFullyRefunded', () => {
  it('is true once completed refunds add up to the price', () => {
    const refunds = [refund({ amount: '1000' }), refund({ amount: '234' })];
    expect(isFullyRefunded({ amount_due: '1234', refunds })).toBe(true);
  });

  it.each([
    ['nothing was refunded', []],
    ['a cent is left', [refund({ amount: '1233' })]],
    ['the refund is still under way', [refund({ status: 'processing' })]],
    ['the refund failed', [refund({ status: 'failed' })]],
    ['the refund was of a payment exception', [refund({ of_exception: true })]],
  ])('is false when %s', (_, refunds) => {
    expect(isFullyRefunded({ amount_due: '1234', refunds })).toBe(false);
  });
});
