// The local Ethereum and BSC as their nodes show them: tokens at the product's addresses, delayed finality, and the
// on-chain result of each payment scenario.

import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Interface, Wallet } from 'ethers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { systemClock, unixSeconds } from '@/lib/platform/clock';
import type { LocalNetwork } from '../local-network';
import type { Scenario } from '../payment';
import { openRpc } from './rpc';
import { EVM_NETWORKS, startEvm } from './start';

const token = new Interface([
  'function symbol() view returns (string)',
  'function decimals() view returns (uint8)',
  'function transfer(address to, uint256 value) returns (bool)',
]);
const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
type RpcBlock = { number: string; hash: string; timestamp: string };
type RpcReceipt = { status: string; logs: { address: string; topics: string[] }[] };

let directory: string;
let chains: Map<string, LocalNetwork>;
const faults: Error[] = [];
const startAll = async (at: string) =>
  new Map(
    await Promise.all(
      EVM_NETWORKS.map(async (row) => {
        const one = await startEvm(row, { directory: at, onFault: (error) => faults.push(error) });
        return [row.network, one] as const;
      }),
    ),
  );

beforeAll(async () => {
  directory = fs.mkdtempSync(path.join(os.tmpdir(), 'stabletill-evm-'));
  chains = await startAll(directory);
});
afterAll(async () => {
  for (const one of chains.values()) await one.stop();
  fs.rmSync(directory, { recursive: true, force: true });
  expect(faults).toEqual([]);
});

const local = (network: string): LocalNetwork => chains.get(network) as LocalNetwork;
const rpcOf = (network: string) => openRpc(local(network).rpcUrl);
const receiptOf = (network: string, hash: string) =>
  rpcOf(network)<RpcReceipt | null>('eth_getTransactionReceipt', hash);
const blockOf = (network: string, tag: string) => rpcOf(network)<RpcBlock>('eth_getBlockByNumber', tag, false);
const newAddress = () => Wallet.createRandom().address;
const payTo = (network: string, recipient: string, scenario: Scenario, amount = 1250n) =>
  local(network).pay({ currency: 'USDT', recipient, cents: amount, scenario });

async function ask(network: string, contract: string, name: 'symbol' | 'decimals'): Promise<unknown> {
  const answer = await rpcOf(network)('eth_call', { to: contract, data: token.encodeFunctionData(name) }, 'latest');
  return token.decodeFunctionResult(name, answer)[0];
}

