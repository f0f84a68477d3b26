// Who ordered a payment according to its receipt: only a payer who called the token directly is refunded automatically.

import { expect, test } from 'vitest';
import { networkSpec } from '@/lib/networks/networks';
import { transferLog } from '@/testing/evm/fake-evm-node';
import { proveTransaction } from './decode';
import { receipt as receiptShape } from '@/lib/networks/families/evm/shapes';

const spec = networkSpec('live', 'ethereum', 'public')!;
const USDT = spec.tokens.USDT!.contract;
const [PAYER, OURS, OTHER] = [`0x${'a1'.repeat(20)}`, `0x${'b2'.repeat(20)}`, `0x${'c3'.repeat(20)}`] as const;
const block = { number: 7, hash: `0x${'77'.repeat(32)}`, parentHash: `0x${'66'.repeat(32)}`, time: 1_800_000_000 };
const transactionHash = `0x${'99'.repeat(32)}`;

function isPlain(over: { from?: string | null; to?: string | null }): boolean | undefined {
  const place = { blockNumber: '0x7', blockHash: block.hash, transactionHash, logIndex: '0x0' };
  const logs = [{ ...transferLog(USDT, PAYER, OURS, 5_000_000n), ...place }];
  const receipt = receiptShape.parse({ ...place, status: '0x1', logs, ...over })!;
  const found = receipt.logs;
  return proveTransaction({ spec, receipt, block, found, watched: new Set([OURS]), sendersToo: true }).transfers[0]
    ?.isPlain;
}

test.each([
  ['the payer calls the token', { from: PAYER.toUpperCase().replace('0X', '0x'), to: USDT }, true],
  ['a relayer moves the payer’s coins', { from: OTHER, to: USDT }, false],
  ['the payer calls a bridge, a swap or a batch', { from: PAYER, to: OTHER }, false],
  ['the payer creates a contract', { from: PAYER, to: null }, false],
  ['the node does not say who called what', {}, false],
])('when %s, the payer ordered the payment: %#', (_what, over, expected) => {
  expect(isPlain(over as Parameters<typeof isPlain>[0])).toBe(expected);
});
