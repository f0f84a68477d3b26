// What is read from the stored transfers of a session, without a database: who paid, what counts, what is proven, and what goes back.

import type { MacKeys } from '@/lib/platform/crypto';
import { describe, expect, test } from 'vitest';
import { transferMac } from '@/lib/signer/attestations/payer-evidence';
import { scriptedTransaction } from '@/testing/database/scripted-transaction';
import { testConfig } from '@/testing/fixtures';
import { isWithinSent, MAX_DUST } from './payer-bound';
import { readPayerParts } from './payer-parts';
import { payerCount, readPayers, readProvenTransfers, type Payer } from './payers';

const KEY = [Buffer.alloc(32, 3)] as const;
const START = new Date('2026-11-21T10:00:00Z');
const at = (seconds: number): Date => new Date(START.getTime() + seconds * 1000);
const UNIT = 10n ** 12n;
const CENT = 10_000n * UNIT;
const refund = { storeId: 'st_1', environment: 'test', sessionId: 'cs_1', caseId: null } as const;

type Row = Record<string, unknown>;
/** A transfer of a session that it completed, with the watcher's MAC. */
function transfer(hash: string, cents: number, over: Row = {}, { isForged = false } = {}): Row {
  const row = {
    ...{ genesis: '0xg', network: 'ethereum', transaction_hash: hash, ordinal: 0, block_number: '50' },
    ...{ block_hash: '0xb', block_time: at(60), currency: 'USDT', contract: '0xc', payer: '0xann', recipient: '0xr' },
    ...{ amount: `${cents * 10_000}`, decimals: 6, is_plain: true, mac: null },
    ...{ case_id: null, case_kind: null, case_amount: null, case_counted: null, case_state: null },
    ...{ status: 'completed', accepted_from: null, networks: ['ethereum', 'bsc'] },
    ...{ offered_pairs: ['ethereum-USDT', 'bsc-USDT'], created_at: START, expires_at: at(600) },
    ...over,
  };
  const mac = transferMac(isForged ? [Buffer.alloc(32, 4)] : KEY, {
    ...{ environment: 'test', network: row.network, genesis: row.genesis, sessionId: 'cs_1' },
    ...{ transactionHash: row.transaction_hash, ordinal: row.ordinal, blockNumber: Number(row.block_number) },
    ...{ blockHash: row.block_hash, blockTime: row.block_time.getTime() / 1000, currency: row.currency },
    ...{ contract: row.contract, payer: row.payer, recipient: row.recipient, amount: BigInt(row.amount) },
    ...{ decimals: row.decimals, isPlain: row.is_plain },
  });
  return { ...row, mac, ...('mac' in over ? { mac: over.mac } : {}) };
}
const CASE = { case_id: '7', case_kind: 'late', case_amount: '0', case_counted: '0', case_state: 'open' };
const script = (rows: readonly Row[], more = {}) => scriptedTransaction({ 'refund-payers': rows, ...more });
const payersOf = async (rows: readonly Row[], over = {}, key: MacKeys | undefined = KEY) =>
  readPayers(script(rows).tx, { ...refund, ...over }, key);
const countedOf = async (over: Row, cents = 1250): Promise<bigint | undefined> =>
  (await payersOf([transfer('0x1', cents, over)]))[0]?.counted;

describe('the payers of a session', () => {
  test('are read with what names their transfer and what is known of it', async () => {
    const { tx, valuesOf } = script([transfer('0x1', 1250, { ordinal: 3, is_plain: null })]);
    expect(await readPayers(tx, refund, KEY)).toEqual([
      {
        ...{ address: '0xann', network: 'ethereum', currency: 'USDT', reference: 'ethereum/0x1/3' },
        ...{ isProven: true, isPlain: null, counted: 1250n * CENT },
      },
    ]);
    expect(valuesOf('refund-payers')).toEqual([['cs_1', 'st_1', 'test']]);
  });

  test('sent at least a cent: less names no payer', async () => {
    const rows = [transfer('0x1', 0, { amount: '9999' }), transfer('0x2', 1)];
    expect((await payersOf(rows)).map(({ reference }) => reference)).toEqual(['ethereum/0x2/0']);
  });

  test('are without those whose transfer goes back by its own refund', async () => {
    const rows = [transfer('0x1', 500, { ...CASE, case_state: 'refund' }), transfer('0x2', 1250)];
    expect((await payersOf(rows)).map(({ reference }) => reference)).toEqual(['ethereum/0x2/0']);
    // The refund of that exception is about exactly its transfer.
    const own = await payersOf(rows, { caseId: 7n });
    expect(own.map(({ reference, counted }) => [reference, counted])).toEqual([['ethereum/0x1/0', 0n]]);
    expect(await payersOf(rows, { caseId: '8' })).toEqual([]);
  });

  test('are counted once for each family of networks and address', () => {
    const payer = (network: string, address: string) => ({ network, address }) as Payer;
    expect(payerCount([])).toBe(0);
    expect(payerCount([payer('ethereum', 'a'), payer('bsc', 'a'), payer('ethereum', 'a')])).toBe(1);
    expect(payerCount([payer('ethereum', 'a'), payer('ethereum', 'b')])).toBe(2);
    expect(payerCount([payer('ethereum', 'a'), payer('tron', 'a')])).toBe(2);
    // Rows may name a network that the table no longer has.
    expect(payerCount([payer('ethereum', 'a'), payer('removed', 'a'), payer('removed', 'a')])).toBe(2);
  });
});

