// The comparison with the database is silent about facts that follow from each other, and reports each one that does not.

import { describe, expect, it } from 'vitest';
import { naiveDifferences } from './naive-check';
import type { NaiveFacts } from './naive-facts';

const CENT = 10_000n;
const asset = { network: 'ethereum', currency: 'USDT' };
const found = { tx: 10, session_id: 'cs_1', ...asset, decimals: 6, block_time: 1500, ordinal: 0 };
const balance = (account: string, cents: bigint) => ({ account, ...asset, amount: String(cents * CENT) });

/** 12.50 asked for, 13.00 paid, the surplus sent back and arrived; of the price 2.00 are being refunded. */
const FACTS: NaiveFacts = {
  found: [{ ...found, id: '1', hash: '0x1', amount: String(1300n * CENT) }],
  moves: [{ tx: 10, session_id: 'cs_1', to: 'completed', at: 1600 }],
  decisions: [{ tx: 11, session_id: 'cs_1', transfer_id: '1', action: 'refund' }],
  returns: [{ tx: 12, session_id: 'cs_1', transfer_id: '1', status: 'completed', cents: '50' }],
  refunds: [
    {
      ...{ id: 're_1', session_id: 'cs_1', cents: '200', ...asset, status: 'processing', is_converted: false },
      takes: [{ ...asset, amount: String(200n * CENT) }],
    },
  ],
  payouts: [],
  sessions: [
    {
      ...{ id: 'cs_1', store_id: 's', status: 'completed', exception: 'none', received: '1250' },
      ...{ pairs: ['ethereum-USDT'], created_at: 1000 },
    },
  ],
  exceptions: [{ transfer_id: '1', kind: 'over', state: 'refund' }],
  balances: [balance('store:s', 1050n), balance('refund:s', 200n)],
};

const differences = (change: Partial<NaiveFacts>): string[] =>
  naiveDifferences(
    { ...FACTS, ...change },
    {
      asked: [{ id: 'cs_1', dueCents: 1250n, expiresAt: 2000 }],
      decimalsOf: () => 6,
      name: () => 'session 1',
    },
  );

describe('is silent', () => {
  it('about facts that follow from each other', () => expect(differences({})).toEqual([]));

  it('about a session that ends without a payment', () => {
    const [session] = FACTS.sessions;
    const none = { found: [], decisions: [], returns: [], refunds: [], exceptions: [], balances: [] };
    for (const to of ['expired', 'canceled'] as const) {
      const sessions = [{ ...session!, status: to, received: '0' }];
      expect(differences({ ...none, sessions, moves: [{ ...FACTS.moves[0]!, to }] })).toEqual([]);
    }
  });
});

describe('payouts', () => {
  const payout = { store_id: 's', cents: '300', ...asset, status: 'processing' };
  const [store, refund] = [balance('store:s', 750n), balance('refund:s', 200n)];

  it('take from their store what is reserved for them, and give it back when they end without a payment', () => {
    const reserved = [store, refund, balance('payout:s', 300n)];
    expect(differences({ payouts: [payout], balances: reserved })).toEqual([]);
    expect(differences({ payouts: [{ ...payout, status: 'completed' }], balances: [store, refund] })).toEqual([]);
    for (const status of ['canceled', 'failed'])
      expect(differences({ payouts: [{ ...payout, status }], balances: FACTS.balances })).toEqual([]);
  });

  it('are reported when a canceled one keeps its amount', () => {
    const kept = { payouts: [{ ...payout, status: 'canceled' }], balances: [store, refund] };
    expect(differences(kept).join()).toMatch(/the balance of store:s ethereum-USDT is 7500000, and should be 10500000/);
  });
});

it('counts what a hit freezes as its store’s, and reports what is missing of both together', () => {
  const [store, refund] = [balance('store:s', 50n), balance('refund:s', 200n)];
  expect(differences({ balances: [store, balance('quarantined:s', 1000n), refund] })).toEqual([]);
  const less = differences({ balances: [store, balance('quarantined:s', 999n), refund] });
  expect(less.join()).toMatch(/the balance of store:s ethereum-USDT is 10490000, and should be 10500000/);
});

describe('reports', () => {
  const [session] = FACTS.sessions;
  it.each<[string, Partial<NaiveFacts>, RegExp]>([
    ['a status', { sessions: [{ ...session!, status: 'expired' }] }, /^session 1 is expired, and not completed$/],
    [
      'an amount received',
      { sessions: [{ ...session!, received: '1249' }] },
      /^session 1 has received, in cents, 1249/,
    ],
    [
      'an exception',
      { sessions: [{ ...session!, exception: 'late' }] },
      /^session 1 has the exception late, and not none$/,
    ],
    [
      'a move that does not follow',
      { moves: [{ ...FACTS.moves[0]!, to: 'failed' }] },
      /became failed, and should be completed/,
    ],
    ['a move that is missing', { moves: [] }, /became pending, and should be completed/],
    [
      'a price that is not reached',
      { found: [{ ...FACTS.found[0]!, amount: '1' }] },
      /became completed, and should be pending/,
    ],
    [
      'a payment that was late',
      { found: [{ ...FACTS.found[0]!, block_time: 2000 }] },
      /became completed, and should be/,
    ],
    [
      'a decision that was impossible',
      { decisions: [{ ...FACTS.decisions[0]!, action: 'accept' }] },
      /"accept", which is refused/,
    ],
    [
      'the kind of an exception',
      { exceptions: [{ ...FACTS.exceptions[0]!, kind: 'late' }] },
      /calls its payment 0x1 late, and not over/,
    ],
    [
      'the state of an exception',
      { exceptions: [{ ...FACTS.exceptions[0]!, state: 'kept' }] },
      /0x1 as kept, and not refund/,
    ],
    [
      'a balance',
      { balances: [balance('store:s', 1051n), balance('refund:s', 200n)] },
      /^the balance of store:s ethereum-USDT is/,
    ],
    ['a missing balance', { balances: [balance('store:s', 1050n)] }, /^the balance of refund:s ethereum-USDT is 0/],
    [
      'a balance without an owner',
      { balances: [...FACTS.balances, balance('store:other', 1n)] },
      /store:other .* should be 0$/,
    ],
  ])('%s', (_name, change, sentence) => {
    expect(differences(change).join('\n')).toMatch(new RegExp(sentence.source, 'm'));
  });
});
