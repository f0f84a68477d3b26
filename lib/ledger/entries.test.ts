// Which values the ledger's statements get and what is made of their rows, without a database. The statements are tested on PostgreSQL
// (balances.test.ts, lib/refunds).

import { describe, expect, test } from 'vitest';
import { scriptedTransaction, type Answer } from '@/testing/database/scripted-transaction';
import { postMoves, postTransfers, type PostedTransfer } from './post';
import { bookOutflows, type Outflow } from './post-outflow';
import { readBearable, reserveRefundCost, settleRefundCost } from './post-cost';
import {
  postConversion,
  postFunding,
  postPaidRefund,
  readFloat,
  readReservation,
  readSessionFunds,
  releaseRefund,
  reserveOrShortfall,
  reserveRefund,
  type PostedRefund,
} from './post-refund';
import type { AssetAmount } from './postings';

const usdt = (amount: bigint): AssetAmount => ({ network: 'ethereum', currency: 'USDT', amount });
const usdc = (amount: bigint): AssetAmount => ({ network: 'bsc', currency: 'USDC', amount });
const rowOf = ({ network, currency, amount }: AssetAmount) => ({ network, currency, amount: String(amount) });
const refund: PostedRefund = {
  ...{ intentId: 're_1', storeId: 'st_1', environment: 'test', sessionId: 'cs_1' },
  paid: usdt(10n),
};
const open = (answers: Readonly<Record<string, Answer>> = {}) =>
  scriptedTransaction({ 'post-entries': 1, 'refund-post': 1, ...answers });
/** The posted lines of an entry about a refund: `account network currency amount`. */
const linesOf = ([, , , , , accounts, networks, currencies, amounts]: readonly unknown[]): string[] =>
  (accounts as string[]).map((account, n) =>
    [account, (networks as string[])[n], (currencies as string[])[n], (amounts as string[])[n]].join(' '),
  );

test('outgoing transfers are booked in one statement, each line with its asset, as what they are', async () => {
  const now = new Date('2026-11-28T12:00:00Z');
  const outflow = (id: string, amount: bigint): Outflow => ({ id, environment: 'test', ...usdt(amount) });
  const { tx, valuesOf } = scriptedTransaction({ 'book-outflows': 2 });
  await bookOutflows(tx, 'sweep', { outflows: [outflow('1', 5n), outflow('2', 7n)], now });
  const [[lines, ...others] = []] = valuesOf('book-outflows');
  expect(others).toEqual(['sweep', now]);
  const about = { environment: 'test', network: 'ethereum', currency: 'USDT' };
  expect(JSON.parse(String(lines))).toEqual([
    { id: '1', ...about, account: 'treasury', amount: '5' },
    { id: '1', ...about, account: 'received', amount: '-5' },
    { id: '2', ...about, account: 'treasury', amount: '7' },
    { id: '2', ...about, account: 'received', amount: '-7' },
  ]);
});

describe('transfers', () => {
  const transfer = (transferId: string, amount: bigint): PostedTransfer => ({
    ...{ transferId, storeId: 'st_1', environment: 'test', sessionId: 'cs_1', network: 'ethereum', currency: 'USDT' },
    amount,
  });
  const posted = (valuesOf: (name: string) => (readonly unknown[])[]): Record<string, string>[][] =>
    valuesOf('post-entries').map(([lines]) => JSON.parse(String(lines)));

  test('are posted in one statement, each line with what it is about', async () => {
    const { tx, valuesOf } = open();
    await postTransfers(tx, [
      { ...transfer('1', 100n), toStore: 60n },
      { ...transfer('2', 5n), toStore: 5n },
    ]);
    const about = { ...transfer('1', 0n), kind: 'transfer' };
    expect(posted(valuesOf)).toEqual([
      [
        { ...about, account: 'received', amount: '100' },
        { ...about, account: 'store:st_1', amount: '-60' },
        { ...about, account: 'unresolved:st_1', amount: '-40' },
        { ...about, transferId: '2', account: 'received', amount: '5' },
        { ...about, transferId: '2', account: 'store:st_1', amount: '-5' },
      ],
    ]);
  });

  test.each([
    ['counted', 'store:st_1'],
    ['kept', 'store:st_1'],
    ['refund_owed', 'refund:st_1'],
  ] as const)('that are %s move from unresolved to %s', async (kind, account) => {
    const { tx, valuesOf } = open();
    await postMoves(tx, [{ ...transfer('1', 7n), kind }]);
    expect(posted(valuesOf)).toMatchObject([
      [
        { kind, account: 'unresolved:st_1', amount: '7' },
        { kind, account, amount: '-7' },
      ],
    ]);
  });

  test('of which there are none run no statement', async () => {
    const { tx, names } = open();
    await postTransfers(tx, []);
    await postMoves(tx, []);
    expect(names()).toEqual([]);
  });
});

