// The chain's report of one transaction: mined, waiting, failed or unknown.

import { describe, expect, it } from 'vitest';
import { OTHER_HASH, useFaultyPair } from '@/testing/evm/faulty-pair';
import { transferLog } from '@/testing/evm/fake-evm-node';
import { T0, usdt } from '@/testing/watching/watched-chain';
import { networkSpec } from '@/lib/networks/networks';
import { feeOf } from './lookup';

const { faulty, good, open, on } = useFaultyPair();

const PAYER = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8';
const RECIPIENT = '0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc';
const FAKE_TOKEN = '0x00000000000000000000000000000000deadbeef';
const lookup = (hash: string) => open([faulty().url]).lookup(hash);
const mined = (logs = [transferLog(usdt, PAYER, RECIPIENT, 5n)], status: '0x0' | '0x1' = '0x1') => {
  const block = faulty().mine([{ logs, status }]);
  return { block, hash: block.transactions[0]!.hash };
};

describe('the lookup of a transaction', () => {
  it('shows the block, confirmations, missing blocks and every moved token', async () => {
    faulty().finalDepth = 3;
    const { block, hash } = mined([
      transferLog(FAKE_TOKEN, PAYER, RECIPIENT, 9n),
      { ...transferLog(usdt, PAYER, RECIPIENT, 1n), data: '0x' },
      transferLog(usdt, PAYER, RECIPIENT, 5n),
    ]);
    faulty().mine();
    expect(await lookup(hash.toUpperCase().replace('0X', '0x'))).toEqual({
      transactionHash: hash,
      succeeded: true,
      block: { number: block.number, hash: block.hash, parentHash: block.parentHash, time: block.time },
      confirmations: 2,
      missing: 2,
      movements: [
        { contract: usdt, currency: 'USDT', payer: PAYER, recipient: RECIPIENT, amount: 5n },
        { contract: FAKE_TOKEN, currency: null, payer: PAYER, recipient: RECIPIENT, amount: 9n },
      ],
    });
    for (let left = 0; left < 3; left++) faulty().mine();
    expect(await lookup(hash)).toMatchObject({ confirmations: 5, missing: 0 });
  });

  it('shows no movements of a failed transaction', async () => {
    const { hash } = mined(undefined, '0x0');
    expect(await lookup(hash)).toMatchObject({ succeeded: false, movements: [], confirmations: 1 });
  });

  it('shows a waiting transaction without a block or success', async () => {
    faulty().pending.add(OTHER_HASH);
    expect(await lookup(OTHER_HASH)).toEqual({
      transactionHash: OTHER_HASH,
      succeeded: false,
      block: null,
      confirmations: 0,
      missing: null,
      movements: [],
    });
  });

  it('cuts thousands of movements to a hundred, allow-listed ones first', async () => {
    const airdrop = Array.from({ length: 300 }, () => transferLog(FAKE_TOKEN, PAYER, RECIPIENT, 1n));
    const { hash } = mined([...airdrop, transferLog(usdt, PAYER, RECIPIENT, 5n)]);
    const report = await lookup(hash);
    expect(report?.movements).toHaveLength(100);
    expect(report?.movements[0]).toMatchObject({ currency: 'USDT', amount: 5n });
  });

  it('returns null for an unknown transaction, and without a request for text that is not a hash', async () => {
    expect(await lookup(OTHER_HASH)).toBeNull();
    const requested = faulty().calls.get('eth_getTransactionByHash');
    for (const text of [
      '',
      '0x12',
      `${OTHER_HASH}00`,
      `${OTHER_HASH.slice(0, -1)}g`,
      '<script>',
      OTHER_HASH.slice(2),
    ]) {
      expect(await lookup(text)).toBeNull();
    }
    expect(faulty().calls.get('eth_getTransactionByHash')).toBe(requested);
  });

  it('finds a transaction at the next endpoint without blaming one that does not know it yet', async () => {
    const block = good().mine([{ logs: [transferLog(usdt, PAYER, RECIPIENT, 5n)] }], T0 + 11);
    const adapter = open([faulty().url, good().url]);
    expect(await adapter.lookup(block.transactions[0]!.hash)).toMatchObject({ succeeded: true, confirmations: 1 });
    expect(adapter.endpoints.health().map(({ failures }) => failures)).toEqual([0, 0]);
    good().drop(1);
  });
});

describe('an endpoint', () => {
  it('is not trusted if it returns another transaction or one of an abandoned block', async () => {
    const { hash } = mined();
    on('eth_getTransactionReceipt', (receipt) => ({ ...receipt, transactionHash: OTHER_HASH }));
    await expect(lookup(hash)).rejects.toMatchObject({ fault: 'contradiction' });
    on('eth_getTransactionReceipt', (receipt) => ({ ...receipt, blockHash: OTHER_HASH }));
    await expect(lookup(hash)).rejects.toMatchObject({ fault: 'unavailable' });
  });
});

describe('the fee of a transaction', () => {
  const receipt = { gasUsed: 50_000n, effectiveGasPrice: 3n, l1Fee: 7n };

  it('is its gas, and on a network that charges for data apart from gas that fee too', () => {
    expect(feeOf(receipt, networkSpec('test', 'ethereum', 'local')!)).toEqual({ fee: 150_000n });
    expect(feeOf(receipt, networkSpec('test', 'base', 'local')!)).toEqual({ fee: 150_007n });
  });

  it('is unknown where the receipt lacks a part of it', () => {
    expect(feeOf({ ...receipt, l1Fee: null }, networkSpec('test', 'base', 'local')!)).toEqual({});
    expect(feeOf({ ...receipt, gasUsed: null }, networkSpec('test', 'ethereum', 'local')!)).toEqual({});
  });
});