describe('a payer is proven', () => {
  test.each<[string, Row]>([
    ['amount', { amount: '1' }],
    ['payer', { payer: '0xbob' }],
    ['recipient', { recipient: '0xother' }],
    ['token', { contract: '0xother' }],
    ['currency', { currency: 'USDC' }],
    ['network', { network: 'bsc' }],
    ['chain', { genesis: '0xother' }],
    ['transaction', { transaction_hash: '0xother' }],
    ['place', { ordinal: 1 }],
    ['block', { block_number: '51' }],
    ['block hash', { block_hash: '0xother' }],
    ['block time', { block_time: at(61) }],
    ['decimals', { decimals: 5 }],
    ['kind', { is_plain: false }],
  ])('only while nothing was changed since the watcher saw the transfer: %s', async (_, change) => {
    const right = transfer('0x1', 1250);
    expect((await payersOf([right]))[0]?.isProven).toBe(true);
    expect((await readProvenTransfers(script([{ ...right, ...change }]).tx, refund, KEY)).length).toBe(0);
  });

  test('only with the key, by a MAC, and for this session and environment', async () => {
    const right = transfer('0x1', 1250);
    const isProven = async (rows: Row[], over = {}, key?: MacKeys) =>
      (await readPayers(script(rows).tx, { ...refund, ...over }, key))[0]?.isProven;
    expect(await isProven([right], {}, KEY)).toBe(true);
    expect(await isProven([right])).toBe(false);
    expect(await isProven([transfer('0x1', 1250, { mac: null })], {}, KEY)).toBe(false);
    expect(await isProven([transfer('0x1', 1250, {}, { isForged: true })], {}, KEY)).toBe(false);
    expect(await isProven([right], { sessionId: 'cs_2' }, KEY)).toBe(false);
    expect(await isProven([right], { environment: 'live' }, KEY)).toBe(false);
  });
});

describe('of a payment counts', () => {
  test('all of it, or nothing when it does not count', async () => {
    expect(await countedOf({})).toBe(1250n * CENT);
    expect(await countedOf({ currency: 'USDC' })).toBe(0n);
    expect(await countedOf({ network: 'tron' })).toBe(0n);
    expect(await countedOf({ block_time: at(600) })).toBe(0n);
    expect(await countedOf({ block_time: at(-100_000) })).toBe(0n);
    expect(await countedOf({ accepted_from: 'expired' })).toBe(0n);
    expect(await countedOf({ status: 'canceled' })).toBe(0n);
    expect(await countedOf({ ...CASE, block_time: at(600), case_state: 'accepted' })).toBe(1250n * CENT);
  });

  test('what a surplus leaves of it, or what was counted of it', async () => {
    expect(await countedOf({ ...CASE, case_kind: 'over', case_amount: '500000' })).toBe(1200n * CENT);
    expect(await countedOf({ ...CASE, case_kind: 'over', case_amount: null, case_counted: null })).toBe(1250n * CENT);
    expect(await countedOf({ ...CASE, case_amount: '500000' })).toBe(1250n * CENT);
    const partly = { ...CASE, case_kind: 'over', case_amount: '500000', case_counted: '70000' };
    expect(await countedOf(partly)).toBe(7n * CENT);
  });

  test('never more than it is and never less than nothing, whatever the web process wrote', async () => {
    expect(await countedOf({ ...CASE, case_state: 'accepted', case_counted: '99000000' })).toBe(1250n * CENT);
    expect(await countedOf({ ...CASE, case_kind: 'over', case_amount: '99000000' })).toBe(0n);
    expect(await countedOf({ ...CASE, case_kind: 'over', case_amount: '-500000' })).toBe(1250n * CENT);
  });
});

