// The limits on the journal's own index, without signing.

import { describe, expect, test } from 'vitest';
import type { Validity } from '@/lib/networks/sending/send';
import { allowedOrder, indexOf, NOW, refusalOf as refusalIn, rules, type Given } from '@/testing/signer/rules-scene';
import type { JournalIndex } from './journal/journal-index';
import { checkLimits, checkNonce, limitsShown } from './limits';
import type { Policy } from './policy';

const HOUR = 3_600_000;
type Payment = Parameters<typeof checkLimits>[3];
const refusalOf = (
  index: JournalIndex,
  given: Given,
  payment: Partial<Payment> = {},
  over: Partial<Policy> = {},
): string | null =>
  refusalIn(() =>
    checkLimits(index, rules(over), allowedOrder(given), {
      now: NOW,
      isRepeated: false,
      isApproved: false,
      ...payment,
    }),
  );

describe('the nonce of a new intent', () => {
  const check = (index: JournalIndex, validity: Validity): string | null =>
    refusalIn(() => checkNonce(index, { spec: allowedOrder().spec, from: '0xwallet' }, validity));
  const refused = 'nonce: the draft does not use the next nonce';

  test('is the next one, and any one while none was used', () => {
    const used = indexOf({ intentId: 're_1', validity: { kind: 'nonce', nonce: 41 } });
    expect([40, 41, 42, 43].map((nonce) => check(used, { kind: 'nonce', nonce }))).toEqual([
      ...[refused, refused, null, refused],
    ]);
    expect(check(indexOf(), { kind: 'nonce', nonce: 7 })).toBeNull();
  });

  test('is not required where payments expire by time or height', () => {
    const used = indexOf({ intentId: 're_1', validity: { kind: 'nonce', nonce: 41 } });
    expect(check(used, { kind: 'time', expiresAt: 0 })).toBeNull();
    expect(check(used, { kind: 'height', lastValidBlockHeight: 0 })).toBeNull();
  });
});

describe('a payment', () => {
  test('may reach the limit of an hour and of a day exactly, and not exceed it by a cent', () => {
    const index = indexOf({ intentId: 're_1', cents: 600n });
    expect(refusalOf(index, { cents: 400n })).toBeNull();
    expect(refusalOf(index, { cents: 401n })).toBe('limit: the limit per hour is reached');
    const day = indexOf(...[1, 2, 3].map((n) => ({ intentId: `re_${n}`, cents: 900n, at: NOW - n * 2 * HOUR })));
    expect(refusalOf(day, { cents: 300n })).toBeNull();
    expect(refusalOf(day, { cents: 301n })).toBe('limit: the limit per day is reached');
  });

  test('that repeats a lapsed one has half of the limits, and uses up none of the others', () => {
    const repeated = indexOf({ intentId: 're_1', cents: 300n, attempts: 2 });
    expect(refusalOf(repeated, { cents: 200n }, { isRepeated: true })).toBeNull();
    expect(refusalOf(repeated, { cents: 201n }, { isRepeated: true })).toBe(
      'limit: the limit per hour for payments that lapsed is reached',
    );
    // Only the first attempt counts against the limits of new payments.
    expect([refusalOf(repeated, { cents: 700n }), refusalOf(repeated, { cents: 701n })]).toEqual([
      ...[null, 'limit: the limit per hour is reached'],
    ]);
    const perDay = { limits: { perRefund: 1_000n, perHour: 1_000n, perDay: 800n } };
    expect(refusalOf(repeated, { cents: 100n }, { isRepeated: true }, perDay)).toBeNull();
    expect(refusalOf(repeated, { cents: 101n }, { isRepeated: true }, perDay)).toBe(
      'limit: the limit per day for payments that lapsed is reached',
    );
  });

  test('together with the other refunds of its session is at most what the session paid', () => {
    const given = { session: 'cs_1', mostCents: 500n };
    const index = indexOf({ ...given, intentId: 're_1', cents: 300n });
    expect(refusalOf(index, { ...given, cents: 200n })).toBeNull();
    expect(refusalOf(index, { ...given, cents: 201n })).toBe(
      'limit: the refunds of the session would be more than it paid',
    );
    expect(refusalOf(index, { ...given, session: 'cs_2', cents: 500n })).toBeNull();
    // Its own earlier attempt is the same refund.
    expect(refusalOf(index, { ...given, intentId: 're_1', cents: 500n })).toBeNull();
  });
});