describe('a reservation', () => {
  const held = (...amounts: AssetAmount[]) =>
    open({ 'store-balances-lock': amounts.map(rowOf), 'frozen-of-store': [] });

  test('takes exactly what the store has, under the lock of its balances', async () => {
    const { tx, names, valuesOf } = held(usdc(9n), usdt(5n));
    expect(await reserveRefund(tx, refund, [usdt(5n), usdc(2n)])).toBe(true);
    expect(names()).toEqual(['store-balances-lock', 'frozen-of-store', 'refund-post']);
    expect(valuesOf('store-balances-lock')).toEqual([['test', 'store:st_1']]);
    const [entry = []] = valuesOf('refund-post');
    expect(entry.slice(0, 5)).toEqual(['refund_reserved', 'st_1', 'test', 'cs_1', 're_1']);
    expect(linesOf(entry)).toEqual([
      'store:st_1 ethereum USDT 5',
      'refund:st_1 ethereum USDT -5',
      'store:st_1 bsc USDC 2',
      'refund:st_1 bsc USDC -2',
    ]);
  });

  test('of more than the store has of one asset writes nothing and names what is missing', async () => {
    const { tx, names } = held(usdt(4n));
    expect(await reserveOrShortfall(tx, refund, [usdt(5n), usdc(2n)])).toEqual([usdt(1n), usdc(2n)]);
    expect(await reserveRefund(tx, refund, [usdt(5n)])).toBe(false);
    expect(names()).not.toContain('refund-post');
  });

  test('is read by asset, and whether it was converted', async () => {
    const rows = [rowOf(usdt(5n)), rowOf(usdc(2n))];
    const read = async (answer: Answer) =>
      readReservation(open({ 'refund-reservation': answer }).tx, { intentId: 're_1', storeId: 'st_1' });
    expect(await read(rows.map((one) => ({ ...one, is_converted: true })))).toEqual({
      amounts: [usdt(5n), usdc(2n)],
      isConverted: true,
    });
    expect(await read(rows.map((one) => ({ ...one, is_converted: false })))).toMatchObject({ isConverted: false });
    expect(await read([])).toEqual({ amounts: [], isConverted: false });
  });

  test('is requested for the refund and for the refund account of its store', async () => {
    const { tx, valuesOf } = open({ 'refund-reservation': [], 'intent-release': 1 });
    await readReservation(tx, { intentId: 're_1', storeId: 'st_1' });
    await releaseRefund(tx, { intentId: 're_1' });
    expect(valuesOf('refund-reservation')).toEqual([['re_1', 'refund:st_1']]);
    expect(valuesOf('intent-release')).toEqual([
      ['re_1', ['refund_reserved', 'refund_converted'], 'refund_reserved', 'refund_released'],
    ]);
  });
});

test('the money of a session is what its store has of it, as exact amounts', async () => {
  const { tx, valuesOf } = open({ 'session-funds': [rowOf(usdt(10n ** 30n)), rowOf(usdc(2n))] });
  expect(await readSessionFunds(tx, { sessionId: 'cs_1', storeId: 'st_1' })).toEqual([usdt(10n ** 30n), usdc(2n)]);
  expect(valuesOf('session-funds')).toEqual([['cs_1', ['store:st_1', 'quarantined:st_1']]]);
});

describe('a conversion', () => {
  test('is posted, and returns what the operator has left of the paid asset', async () => {
    const { tx, valuesOf } = open({ 'operator-balance': [{ amount: '-3' }] });
    expect(await postConversion(tx, refund, [usdt(4n), usdc(6n)])).toBe(-3n);
    const [entry = []] = valuesOf('refund-post');
    expect(entry[0]).toBe('refund_converted');
    expect(linesOf(entry)).toEqual([
      'refund:st_1 bsc USDC 6',
      'operator bsc USDC -6',
      'operator ethereum USDT 6',
      'refund:st_1 ethereum USDT -6',
    ]);
    expect(valuesOf('operator-balance')).toEqual([['test', 'operator', 'ethereum', 'USDT']]);
  });

  test('finds an operator without a balance to have nothing', async () => {
    expect(await readFloat(open({ 'operator-balance': [] }).tx, refund)).toBe(0n);
  });
});

