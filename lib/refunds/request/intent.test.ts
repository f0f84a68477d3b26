import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { intentIdOf, transferDigest, transferEvidence, transferReference } from './intent';

const digestOf = (...parts: unknown[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 40);

describe('the intent of a refund', () => {
  const refund = { storeId: 'st_1', environment: 'test', refundId: 'r-1' } as const;

  test('never changes, so that a restored database names the payment as the signer knows it', () => {
    expect(intentIdOf(refund)).toBe(`re_${digestOf('st_1', 'test', 'r-1')}`);
    // Journals of running installations contain this form.
    expect(intentIdOf(refund)).toMatch(/^re_[0-9a-f]{40}$/);
  });

  test('differs for each store, environment and name, also when a part moves from one to the other', () => {
    const others = [
      refund,
      { ...refund, storeId: 'st_2' },
      { ...refund, environment: 'live' as const },
      { ...refund, refundId: 'r-2' },
      { ...refund, storeId: 'st_1","test', refundId: 'r-1' },
    ];
    expect(new Set(others.map(intentIdOf)).size).toBe(others.length);
  });
});

describe('a transfer on a chain', () => {
  const transfer = { genesis: '0xgenesis', transactionHash: '0xhash', ordinal: 3 };

  test('has the same digest in every copy of the database', () => {
    expect(transferDigest(transfer)).toBe(digestOf('0xgenesis', '0xhash', 3));
    expect(transferEvidence(transfer)).toBe(`transfer:${digestOf('0xgenesis', '0xhash', 3)}`);
  });

  test('differs by chain, transaction and place', () => {
    const others = [
      transfer,
      { ...transfer, genesis: '0xother' },
      { ...transfer, transactionHash: '0xother' },
      { ...transfer, ordinal: 4 },
    ];
    expect(new Set(others.map(transferDigest)).size).toBe(others.length);
  });

  test('is named in evidence by network, transaction and place', () => {
    expect(transferReference({ network: 'bsc', transactionHash: '0xhash', ordinal: 3 })).toBe('bsc/0xhash/3');
  });
});
