// How balances are made of the ledger's rows, without a database. balances.test.ts has the same on PostgreSQL.

import { describe, expect, test } from 'vitest';
import { scriptedTransaction } from '@/testing/database/scripted-transaction';
import { readRefundWallet, readStoreBalances, readWalletBalances } from './balances';
import type { DecimalsOf } from './sources';

const decimalsOf: DecimalsOf = ({ network }) => (network === 'bsc' ? 18 : 6);
const row = (kind: string, amount: string, network = 'ethereum', currency = 'USDT') => ({
  ...{ kind, network, currency, amount },
});
const amount = (baseUnits: bigint, cents: bigint) => ({ baseUnits, cents });
const NONE = amount(0n, 0n);
const REST = {
  pending: NONE,
  unchecked: NONE,
  kept: NONE,
  unresolved: NONE,
  reserved: NONE,
  inPayout: NONE,
  quarantined: NONE,
};

describe('a store', () => {
  const read = async (rows: readonly object[]) => {
    const { tx, valuesOf } = scriptedTransaction({ 'store-balances': rows });
    const balances = await readStoreBalances(
      tx,
      { storeId: 'st_1', environment: 'test', held: { since: null, screened: [], now: new Date() }, reserves: [] },
      decimalsOf,
    );
    return { balances, values: valuesOf('store-balances')[0] };
  };

  test('has what it is owed of each token on each network, in whole cents rounded down', async () => {
    const { balances, values } = await read([
      row('store', '-12509999'),
      row('unresolved', '-10000'),
      row('refund', '-20000'),
      row('payout', '-30000'),
      row('quarantined', '-40000'),
      row('store', `-${10n ** 16n}`, 'bsc'),
      row('store', '-30000', 'ethereum', 'USDC'),
    ]);
    expect(values).toEqual([
      'test',
      ['store:st_1', 'unresolved:st_1', 'refund:st_1', 'payout:st_1', 'quarantined:st_1'],
    ]);
    expect(balances).toEqual([
      {
        ...{ network: 'ethereum', currency: 'USDT', available: amount(12_509_999n, 1250n) },
        ...{
          pending: NONE,
          unchecked: NONE,
          kept: NONE,
          unresolved: amount(10_000n, 1n),
          reserved: amount(20_000n, 2n),
        },
        ...{ inPayout: amount(30_000n, 3n), quarantined: amount(40_000n, 4n) },
      },
      { ...REST, network: 'bsc', currency: 'USDT', available: amount(10n ** 16n, 1n) },
      { ...REST, network: 'ethereum', currency: 'USDC', available: amount(30_000n, 3n) },
    ]);
  });

  test('has what is too young for a payout apart, and never more than there is', async () => {
    const rows = [row('store', '-50000'), row('store', '-10000', 'bsc')];
    const held = [
      { network: 'ethereum', currency: 'USDT', amount: '20000' },
      { network: 'bsc', currency: 'USDT', amount: '30000' },
    ];
    const since = new Date(0);
    const { tx, valuesOf } = scriptedTransaction({ 'store-balances': rows, 'ledger-held': held });
    const query = {
      storeId: 'st_1',
      environment: 'test',
      held: { since, screened: [], now: since },
      reserves: [],
    } as const;
    expect(await readStoreBalances(tx, query, () => 6)).toMatchObject([
      { network: 'ethereum', available: amount(30_000n, 3n), pending: amount(20_000n, 2n) },
      { network: 'bsc', available: NONE, pending: amount(10_000n, 1n) },
    ]);
    expect(valuesOf('ledger-held')).toEqual([['st_1', 'test', 'store:st_1', since, [], [], 'quarantined:st_1']]);
  });

  test('that received nothing has no balance', async () => {
    expect((await read([])).balances).toEqual([]);
  });
});

test('the operator sees assets as they are and liabilities as what is owed, summed over all stores', async () => {
  const kinds = [
    'received',
    'refund_wallet',
    'store',
    'unresolved',
    'refund',
    'operator',
    'cost_recovery',
    'treasury',
    'fees',
  ];
  // What is reserved for payouts is added to what is reserved for refunds.
  const rows = [...kinds.map((kind, n) => row(kind, `${(n + 1) * 10_000}`)), row('payout', '20000')];
  const onBsc = row('received', `${10n ** 16n}`, 'bsc');
  const { tx, valuesOf } = scriptedTransaction({ 'wallet-balances': [...rows, row('store', '10000'), onBsc] });
  expect(await readWalletBalances(tx, 'live', decimalsOf)).toMatchObject([
    {
      ...{ network: 'ethereum', currency: 'USDT', received: amount(10_000n, 1n), refundWallet: amount(20_000n, 2n) },
      ...{ available: amount(-40_000n, -4n), unresolved: amount(-40_000n, -4n), reserved: amount(-70_000n, -7n) },
      ...{ operator: amount(-60_000n, -6n), costRecovery: amount(-70_000n, -7n) },
      treasury: amount(80_000n, 8n),
      fees: amount(-90_000n, -9n),
    },
    { network: 'bsc', received: amount(10n ** 16n, 1n), refundWallet: NONE, treasury: NONE },
  ]);
  expect(valuesOf('wallet-balances')).toEqual([['live']]);
});

test('the refund wallet has its balance of exactly this asset, and none without one', async () => {
  const asset = { environment: 'test', network: 'bsc', currency: 'USDC' } as const;
  const { tx, valuesOf } = scriptedTransaction({ 'refund-wallet-balance': [{ amount: '-5' }] });
  expect(await readRefundWallet(tx, asset)).toBe(-5n);
  expect(valuesOf('refund-wallet-balance')).toEqual([['test', 'refund_wallet', 'bsc', 'USDC']]);
  expect(await readRefundWallet(scriptedTransaction({ 'refund-wallet-balance': [] }).tx, asset)).toBe(0n);
});