test('a paid refund and a deposit of the operator are posted under their kinds', async () => {
  const { tx, valuesOf } = open();
  await postPaidRefund(tx, refund);
  await postFunding(tx, 'live', usdt(7n));
  const [paid = [], funded = []] = valuesOf('refund-post');
  expect([paid.slice(0, 5), linesOf(paid)]).toEqual([
    ['refund_paid', 'st_1', 'test', 'cs_1', 're_1'],
    ['refund_wallet ethereum USDT -10', 'refund:st_1 ethereum USDT 10'],
  ]);
  expect([funded.slice(0, 5), linesOf(funded)]).toEqual([
    ['funding', null, 'live', null, null],
    ['refund_wallet ethereum USDT 7', 'operator ethereum USDT -7'],
  ]);
});

describe('the network cost of a refund', () => {
  const costed = { ...refund, network: 'ethereum', currency: 'USDT' };
  const NOW = new Date('2026-11-21T10:00:00Z');
  const assets = [
    { network: 'ethereum', currency: 'USDT', unitsPerCent: 10_000n },
    { network: 'bsc', currency: 'USDC', unitsPerCent: 10n ** 16n },
  ];
  const reserve = async (row: Answer) => {
    const held = [{ network: 'ethereum', currency: 'USDT', amount: '700' }];
    const { tx, valuesOf } = open({ 'refund-cost-reserve': row, 'store-balances-lock': held, 'frozen-of-store': [] });
    const given = { coin: 'ETH', hundredths: '0.25', assets, now: NOW };
    return { reservation: await reserveRefundCost(tx, costed, given), values: valuesOf('refund-cost-reserve')[0] };
  };

  test('is reserved from the asset of the refund or another one of the store', async () => {
    const { reservation, values } = await reserve([{ quoted: '42', reserved: true, available: '100' }]);
    expect(reservation).toEqual({ kind: 'reserved' });
    expect(values).toEqual([
      ...['re_1', 'test', 'st_1', 'store:st_1', 'refund:st_1', 'ethereum', 'USDT'],
      ['ethereum', 'bsc'],
      ['USDT', 'USDC'],
      ['10000', '10000000000000000'],
      ...['ETH', '0.25', NOW],
      ...[['ethereum'], ['USDT'], ['700']],
    ]);
  });

  test('above the balance waits for what is missing, and without a price is the operator’s', async () => {
    expect((await reserve([{ quoted: '42', reserved: false, available: '40' }])).reservation).toEqual({
      ...{ kind: 'short', quoted: 42n, missing: 2n },
    });
    expect((await reserve([{ quoted: null, reserved: false, available: '0' }])).reservation).toEqual({
      kind: 'no_price',
    });
    expect((await reserve([])).reservation).toEqual({ kind: 'no_price' });
  });

  test('is compared with what the store has in the refund’s asset and in its largest one', async () => {
    const { tx, valuesOf } = open({ 'refund-cost-bearable': [{ paid: '3', most: '9' }] });
    expect(await readBearable(tx, costed, assets)).toEqual({ paid: 3n, most: 9n });
    expect(valuesOf('refund-cost-bearable')).toEqual([
      [
        ...['test', 'store:st_1', 'ethereum', 'USDT'],
        ['ethereum', 'bsc'],
        ['USDT', 'USDC'],
        ['10000', '10000000000000000'],
      ],
    ]);
    expect(await readBearable(open({ 'refund-cost-bearable': [] }).tx, costed, [])).toEqual({ paid: 0n, most: 0n });
  });

  test('is settled between the store, its refunds and the operator’s recovery', async () => {
    const { tx, valuesOf } = open({ 'refund-cost-settle': 1 });
    await settleRefundCost(tx, refund, '0.1');
    expect(valuesOf('refund-cost-settle')).toEqual([['re_1', 'store:st_1', 'refund:st_1', 'cost_recovery', '0.1']]);
  });
});
