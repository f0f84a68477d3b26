// The naive implementation against amounts that were worked out by hand from docs/.

import { describe, expect, it } from 'vitest';
import { NaiveLedger, type RefundRequest } from './naive-ledger';
import { NaiveSession, waiting } from './naive';
import type { NaiveTransfer, Reading } from './naive-types';

const CREATED = 10_000;
const EXPIRES = 11_000;
const CENT = 10_000n;
const ETHEREUM = { network: 'ethereum', currency: 'USDT' };
const BSC = { network: 'bsc', currency: 'USDT' };

const open = () =>
  new NaiveSession({
    ...{ dueCents: 1250n, pairs: [ETHEREUM, BSC], createdAt: CREATED, expiresAt: EXPIRES, marginOf: () => 300 },
  });
let hashes = 0;
const transfer = (cents: bigint, change: Partial<NaiveTransfer> = {}): NaiveTransfer => ({
  ...{ ...ETHEREUM, id: String(++hashes), hash: `0x${hashes}`, ordinal: 0, decimals: 6, amount: cents * CENT },
  ...{ blockTime: CREATED + 100, ...change },
});
const at = (now: number, change: Partial<Reading> = {}): Reading => ({
  ...{ now, readThrough: { ethereum: now, bsc: now }, unconfirmed: [], holdSeconds: 3600, ...change },
});
const settled = (transfers: readonly NaiveTransfer[], reading = at(CREATED + 200)): NaiveSession => {
  const session = open();
  session.find(transfers);
  session.settle(reading);
  return session;
};
const summary = (session: NaiveSession) => [session.status, Number(session.receivedCents()), session.exception()];

describe('a session', () => {
  it.each<[string, NaiveTransfer[], unknown[]]>([
    ['is completed by its price', [transfer(1250n)], ['completed', 1250, 'none']],
    ['is completed by two parts', [transfer(1000n), transfer(250n)], ['completed', 1250, 'none']],
    ['waits for the last cent', [transfer(1249n)], ['pending', 1249, 'partial']],
    ['waits for the last base unit', [transfer(0n, { amount: 1250n * CENT - 1n })], ['pending', 1249, 'partial']],
    ['takes what is above its price as a surplus', [transfer(1300n)], ['completed', 1300, 'over']],
    ['keeps a surplus of less than a cent', [transfer(0n, { amount: 1251n * CENT - 1n })], ['completed', 1250, 'none']],
    ['does not count another token', [transfer(1250n, { currency: 'USDC' })], ['pending', 0, 'wrong_token']],
    ['does not count another network', [transfer(1250n, { network: 'tron' })], ['pending', 0, 'wrong_network']],
    ['does not count a late payment', [transfer(1250n, { blockTime: EXPIRES })], ['pending', 0, 'late']],
    ['counts a payment of the last second', [transfer(1250n, { blockTime: EXPIRES - 1 })], ['completed', 1250, 'none']],
    ['does not count an early payment', [transfer(1250n, { blockTime: CREATED - 301 })], ['pending', 0, 'early']],
    [
      'counts a payment within the margin',
      [transfer(1250n, { blockTime: CREATED - 300 })],
      ['completed', 1250, 'none'],
    ],
  ])('%s', (_name, transfers, expected) => expect(summary(settled(transfers))).toEqual(expected));

  it.each<[string, NaiveTransfer[], Reading, string]>([
    ['expires with nothing received', [], at(EXPIRES), 'expired'],
    ['expires with less than a cent', [transfer(0n, { amount: CENT - 1n })], at(EXPIRES), 'expired'],
    ['fails with a part', [transfer(1n)], at(EXPIRES), 'failed'],
    ['does not end before its expiry', [], at(EXPIRES - 1), 'pending'],
    ['waits for a network that is not read', [], at(EXPIRES + 10, { readThrough: { bsc: EXPIRES } }), 'pending'],
    ['waits for no network for ever', [], at(EXPIRES + 3600, { readThrough: {} }), 'expired'],
    ['waits for a payment on its way', [], at(EXPIRES, { unconfirmed: [transfer(1250n)] }), 'pending'],
    ['waits for no part on its way', [], at(EXPIRES, { unconfirmed: [transfer(1249n)] }), 'expired'],
  ])('%s', (_name, transfers, reading, status) => expect(settled(transfers, reading).status).toBe(status));

  it('takes an accepted payment first, and only what is missing', () => {
    const [part, late] = [transfer(800n), transfer(900n, { blockTime: EXPIRES })];
    const session = settled([part, late], at(EXPIRES));
    expect(session.decide(late.id, 'accept')).toBe('done');
    session.settle(at(EXPIRES + 1));
    expect(summary(session)).toEqual(['completed', 1700, 'over']);
    expect(session.rows.map(({ kind, state }) => `${kind} ${state}`)).toEqual(['unfinished open', 'late accepted']);
    expect(session.rows.map(waiting)).toEqual([450n * CENT, 0n]);
  });

  it('keeps or sends back a surplus once', () => {
    const over = transfer(1300n);
    const session = settled([over]);
    expect(session.decide(over.id, 'accept')).toBe('refused');
    expect(session.decide(over.id, 'leave')).toBe('done');
    expect(session.decide(over.id, 'keep')).toBe('done');
    expect(session.decide(over.id, 'keep')).toBe('same');
    expect(session.decide(over.id, 'refund')).toBe('refused');
    expect(session.rows).toMatchObject([{ price: 1250n * CENT, kept: 50n * CENT, owed: 0n, state: 'kept' }]);
  });

  it('can be canceled until a payment is on its way', () => {
    expect(open().cancel(at(CREATED + 1))).toBe(true);
    expect(open().cancel(at(EXPIRES))).toBe(false);
    expect(open().cancel(at(CREATED + 1, { unconfirmed: [transfer(1n)] }))).toBe(false);
    const session = open();
    session.cancel(at(CREATED + 1));
    session.find([transfer(1250n)]);
    session.settle(at(CREATED + 200));
    expect(summary(session)).toEqual(['canceled', 0, 'late']);
  });
});

