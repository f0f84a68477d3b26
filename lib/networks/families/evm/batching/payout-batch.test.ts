import { getCreate2Address, Interface, keccak256 } from 'ethers';
import { expect, it } from 'vitest';
import { CREATE2_FACTORY } from '@/lib/networks/families/evm/sweeping/sweep-delegate';
import { PAYOUT_BATCH_CODE } from './payout-batch-code';
import {
  batchData,
  MAX_BATCH,
  PAYOUT_BATCH,
  payoutBatchDeployment,
  readBatchData,
  SKIPPED_TOPIC,
} from './payout-batch';

const contract = new Interface([
  'function pay(address token, uint256 gasEach, uint256[] items)',
  'event Skipped(uint256 index)',
]);
const TOKEN = `0x${'e'.repeat(40)}`;
const item = (n: number) => ({ to: `0x${String(n + 1).padStart(40, '0')}`, amount: BigInt(n + 1) * 1_000_000n });
const items = (count: number) => Array.from({ length: count }, (_, n) => item(n));
const packed = (count: number) => items(count).map(({ to, amount }) => (amount << 160n) | BigInt(to));

it('the address and the deployment agree with ethers', () => {
  const salt = `0x${'0'.repeat(64)}`;
  expect(PAYOUT_BATCH).toBe(getCreate2Address(CREATE2_FACTORY, salt, keccak256(PAYOUT_BATCH_CODE)).toLowerCase());
  expect(payoutBatchDeployment()).toBe(salt + PAYOUT_BATCH_CODE.slice(2));
});

it.each([1, 2, MAX_BATCH])('the call with %i items agrees with ethers and is read back', (count) => {
  const call = { token: TOKEN, gasEach: 120_000n, items: items(count) };
  const data = contract.encodeFunctionData('pay', [TOKEN, 120_000n, packed(count)]);
  expect(`0x${batchData(call)}`).toBe(data);
  expect(readBatchData(data.slice(2))).toEqual(call);
  expect(contract.getEvent('Skipped')?.topicHash).toBe(SKIPPED_TOPIC);
});

it('holds the largest amount of an item, and refuses nothing, less and more', () => {
  const most = (1n << 96n) - 1n;
  const call = (amount: bigint) => ({ token: TOKEN, gasEach: 1n, items: [{ to: item(0).to, amount }] });
  expect(readBatchData(batchData(call(most)))).toEqual(call(most));
  for (const amount of [0n, -1n, most + 1n]) expect(() => batchData(call(amount))).toThrow(/out of bounds/);
});

it('refuses data that is anything but one whole call', () => {
  const data = batchData({ token: TOKEN, gasEach: 120_000n, items: items(3) });
  const word = (at: number, text: string) =>
    data.slice(0, 8 + at * 64) + text.padStart(64, '0') + data.slice(72 + at * 64);
  const faulty = [
    '',
    data.slice(0, 8),
    `a9059cbb${data.slice(8)}`,
    data.slice(0, -64),
    data.slice(0, -2),
    `${data}00`,
    data + '0'.repeat(64),
    word(0, `1${TOKEN.slice(2)}`),
    word(2, '80'),
    word(3, '2'),
    word(3, '4'),
    word(4, item(0).to.slice(2)),
    contract.encodeFunctionData('pay', [TOKEN, 1n, []]).slice(2),
    contract.encodeFunctionData('pay', [TOKEN, 1n, packed(MAX_BATCH + 1)]).slice(2),
  ];
  for (const one of faulty) expect(readBatchData(one)).toBeNull();
});
