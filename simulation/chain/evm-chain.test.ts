// What the simulated EVM chain does beside ordinary blocks.

import { Interface } from 'ethers/abi';
import { Wallet } from 'ethers/wallet';
import { expect, it } from 'vitest';
import { networkSpec } from '@/lib/networks/networks';
import { openEvmChain } from './evm-chain';

const wallet = new Wallet(`0x${'11'.repeat(32)}`);
const spec = networkSpec('test', 'bsc', 'local')!;
const token = spec.tokens.USDT!.contract;
const recipient = `0x${'a1'.repeat(20)}`;
const erc20 = new Interface([
  'function transfer(address to, uint256 amount)',
  'function paused()',
  'function isBlacklisted(address)',
]);

const open = () => openEvmChain({ spec, finalDepth: 2, wallet: wallet.address.toLowerCase(), unixSeconds: 0 });
type Chain = ReturnType<typeof open>;
const ask = (chain: Chain, method: string, params: readonly unknown[]): unknown =>
  chain.answer({ height: chain.height() }, method, params);

async function send(chain: Chain, gasPrice: bigint): Promise<unknown> {
  const data = erc20.encodeFunctionData('transfer', [recipient, 1n]);
  const signed = await wallet.signTransaction({
    ...{ to: token, data, nonce: 0, gasPrice, gasLimit: 90_000n, chainId: spec.chainId!, type: 0 },
  });
  return ask(chain, 'eth_sendRawTransaction', [signed]);
}

it('mines a replaced transaction when its miner has missed the replacement', async () => {
  const chain = open();
  const first = await send(chain, 10n ** 9n);
  const second = await send(chain, 2n * 10n ** 9n);
  expect(second).not.toBe(first);
  expect(chain.restoreReplaced?.()).toBe(1);
  chain.mine(3);
  expect(chain.transfers(chain.height())).toMatchObject([{ hash: first }]);
  expect(chain.restoreReplaced?.()).toBe(0);
});

it('mines the replacement otherwise', async () => {
  const chain = open();
  await send(chain, 10n ** 9n);
  const second = await send(chain, 2n * 10n ** 9n);
  chain.mine(3);
  expect(chain.transfers(chain.height())).toMatchObject([{ hash: second }]);
});

it('says which transfers the issuer of a token refuses', () => {
  const chain = open();
  const flag = (name: string, values: readonly unknown[]): bigint =>
    BigInt(ask(chain, 'eth_call', [{ to: token, data: erc20.encodeFunctionData(name, values) }, 'latest']) as string);
  expect([flag('paused', []), flag('isBlacklisted', [recipient])]).toEqual([0n, 0n]);
  chain.refuse(token, recipient);
  expect([flag('paused', []), flag('isBlacklisted', [recipient])]).toEqual([0n, 1n]);
  chain.refuse(token, '*');
  expect(flag('paused', [])).toBe(1n);
});