describe('the ledger', () => {
  const paidOn = (ethereum: bigint, bsc: bigint) => {
    const other = { ...BSC, decimals: 18, amount: bsc * 10n ** 16n };
    const session = settled([transfer(ethereum), transfer(0n, other)].filter(({ amount }) => amount > 0n));
    return new NaiveLedger(session, ({ network }) => (network === 'bsc' ? 18 : 6));
  };
  const request = (cents: bigint, change: Partial<RefundRequest> = {}): RefundRequest => ({
    ...{ cents, currency: 'USDT', now: CREATED + 300, windowDays: 1, network: 'ethereum', ...change },
    tokensOn: () => ['USDT', 'USDC'],
  });
  const own = (cents: bigint) => ({ ...ETHEREUM, amount: cents * CENT });
  const other = (cents: bigint) => ({ ...BSC, amount: cents * 10n ** 16n });

  it('knows what can be refunded', () => {
    const ledger = paidOn(1250n, 0n);
    expect(ledger.refundable(request(0n))).toBe(1250n);
    ledger.refunds.push({ id: '1', cents: 200n, paid: ETHEREUM, takes: [own(200n)], state: 'reserved' });
    expect(ledger.refundable(request(0n))).toBe(1050n);
    expect(ledger.refundable(request(0n, { now: CREATED + 200 + 86_401 }))).toBe(0n);
    expect(ledger.objectionsTo(request(1050n))).toEqual([]);
    expect(ledger.objectionsTo(request(1051n))).toEqual(['REFUND_AMOUNT_EXCEEDED', 'INSUFFICIENT_BALANCE']);
    expect(ledger.objectionsTo(request(1n, { now: CREATED + 100_000_000 }))).toEqual(['REFUND_TIME_EXPIRED']);
    expect(ledger.objectionsTo({ ...request(1n, { currency: 'USDC' }), tokensOn: () => [] })).toEqual([
      'INVALID_CURRENCY',
    ]);
    expect(paidOn(1249n, 0n).objectionsTo(request(1n))).toEqual(['INVALID_SESSION_STATUS']);
  });

  it.each([
    ['of one asset', 500n, [own(500n)], []],
    ['of both', 1000n, [own(700n), other(300n)], []],
    ['of too much', 500n, [own(501n)], ['it takes more than it pays']],
    ['of too little', 500n, [own(499n)], ['it takes less than it pays']],
    [
      'of another asset than needed',
      500n,
      [other(500n)],
      ['it converts although one asset is enough', 'it converts before the paid asset is used up'],
    ],
    ['of more than is left', 1000n, [own(1000n)], ['it takes more of an asset than is left']],
    ['of the other asset first', 1000n, [own(600n), other(400n)], ['it converts before the paid asset is used up']],
  ])('judges a plan %s', (_name, cents, takes, faults) => {
    expect(paidOn(700n, 550n).planFaults({ network: 'ethereum', takes }, request(cents))).toEqual(faults);
  });

  it('judges the network and the dust of a plan', () => {
    const session = settled([transfer(1250n), transfer(0n, { ...BSC, decimals: 18, amount: 9n * 10n ** 15n })]);
    const ledger = new NaiveLedger(session, ({ network }) => (network === 'bsc' ? 18 : 6));
    const dust = { ...BSC, amount: 9n * 10n ** 15n };
    expect(ledger.planFaults({ network: 'ethereum', takes: [own(499n), dust] }, request(500n))).toContain(
      'it takes dust before the rest is used up',
    );
    expect(ledger.planFaults({ network: 'tron', takes: [own(500n)] }, request(500n))).toContain(
      'it is paid on a network without a payment',
    );
  });

  it('balances a conversion, its payment and its release', () => {
    const ledger = paidOn(700n, 550n);
    const refund = {
      id: '1',
      cents: 1000n,
      paid: ETHEREUM,
      takes: [own(700n), other(300n)],
      state: 'reserved' as const,
    };
    const balances = (state: 'reserved' | 'converted' | 'paid' | 'released') => {
      ledger.refunds.splice(0, 1, { ...refund, state });
      const received = ['received ethereum-USDT', 'received bsc-USDT', 'store bsc-USDT'];
      return Object.fromEntries([...ledger.balances()].filter(([name]) => !received.includes(name)));
    };
    const [usdt, bsc] = [(cents: bigint) => cents * CENT, (cents: bigint) => cents * 10n ** 16n];
    expect(balances('reserved')).toEqual({ 'refund ethereum-USDT': usdt(700n), 'refund bsc-USDT': bsc(300n) });
    expect(balances('converted')).toEqual({
      ...{ 'refund ethereum-USDT': usdt(1000n), 'operator ethereum-USDT': usdt(-300n), 'operator bsc-USDT': bsc(300n) },
    });
    expect(balances('paid')).toEqual({
      ...{
        'refund_wallet ethereum-USDT': usdt(-1000n),
        'operator ethereum-USDT': usdt(-300n),
        'operator bsc-USDT': bsc(300n),
      },
    });
    expect(balances('released')).toEqual({ 'store ethereum-USDT': usdt(700n) });
  });
});