test('proven transfers are read once each, those below a cent too, and whether the refund is about them', async () => {
  const sentBack = transfer('0x2', 300, { ...CASE, case_state: 'refund' });
  const rows = [transfer('0x1', 0, { amount: '5' }), transfer('0x1', 0, { amount: '5' }), sentBack];
  const read = async (caseId: string | null) =>
    readProvenTransfers(script([...rows, transfer('0x3', 1, {}, { isForged: true })]).tx, { ...refund, caseId }, KEY);
  const about = { network: 'ethereum', currency: 'USDT', payer: '0xann', recipient: '0xr' };
  expect(await read(null)).toEqual([
    { ...about, amount: 5n * UNIT, isConcerned: true },
    { ...about, amount: 300n * CENT, isConcerned: false },
  ]);
  expect((await read('7')).map(({ isConcerned }) => isConcerned)).toEqual([false, true]);
});

describe('the parts of the payers', () => {
  const parts = async (rows: readonly Row[], refunded: readonly object[] = []) => {
    const { tx, valuesOf } = script(rows, { 'refunded-to-payers': refunded });
    return { ...(await readPayerParts(tx, refund)), values: valuesOf('refunded-to-payers') };
  };
  const done = (payer: string, cents: string, over = {}) => ({
    ...{ network: 'ethereum', currency: 'USDT', payer, cents },
    ...over,
  });

  test('add up each payer, token and network, less what each got back, in the order of paying', async () => {
    const rows = [
      transfer('0x1', 500),
      transfer('0x2', 300, { payer: '0xbob' }),
      transfer('0x3', 200),
      transfer('0x4', 250, { network: 'bsc' }),
      transfer('0x5', 100, { currency: 'USDC', payer: '0xeve' }),
    ];
    const refunded = [done('0xann', '100'), done('0xbob', '400'), done('0xann', '50', { network: 'tron' })];
    const { count, parts: found, values } = await parts(rows, refunded);
    expect(found).toEqual([
      { network: 'ethereum', currency: 'USDT', address: '0xann', remaining: 600n },
      { network: 'ethereum', currency: 'USDT', address: '0xbob', remaining: 0n },
      { network: 'bsc', currency: 'USDT', address: '0xann', remaining: 250n },
    ]);
    // The third paid in a token that does not count, and is a payer all the same.
    expect([count, values]).toEqual([3, [['cs_1']]]);
  });

  test('lose no cent of the whole by rounding', async () => {
    const half = (hash: string, payer: string) => transfer(hash, 0, { payer, amount: '15000' });
    const { parts: found } = await parts([half('0x1', '0xann'), half('0x2', '0xbob')]);
    expect(found.map(({ remaining }) => remaining)).toEqual([2n, 1n]);
  });
});

describe('what goes back to a payer', () => {
  const config = testConfig({ EVIDENCE_KEY: KEY[0].toString('base64') });
  const bound = async (cents: string, over: { rows?: Row[]; back?: object; config?: typeof config } = {}) => {
    const back = { network: 'ethereum', currency: 'USDT', cents, ...over.back };
    const { tx, valuesOf } = script(over.rows ?? [transfer('0x1', 1250)], { 'refund-back-to-payer': [back] });
    const given = { ...refund, id: 're_1', network: 'ethereum', currency: 'USDT', payer: '0xann' };
    const isWithin = await isWithinSent(tx, over.config ?? config, given);
    return { isWithin, values: valuesOf('refund-back-to-payer') };
  };

  test('is at most what the payer provably sent, and a cent for dust of others', async () => {
    expect(MAX_DUST).toBe(1n);
    expect((await bound('1251')).isWithin).toBe(true);
    expect((await bound('1252')).isWithin).toBe(false);
    expect((await bound('1251')).values).toEqual([['cs_1', 're_1', '0xann']]);
  });

  test('counts all that the payer sent, also below a cent, and nothing that others sent', async () => {
    const rows = [transfer('0x1', 1250), transfer('0x2', 0, { amount: '1' }), transfer('0x3', 300, { payer: '0xbob' })];
    expect([(await bound('1252', { rows })).isWithin, (await bound('1253', { rows })).isWithin]).toEqual([true, false]);
    expect((await bound('2', { rows: [transfer('0x1', 1250, { mac: null })] })).isWithin).toBe(false);
  });

  test('does not count a token that is not offered', async () => {
    const rows = [transfer('0x1', 1250, { currency: 'DAI' })];
    expect((await bound('2', { rows })).isWithin).toBe(false);
    expect((await bound('5000', { back: { currency: 'DAI' } })).isWithin).toBe(true);
  });

  test('is nothing without the evidence key', async () => {
    expect((await bound('1', { config: testConfig({ EVIDENCE_KEY: '' }) })).isWithin).toBe(false);
  });
});
