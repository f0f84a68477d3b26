// What the simulated EVM chain does with batches of payouts and the allowance for them. ethers signs them, not the product.

import { Interface } from 'ethers/abi';
import { Wallet } from 'ethers/wallet';
import { beforeEach, expect, it } from 'vitest';
import { PAYOUT_BATCH, SKIPPED_TOPIC } from '@/lib/networks/families/evm/batching/payout-batch';
import { networkSpec } from '@/lib/networks/networks';
import { openEvmChain } from './evm-chain';

const refunds = new Wallet(`0x${'11'.repeat(32)}`);
const wallet = refunds.address.toLowerCase();
const [alice, bob] = [`0x${'a1'.repeat(20)}`, `0x${'b0'.repeat(20)}`] as const;
const spec = networkSpec('test', 'bsc', 'local')!;
const token = spec.tokens.USDT!.contract;
const calls = new Interface([
  'function pay(address token, uint256 gasEach, uint256[] items)',
  'function approve(address spender, uint256 amount)',
  'function allowance(address owner, address spender)',
]);
const WORD = 66;

const open = () => openEvmChain({ spec, finalDepth: 2, wallet, unixSeconds: 0 });
let chain: ReturnType<typeof open>;
beforeEach(() => void (chain = open()));

const ask = (method: string, ...params: readonly unknown[]): unknown =>
  chain.answer({ height: chain.height() }, method, params);
async function send(nonce: number, to: string, data: string): Promise<string> {
  const terms = {
    chainId: spec.chainId!,
    type: 2,
    gasLimit: 2_000_000n,
    maxFeePerGas: 10n ** 9n,
    maxPriorityFeePerGas: 1n,
  };
  const hash = ask('eth_sendRawTransaction', await refunds.signTransaction({ ...terms, nonce, to, data }));
  chain.mine(1);
  return hash as string;
}
const approve = (nonce: number, amount: bigint) =>
  send(nonce, token, calls.encodeFunctionData('approve', [PAYOUT_BATCH, amount]));
const itemOf = ([to, amount]: readonly [string, bigint]): bigint => (amount << 160n) | BigInt(to);
const batchOf = (...items: readonly (readonly [string, bigint])[]): string =>
  calls.encodeFunctionData('pay', [token, 100_000n, items.map(itemOf)]);
const allowed = (): unknown =>
  ask('eth_call', { to: token, data: calls.encodeFunctionData('allowance', [wallet, PAYOUT_BATCH]) }, 'latest');
const word = (value: bigint): string => `0x${value.toString(16).padStart(WORD - 2, '0')}`;
const left = (): readonly (readonly [string, bigint])[] =>
  chain.transfers(chain.height()).map(({ recipient, amount }) => [recipient, amount]);
const logsOf = (hash: string) =>
  (
    ask('eth_getTransactionReceipt', hash) as {
      readonly logs: readonly { address: string; topics: string[]; data: string }[];
    }
  ).logs;

it('a batch moves its items from the wallet, and takes them from the allowance', async () => {
  await approve(0, 100n);
  expect(allowed()).toBe(word(100n));
  const hash = await send(1, PAYOUT_BATCH, batchOf([alice, 30n], [bob, 50n]));
  expect(left()).toEqual([
    [alice, 30n],
    [bob, 50n],
  ]);
  expect(allowed()).toBe(word(20n));
  expect(logsOf(hash).map(({ address }) => address)).toEqual([token, token]);
});

it('leaves out what the allowance does not cover and what the token refuses, and says so', async () => {
  await approve(0, 60n);
  chain.refuse(token, bob);
  const data = batchOf([bob, 10n], [alice, 40n], [alice, 30n]);
  expect(ask('eth_call', { from: wallet, to: PAYOUT_BATCH, data }, 'latest')).toBe(word(0b101n));
  const hash = await send(1, PAYOUT_BATCH, data);
  expect(left()).toEqual([[alice, 40n]]);
  const skipped = logsOf(hash).filter(({ topics }) => topics[0] === SKIPPED_TOPIC);
  expect(skipped.map(({ address, data: place }) => [address, place])).toEqual([
    [PAYOUT_BATCH, word(0n)],
    [PAYOUT_BATCH, word(2n)],
  ]);
});

it('changes an allowance only from nothing or to nothing', async () => {
  await approve(0, 60n);
  await approve(1, 100n);
  expect(allowed()).toBe(word(60n));
  await approve(2, 0n);
  await approve(3, 100n);
  expect(allowed()).toBe(word(100n));
});

it('moves nothing without an allowance', async () => {
  await send(0, PAYOUT_BATCH, batchOf([alice, 30n]));
  expect(left()).toEqual([]);
});