describe.each(EVM_NETWORKS.map(({ network }) => network))('%s', (network) => {
  test('has its own chain id and the tokens of the networks table with their symbols and decimals', async () => {
    const { spec } = local(network);
    expect(Number(await rpcOf(network)('eth_chainId'))).toBe(spec.chainId);
    for (const [currency, { contract, decimals }] of Object.entries(spec.tokens)) {
      const told = [await ask(network, contract, 'symbol'), await ask(network, contract, 'decimals')];
      expect(told).toEqual([currency, BigInt(decimals)]);
    }
  });

  test('has a payer with coin for fees', async () => {
    const { payer } = local(network);
    expect(BigInt(await rpcOf(network)('eth_getBalance', payer.address, 'latest'))).toBeGreaterThan(10n ** 18n);
    expect(new Wallet(payer.privateKey).address).toBe(payer.address);
  });

  test('reports a block as final only when several blocks follow it', async () => {
    const lag = async () =>
      Number((await blockOf(network, 'latest')).number) - Number((await blockOf(network, 'finalized')).number);
    // A block may be mined between the two requests, so the test repeats them until none was.
    await expect.poll(lag).toBe(network === 'ethereum' ? 4 : 2);
  });

  test('exact is one transfer of the genuine token', async () => {
    const receipt = await receiptOf(network, await payTo(network, newAddress(), 'exact', 777n));
    expect(receipt?.status).toBe('0x1');
    expect(receipt?.logs.map(({ address, topics }) => [address, topics[0]])).toEqual([
      [local(network).spec.tokens.USDT?.contract, TRANSFER],
    ]);
  });

  test('fake_token emits a transfer of another contract with the same symbol', async () => {
    const receipt = await receiptOf(network, await payTo(network, newAddress(), 'fake_token'));
    const address = receipt?.logs[0]?.address ?? '';
    expect([receipt?.status, receipt?.logs[0]?.topics[0]]).toEqual(['0x1', TRANSFER]);
    expect(address).not.toBe(local(network).spec.tokens.USDT?.contract);
    expect(await ask(network, address, 'symbol')).toBe('USDT');
  });

  test('failed is mined and reverted', async () => {
    const receipt = await receiptOf(network, await payTo(network, newAddress(), 'failed'));
    expect([receipt?.status, receipt?.logs]).toEqual(['0x0', []]);
  });

  test('split is two transactions, batch is one with two transfers', async () => {
    const recipient = newAddress();
    await payTo(network, recipient, 'split', 1251n);
    const to = `0x${recipient.slice(2).toLowerCase().padStart(64, '0')}`;
    const filter = { fromBlock: '0x0', toBlock: 'latest', topics: [TRANSFER, null, to] };
    const logs = await rpcOf(network)<{ transactionHash: string }[]>('eth_getLogs', filter);
    expect(new Set(logs.map(({ transactionHash }) => transactionHash)).size).toBe(2);
    const batch = await receiptOf(network, await payTo(network, newAddress(), 'batch'));
    expect(batch?.logs.filter(({ topics }) => topics[0] === TRANSFER)).toHaveLength(2);
  });

  test('reorged is mined, never final, and then removed with its block, while a later payment stays', async () => {
    const hash = await payTo(network, newAddress(), 'reorged');
    expect((await receiptOf(network, hash))?.status).toBe('0x1');
    const before = await blockOf(network, 'latest');
    expect(Number((await blockOf(network, 'finalized')).number)).toBeLessThan(Number(before.number));
    const behind = await payTo(network, newAddress(), 'exact', 300n);
    expect(await receiptOf(network, hash)).toBeNull();
    expect((await blockOf(network, before.number)).hash).not.toBe(before.hash);
    expect((await receiptOf(network, behind))?.status).toBe('0x1');
  });

  test('mining and the deepest reorg leave the tokens, the height and the clock correct', async () => {
    const height = await local(network).mine(250);
    await local(network).reorganise(64);
    const replaced = await blockOf(network, 'latest');
    expect(Number(replaced.number)).toBeGreaterThanOrEqual(height);
    const before = unixSeconds(systemClock.now());
    await payTo(network, newAddress(), 'exact');
    const { timestamp } = await blockOf(network, 'latest');
    expect(Number(timestamp)).toBeGreaterThanOrEqual(before - 2);
    expect(Number(timestamp)).toBeLessThanOrEqual(unixSeconds(systemClock.now()) + 2);
  });

  test('mines blocks without payments too', async () => {
    const before = Number((await blockOf(network, 'latest')).number);
    await expect
      .poll(async () => Number((await blockOf(network, 'latest')).number), { timeout: 10_000 })
      .toBeGreaterThanOrEqual(before + 2);
  });
});

test('transfer returns nothing for USDT on Ethereum, and true on BSC', async () => {
  const data = token.encodeFunctionData('transfer', [newAddress(), 0n]);
  const answers = ['ethereum', 'bsc'].map((network) => {
    const { payer, spec } = local(network);
    return rpcOf(network)('eth_call', { from: payer.address, to: spec.tokens.USDT?.contract, data }, 'latest');
  });
  expect(await Promise.all(answers)).toEqual(['0x', `0x${'1'.padStart(64, '0')}`]);
});

test('a restarted chain has a new genesis and the same payer', async () => {
  const [row] = EVM_NETWORKS.filter(({ network }) => network === 'bsc');
  const again = await startEvm(row!, { directory, onFault: () => {} });
  try {
    const genesis = await openRpc(again.rpcUrl)<RpcBlock>('eth_getBlockByNumber', '0x0', false);
    expect(genesis.hash).not.toBe((await blockOf('bsc', '0x0')).hash);
    expect(again.payer).toEqual(local('bsc').payer);
  } finally {
    await again.stop();
  }
});
