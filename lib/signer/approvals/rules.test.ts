// Which payments need two operators, without passkeys. approvals.test.ts has the same with real signatures.

import { describe, expect, test } from 'vitest';
import type { JournalIndex } from '@/lib/signer/journal/journal-index';
import type { Policy } from '@/lib/signer/policy';
import { allowedOrder, indexOf, refusalOf, rules, type Given } from '@/testing/signer/rules-scene';
import type { Approvals } from './approvals';
import { checkApproved, isApproved, isGuarded } from './rules';

const by = (...people: string[]): Approvals => ({ people: new Set(people), problem: null });
type Over = { readonly index?: JournalIndex; readonly policy?: Partial<Policy>; readonly approvals?: Approvals };
const check = (given: Given, { index = indexOf(), policy = {}, approvals = by() }: Over = {}) =>
  refusalOf(() => checkApproved(index, rules(policy), allowedOrder(given), approvals));
const LARGE =
  'approval: a refund of this size needs the passkey signatures of two operators; 0 of 2 signatures came with it';
const CLAIM =
  'approval: a refund of this size to an address that the customer gave needs the passkey signatures of two operators; 0 of 2 signatures came with it';

test('two different people approve a payment, and one does not', () => {
  expect([by(), by('Ada'), by('Ada', 'Ada'), by('Ada', 'Grace'), by('Ada', 'Grace', 'Joan')].map(isApproved)).toEqual([
    ...[false, false, false, true, true],
  ]);
});

test('real money is always guarded, and a test environment once it has approvers', () => {
  const approvals = { file: 'f', publicUrl: 'u' };
  expect(isGuarded({ approvals: null }, 'live')).toBe(true);
  expect(isGuarded({ approvals }, 'live')).toBe(true);
  expect(isGuarded({ approvals: null }, 'test')).toBe(false);
  expect(isGuarded({ approvals }, 'test')).toBe(true);
});

describe('a payment needs two operators', () => {
  test('as a payout above its own limit, not at it, and whatever the store was paid before', () => {
    const payout = (cents: bigint, over: Over = {}) => check({ kind: 'payout', session: 'payouts', cents }, over);
    expect([payout(60n), payout(61n)]).toEqual([
      null,
      'approval: a payout of this size needs the passkey signatures of two operators; 0 of 2 signatures came with it',
    ]);
    expect(payout(61n, { approvals: by('Ada') })).toMatch(/1 of 2 signatures/);
    expect(payout(61n, { approvals: by('Ada', 'Grace') })).toBeNull();
    expect(payout(61n, { policy: { approvals: null } })).toBeNull();
    const index = indexOf({ intentId: 'po_1', kind: 'payout', cents: 60n, session: 'payouts' });
    expect(payout(60n, { index })).toBeNull();
    expect(check({ kind: 'cold', cents: 701n })).toBeNull();
  });

  test('above the limit, not at it', () => {
    expect([check({ cents: 700n }), check({ cents: 701n })]).toEqual([null, LARGE]);
    expect(check({ cents: 701n }, { approvals: by('Ada', 'Grace') })).toBeNull();
    expect(check({ cents: 701n }, { policy: { approvals: null } })).toBeNull();
    expect(check({ cents: 701n, environment: 'live' }, { policy: { approvals: null } })).toBe(LARGE);
  });

  test('when it raises the refunds of its session above the limit, under any name of the session', () => {
    const before = (session: string) => ({ index: indexOf({ intentId: 're_1', cents: 500n, session }) });
    for (const session of ['cs_1', 'cs_1/ethereum/USDT', 'cs_1/ethereum/USDC']) {
      expect(check({ session: 'cs_1', cents: 200n }, before(session))).toBeNull();
      expect(check({ session: 'cs_1', cents: 201n }, before(session))).toBe(LARGE);
      expect(check({ session: 'cs_1/ethereum/USDC', cents: 201n }, before(session))).toBe(LARGE);
    }
    expect(check({ session: 'cs_2', cents: 201n }, before('cs_1'))).toBeNull();
    expect(check({ session: 'cs_1', cents: 201n }, before('cs_1/bsc/USDT'))).toBeNull();
    // Its own earlier attempt is the same payment.
    expect(check({ intentId: 're_1', session: 'cs_1', cents: 500n }, before('cs_1'))).toBeNull();
  });

  test('to an address that a customer gave already above the claim limit', () => {
    expect(check({ kind: 'claim', cents: 100n })).toBeNull();
    expect(check({ kind: 'claim', cents: 101n })).toBe(CLAIM);
    expect(check({ kind: 'claim', cents: 701n })).toBe(LARGE);
    expect(check({ kind: 'payer', cents: 101n })).toBeNull();
  });
});

test('the refusal says why the signatures that came did not count', () => {
  expect(check({ cents: 701n }, { approvals: by('Ada') })).toMatch(/; 1 of 2 signatures came with it$/);
  const problem = 'both passkeys belong to one person';
  expect(check({ cents: 701n }, { approvals: { ...by('Ada'), problem } })).toMatch(
    /; both passkeys belong to one person$/,
  );
});
