// The refund state on the payment page.

import { describe, expect, it } from 'vitest';
import type { RefundRow } from './facts';
import { extraCents, isFullyRefunded } from './refunds';

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

describe('the surplus of a paid order', () => {
  const facts = { status: 'completed' as const, amount_due: '1234', amount_received: '1500' };

  it('is the overpaid amount while no refund returns it', () => {
    expect(extraCents({ ...facts, refunds: [] })).toBe(266n);
    expect(extraCents({ ...facts, refunds: [refund({ amount: '266' })] })).toBe(266n);
  });

  it('is zero once a refund of the exception returns it', () => {
    const refunds = [refund({ amount: '266', of_exception: true, status: 'processing' })];
    expect(extraCents({ ...facts, refunds })).toBe(0n);
  });

  it('is the overpaid amount again after that refund failed', () => {
    const refunds = [refund({ amount: '266', of_exception: true, status: 'failed' })];
    expect(extraCents({ ...facts, refunds })).toBe(266n);
  });

  it('is zero for an underpaid, exactly paid or unpaid order', () => {
    expect(extraCents({ ...facts, amount_received: '1234', refunds: [] })).toBe(0n);
    expect(extraCents({ ...facts, amount_received: '1000', refunds: [] })).toBe(0n);
    expect(extraCents({ ...facts, status: 'failed', refunds: [] })).toBe(0n);
  });
});