describe('a payment to an address that a customer gave', () => {
  const claim = (cents: bigint): Given => ({ kind: 'claim', cents });
  const spent = indexOf({ intentId: 're_1', kind: 'claim', cents: 150n });

  test('has limits of its own', () => {
    expect(refusalOf(spent, claim(50n))).toBeNull();
    expect(refusalOf(spent, claim(51n))).toBe('limit: the limit per hour for addresses that customers gave is reached');
    const old = indexOf({ intentId: 're_1', kind: 'claim', cents: 450n, at: NOW - 2 * HOUR });
    expect(refusalOf(old, claim(51n))).toBe('limit: the limit per day for addresses that customers gave is reached');
    expect(refusalOf(spent, claim(51n), { isRepeated: true })).toBeNull();
    expect(refusalOf(spent, claim(101n), { isRepeated: true })).toBe(
      'limit: the limit per hour for addresses that customers gave for payments that lapsed is reached',
    );
  });

  test('is not limited by payments to payers', () => {
    const index = indexOf({ intentId: 're_1', cents: 150n });
    expect([refusalOf(index, claim(200n)), refusalOf(index, claim(201n))]).toEqual([
      ...[null, 'limit: the limit per hour for addresses that customers gave is reached'],
    ]);
  });

  test('that two operators approved has only the general ones, and so has one to a payer', () => {
    expect(refusalOf(spent, claim(500n), { isApproved: true })).toBeNull();
    expect(refusalOf(spent, { cents: 500n })).toBeNull();
    expect(refusalOf(spent, claim(851n), { isApproved: true })).toBe('limit: the limit per hour is reached');
  });

  test('in a test environment without approvers has only the general ones, but live money never has', () => {
    expect(refusalOf(spent, claim(500n), {}, { approvals: null })).toBeNull();
    const live = { ...claim(201n), environment: 'live' } as const;
    expect(refusalOf(indexOf(), live, {}, { approvals: null })).toBe(
      'limit: the limit per hour for addresses that customers gave is reached',
    );
  });
});

describe('a payout', () => {
  const payout = (cents: bigint, over: Given = {}): Given => ({ kind: 'payout', cents, mostCents: 10_000n, ...over });

  test('counts against limits of its own, and refunds against theirs', () => {
    const paid = indexOf({ ...payout(100n), intentId: 'po_1' }, { ...payout(60n), intentId: 'po_2' });
    expect([refusalOf(paid, payout(40n)), refusalOf(paid, payout(41n))]).toEqual([
      ...[null, 'limit: the limit per hour for payouts is reached'],
    ]);
    expect(refusalOf(paid, { cents: 1000n })).toBeNull();
    const refunded = indexOf({ intentId: 're_1', cents: 1000n });
    expect(refusalOf(refunded, payout(100n))).toBeNull();
  });

  test('together with the other payouts of its store is at most what the store has', () => {
    const given = { session: 'payouts:st_1/bsc/USDT', mostCents: 150n };
    const index = indexOf({ ...payout(100n, given), intentId: 'po_1' });
    expect(refusalOf(index, payout(50n, given))).toBeNull();
    expect(refusalOf(index, payout(51n, given))).toBe('limit: the payouts of the store would be more than it has');
  });
});

test('the limits are shown as text, because JSON has no integers of their size', () => {
  expect(limitsShown(rules())).toEqual({
    ...{ perRefund: '1000', perHour: '1000', perDay: '3000', approvalAbove: '700' },
    claims: { perRefund: '100', perHour: '200', perDay: '500' },
    payouts: { perRefund: '100', perHour: '200', perDay: '500' },
    payoutApprovalAbove: '60',
  });
  // A worker of a former version knows no such field.
  const none = { perRefund: 0n, perHour: 0n, perDay: 0n };
  expect(limitsShown(rules({ payoutLimits: none }))).not.toHaveProperty('payoutApprovalAbove');
});
