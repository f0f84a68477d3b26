// The payment finder's report of one transaction: its block, its distance to finality, and its movements.

import { describe, expect, it } from 'vitest';
import {
  TRON_OURS,
  TRON_PAID_IN,
  TRON_PAYER,
  TRON_SOLID,
  TRON_STRANGER,
  tronUsdt,
  useTronPair,
} from '@/testing/tron/tron-pair';
import { transferLog } from '@/testing/tron/tron-shapes';

const { faulty, good, open, on } = useTronPair();
const FAKE_TOKEN = 'TG3XXyExBkPp9nzdajDZsozEu4BkaSJozs';
const paid = () => good().blocks[TRON_PAID_IN]!.transactions.at(-1)!.id;
const lookup = (hash: string, ...urls: string[]) => open(urls.length > 0 ? urls : [good().url]).lookup(hash);

describe('the lookup of a transaction', () => {
  it('shows a solid transaction as final, with its block and movements', async () => {
    const block = good().blocks[TRON_PAID_IN]!;
    expect(await lookup(paid())).toEqual({
      transactionHash: paid(),
      succeeded: true,
      block: { number: block.number, hash: block.id, parentHash: block.parentHash, time: block.time / 1000 },
      confirmations: TRON_SOLID + 18 - TRON_PAID_IN + 1,
      missing: 0,
      fee: 345_000n,
      movements: [{ contract: tronUsdt, currency: 'USDT', payer: TRON_PAYER, recipient: TRON_OURS, amount: 12n }],
    });
    expect(await lookup(paid().toUpperCase())).toMatchObject({ transactionHash: paid(), missing: 0 });
  });

  it('shows it as final with nineteen confirmations', async () => {
    const [transaction] = good().mine([{ logs: [transferLog(tronUsdt, TRON_PAYER, TRON_OURS, 5n)] }]).transactions;
    const at = async () => {
      const { confirmations, missing } = (await lookup(transaction!.id))!;
      return [confirmations, missing];
    };
    expect(await at()).toEqual([1, 18]);
    good().mine();
    expect(await at()).toEqual([2, 17]);
    for (let count = 16; count > 0; count--) good().mine();
    expect(await at()).toEqual([18, 1]);
    good().mine();
    expect(await at()).toEqual([19, 0]);
  });

  it('shows no movements of a failed transaction', async () => {
    const logs = [transferLog(tronUsdt, TRON_PAYER, TRON_OURS, 5n)];
    const [transaction] = good().mine([{ result: 'OUT_OF_ENERGY', logs }]).transactions;
    expect(await lookup(transaction!.id)).toMatchObject({ succeeded: false, confirmations: 1, movements: [] });
  });

  it('shows every movement of every token, allow-listed ones first, at most a hundred', async () => {
    const fakes = Array.from({ length: 150 }, () => transferLog(FAKE_TOKEN, TRON_STRANGER, TRON_OURS, 0n));
    const [transaction] = good().mine([
      { logs: [...fakes, transferLog(tronUsdt, TRON_PAYER, TRON_OURS, 5n)] },
    ]).transactions;
    const movements = (await lookup(transaction!.id))!.movements;
    expect(movements).toHaveLength(100);
    expect(movements[0]).toMatchObject({ currency: 'USDT', contract: tronUsdt, amount: 5n });
    expect(movements.at(-1)).toEqual({
      contract: FAKE_TOKEN,
      currency: null,
      payer: TRON_STRANGER,
      recipient: TRON_OURS,
      amount: 0n,
    });
  });

  it('shows no block for a waiting transaction', async () => {
    const id = 'ee'.repeat(32);
    good().pending.add(id);
    const waiting = { transactionHash: id, block: null, confirmations: 0, missing: null, movements: [] };
    expect(await lookup(id)).toMatchObject(waiting);
    good().missing.add('gettransactionfrompending');
    expect(await lookup(id)).toBeNull();
  });

  it('finds a transaction at another endpoint if one does not know it yet', async () => {
    faulty().blocks.splice(3);
    expect(await lookup(paid(), faulty().url, good().url)).toMatchObject({ missing: 0 });
    expect(await lookup('ee'.repeat(32), faulty().url, good().url)).toBeNull();
  });

  it.each(['', 'abc', `0x${'a'.repeat(64)}`, 'g'.repeat(64), `${'a'.repeat(64)}\n`])(
    'sends no request for text that is not a hash: %j',
    async (text) => {
      expect(await lookup(text)).toBeNull();
      expect(good().calls.get('walletsolidity/gettransactioninfobyid')).toBeUndefined();
    },
  );
});

describe('an endpoint that contradicts itself about a transaction is not trusted', () => {
  it.each([
    ['another id', { id: 'ee'.repeat(32) }],
    ['another block', { blockNumber: 6 }],
    ['another outcome', { receipt: { result: 'REVERT' }, result: 'FAILED' }],
    ['fewer logs', { log: [] }],
  ])('%s', async (_what, over) => {
    on('gettransactioninfobyid', (info) => ({ ...info, ...over }));
    await expect(lookup(paid(), faulty().url)).rejects.toMatchObject({ fault: 'contradiction' });
    expect(await lookup(paid(), faulty().url, good().url)).toMatchObject({ succeeded: true });
  });
});
