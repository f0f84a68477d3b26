// The limits on the journal's own index, without signing.

import { describe, expect, test } from 'vitest';
import { networkSpec, type NetworkSpec } from '@/lib/networks/networks';
import type { Validity } from '@/lib/networks/sending/send';
import { Archive } from './journal/archive';
import { JournalIndex } from './journal/journal-index';
import type { Entry } from './journal/record';
import { checkLimits, checkNonce, limitsShown } from './limits';
import type { RefundOrder } from './orders';
import type { Allowed, Policy } from './policy';
import { Refusal } from './refusal';

const NOW = 1_800_000_000_000;
const HOUR = 3_600_000;
const spec = networkSpec('test', 'ethereum', 'local') as NetworkSpec;
const token = spec.tokens.USDT as NonNullable<NetworkSpec['tokens']['USDT']>;
const policy = (over: Partial<Policy> = {}): Policy => ({
  chains: [spec],
  limits: { perRefund: 1_000n, perHour: 1_000n, perDay: 3_000n },
  claimLimits: { perRefund: 100n, perHour: 200n, perDay: 500n },
  approvalAbove: 700n,
  approvals: { file: 'approvers.json', publicUrl: 'https://pay.example' },
  evidenceKey: Buffer.alloc(32),
  ...over,
});
type Given = {
  readonly intentId?: string;
  readonly cents?: bigint;
  readonly kind?: 'payer' | 'claim';
  readonly environment?: 'live' | 'test';
  readonly mostCents?: bigint;
  readonly session?: string;
};
const allowed = ({ intentId = 're_new', cents = 1n, kind = 'payer', ...given }: Given = {}): Allowed => {
  const { environment = 'test', mostCents = 1_000_000n, session = `cs_${intentId}` } = given;
  const address = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8';
  const order: RefundOrder = {
    ...{ intentId, environment, network: 'ethereum', currency: 'USDT', contract: token.contract, to: address },
    amount: String(cents * 10_000n),
    evidence: {
      ...{ kind, session, network: 'ethereum', address, reference: 'transfer/1' },
      mostCents: String(mostCents),
      mac: '0'.repeat(64),
    },
  };
  return { order, spec, token, cents, feeCap: spec.feeCap };
};

/** An index with payments that were signed before. `attempts`: how often each was signed. */
function indexOf(...signed: (Given & { at?: number; attempts?: number; validity?: Validity })[]): JournalIndex {
  const index = new JournalIndex(new Archive('/nonexistent/journal', Buffer.alloc(32)));
  let number = 0;
  const take = (at: number, entry: Entry) =>
    index.take({ number: number++, at, previous: '0'.repeat(64), hash: '0'.repeat(64), entry }, 0);
  for (const { at = NOW, attempts = 1, validity = { kind: 'time', expiresAt: 0 } as const, ...given } of signed) {
    const { order, cents } = allowed(given);
    take(at, { kind: 'opened', chain: spec.chain, cents: String(cents), order });
    const draft = { family: 'evm', intentId: order.intentId, from: order.to, unsigned: '0x00' } as const;
    const entry: Entry = {
      ...{ kind: 'signed', intentId: order.intentId, digest: '0'.repeat(64), draft, lapsed: null },
      signed: { hash: '0x00', bytes: '0x00', validity },
    };
    for (let n = 0; n < attempts; n++) take(at, entry);
  }
  return index;
}
type Payment = Parameters<typeof checkLimits>[3];
/** The message of the refusal; null when the payment is within the limits. */
const refusalOf = (index: JournalIndex, given: Given, payment: Partial<Payment> = {}, over: Partial<Policy> = {}) => {
  try {
    checkLimits(index, policy(over), allowed(given), { now: NOW, isRepeated: false, isApproved: false, ...payment });
  } catch (error) {
    if (error instanceof Refusal) return `${error.code}: ${error.message}`;
    throw error;
  }
  return null;
};

describe('the nonce of a new intent', () => {
  const check = (index: JournalIndex, validity: Validity): string | null => {
    try {
      checkNonce(index, allowed(), validity);
    } catch (error) {
      if (error instanceof Refusal) return error.code;
      throw error;
    }
    return null;
  };

  test('is the next one, and any one while none was used', () => {
    const used = indexOf({ intentId: 're_1', validity: { kind: 'nonce', nonce: 41 } });
    expect([40, 41, 42, 43].map((nonce) => check(used, { kind: 'nonce', nonce }))).toEqual([
      ...['nonce', 'nonce', null, 'nonce'],
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

test('the limits are shown as text, because JSON has no integers of their size', () => {
  expect(limitsShown(policy())).toEqual({
    ...{ perRefund: '1000', perHour: '1000', perDay: '3000', approvalAbove: '700' },
    claims: { perRefund: '100', perHour: '200', perDay: '500' },
  });
});
