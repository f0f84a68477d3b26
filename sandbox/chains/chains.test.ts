// Both local chains for real: tokens where the product looks for them, finality that lags, and what each way of paying leaves
// on the chain.

import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Interface, Wallet } from 'ethers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { centsToBaseUnits } from '@/lib/money';
import { systemClock, unixSeconds } from '@/lib/clock';
import { pay, PaymentRefused, type Scenario } from './pay';
import { openRpc } from './rpc';
import type { LocalNetwork } from './local-network';
import { startChains, type LocalChains } from './start';
import { balanceOf } from './tokens';

const token = new Interface([
  'function symbol() view returns (string)',
  'function decimals() view returns (uint8)',
  'function transfer(address to, uint256 value) returns (bool)',
]);
const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
type RpcBlock = { number: string; hash: string; timestamp: string };
type RpcReceipt = { status: string; logs: { address: string; topics: string[] }[] };

let directory: string;
let chains: LocalChains;
const faults: Error[] = [];

beforeAll(async () => {
  directory = fs.mkdtempSync(path.join(os.tmpdir(), 'stabletill-chains-'));
  chains = await startChains(directory, (error) => faults.push(error));
});
afterAll(async () => {
  await chains.stop();
  fs.rmSync(directory, { recursive: true, force: true });
  expect(faults).toEqual([]);
});

const local = (network: string): LocalNetwork => chains.networks.get(network) as LocalNetwork;
const rpcOf = (network: string) => openRpc(local(network).rpcUrl);
const receiptOf = (network: string, hash: string) =>
  rpcOf(network)<RpcReceipt | null>('eth_getTransactionReceipt', hash);
const blockOf = (network: string, tag: string) => rpcOf(network)<RpcBlock>('eth_getBlockByNumber', tag, false);
const newAddress = () => Wallet.createRandom().address;

/** Cents of a token that an address holds. */
async function cents(network: string, address: string, currency: string): Promise<bigint> {
  const { contract, decimals } = local(network).spec.tokens[currency] as { contract: string; decimals: number };
  return (await balanceOf(local(network).chain, contract, address)) / centsToBaseUnits(1n, decimals);
}
const payTo = (network: string, recipient: string, scenario: Scenario, amount = 1250n, currency = 'USDT') =>
  pay(local(network), { currency, recipient, cents: amount, scenario });

describe.each(['ethereum', 'bsc'])('%s', (network) => {
  test('has its own chain id and the tokens of the networks table with their symbols and decimals', async () => {
    const { spec, chain } = local(network);
    expect(Number(await rpcOf(network)('eth_chainId'))).toBe(spec.chainId);
    for (const [currency, { contract, decimals }] of Object.entries(spec.tokens)) {
      const ask = async (name: 'symbol' | 'decimals') =>
        token.decodeFunctionResult(name, await chain.read(contract, token.encodeFunctionData(name)))[0];
      expect([await ask('symbol'), await ask('decimals')]).toEqual([currency, BigInt(decimals)]);
    }
  });

  test('has a payer with ten million of each token, and coin', async () => {
    const { payer } = local(network);
    expect(await cents(network, payer.address, 'USDC')).toBe(1_000_000_000n);
    expect(BigInt(await rpcOf(network)('eth_getBalance', payer.address, 'latest'))).toBeGreaterThan(10n ** 18n);
  });

  test('calls a block final only when several follow it', async () => {
    const lag = async () =>
      Number((await blockOf(network, 'latest')).number) - Number((await blockOf(network, 'finalized')).number);
    // A block may be mined between the two questions, so it is asked until none was.
    await expect.poll(lag).toBe(network === 'ethereum' ? 4 : 2);
  });

  test.each(['exact', 'partial', 'over'] as const)(
    '%s pays the amount it is told, in one transfer',
    async (scenario) => {
      const recipient = newAddress();
      const receipt = await receiptOf(network, await payTo(network, recipient, scenario, 777n));
      expect(receipt?.status).toBe('0x1');
      expect(receipt?.logs.map(({ address, topics }) => [address, topics[0]])).toEqual([
        [local(network).spec.tokens.USDT?.contract, TRANSFER],
      ]);
      expect(await cents(network, recipient, 'USDT')).toBe(777n);
    },
  );

  test('wrong_token pays in the other token', async () => {
    const recipient = newAddress();
    await payTo(network, recipient, 'wrong_token');
    expect([await cents(network, recipient, 'USDT'), await cents(network, recipient, 'USDC')]).toEqual([0n, 1250n]);
  });

  test('fake_token emits a transfer of another contract with the same symbol', async () => {
    const recipient = newAddress();
    const receipt = await receiptOf(network, await payTo(network, recipient, 'fake_token'));
    const address = receipt?.logs[0]?.address ?? '';
    expect([receipt?.status, receipt?.logs[0]?.topics[0]]).toEqual(['0x1', TRANSFER]);
    expect(address).not.toBe(local(network).spec.tokens.USDT?.contract);
    const symbol = await local(network).chain.read(address, token.encodeFunctionData('symbol'));
    expect(token.decodeFunctionResult('symbol', symbol)[0]).toBe('USDT');
    expect(await cents(network, recipient, 'USDT')).toBe(0n);
  });

  test('failed is mined, reverted and moves nothing', async () => {
    const recipient = newAddress();
    const receipt = await receiptOf(network, await payTo(network, recipient, 'failed'));
    expect([receipt?.status, receipt?.logs]).toEqual(['0x0', []]);
    expect(await cents(network, recipient, 'USDT')).toBe(0n);
  });

  test('split pays the whole amount in two transactions, and refuses a single cent', async () => {
    const recipient = newAddress();
    await payTo(network, recipient, 'split', 1251n);
    expect(await cents(network, recipient, 'USDT')).toBe(1251n);
    const to = `0x${recipient.slice(2).toLowerCase().padStart(64, '0')}`;
    const filter = { fromBlock: '0x0', toBlock: 'latest', topics: [TRANSFER, null, to] };
    const logs = await rpcOf(network)<{ transactionHash: string }[]>('eth_getLogs', filter);
    expect(new Set(logs.map(({ transactionHash }) => transactionHash)).size).toBe(2);
    await expect(payTo(network, recipient, 'split', 1n)).rejects.toThrow(PaymentRefused);
  });

  test('batch pays two recipients in one transaction', async () => {
    const [recipient, other] = [newAddress(), newAddress()];
    const payment = { currency: 'USDT', recipient, cents: 500n, scenario: 'batch' } as const;
    const hash = await pay(local(network), { ...payment, other: { recipient: other, cents: 700n } });
    expect((await receiptOf(network, hash))?.logs.filter(({ topics }) => topics[0] === TRANSFER)).toHaveLength(2);
    expect([await cents(network, recipient, 'USDT'), await cents(network, other, 'USDT')]).toEqual([500n, 700n]);
  });

  test('reorged is mined, never final, and then gone with its block, while a payment behind it stays', async () => {
    const [recipient, behind] = [newAddress(), newAddress()];
    const hash = await payTo(network, recipient, 'reorged');
    expect((await receiptOf(network, hash))?.status).toBe('0x1');
    const before = await blockOf(network, 'latest');
    expect(Number((await blockOf(network, 'finalized')).number)).toBeLessThan(Number(before.number));
    await payTo(network, behind, 'exact', 300n);
    expect(await receiptOf(network, hash)).toBeNull();
    expect((await blockOf(network, before.number)).hash).not.toBe(before.hash);
    expect([await cents(network, recipient, 'USDT'), await cents(network, behind, 'USDT')]).toEqual([0n, 300n]);
  });

  test('twenty payments at once all arrive', async () => {
    const recipients = Array.from({ length: 20 }, newAddress);
    const hashes = await Promise.all(
      recipients.map((recipient, n) => payTo(network, recipient, 'exact', BigInt(n + 1))),
    );
    expect(new Set(hashes).size).toBe(20);
    const held = await Promise.all(recipients.map((recipient) => cents(network, recipient, 'USDT')));
    expect(held).toEqual(recipients.map((_, n) => BigInt(n + 1)));
  });

  test('the payer affords the highest price, and keeps its reserve', async () => {
    const recipient = newAddress();
    const highest = 10n ** 15n;
    await payTo(network, recipient, 'exact', highest);
    expect(await cents(network, recipient, 'USDT')).toBe(highest);
    expect(await cents(network, local(network).payer.address, 'USDT')).toBeGreaterThanOrEqual(100_000_000n);
  });

  test('mining and the deepest reorganisation keep the tokens, the height and the clock', async () => {
    const { chain } = local(network);
    const height = await chain.mine(250);
    await chain.reorganise(64);
    const replaced = await blockOf(network, 'latest');
    expect(Number(replaced.number)).toBeGreaterThanOrEqual(height);
    await payTo(network, newAddress(), 'exact');
    const lag = unixSeconds(systemClock.now()) - Number((await blockOf(network, 'latest')).timestamp);
    expect(Math.abs(lag)).toBeLessThanOrEqual(2);
  });

  test('mines without payments too', async () => {
    const before = Number((await blockOf(network, 'latest')).number);
    await expect
      .poll(async () => Number((await blockOf(network, 'latest')).number), { timeout: 10_000 })
      .toBeGreaterThanOrEqual(before + 2);
  });
});

test('USDT on Ethereum answers a transfer with nothing, on BSC with true', async () => {
  const data = token.encodeFunctionData('transfer', [newAddress(), 0n]);
  const answers = ['ethereum', 'bsc'].map((network) => {
    const { payer, spec } = local(network);
    return rpcOf(network)('eth_call', { from: payer.address, to: spec.tokens.USDT?.contract, data }, 'latest');
  });
  expect(await Promise.all(answers)).toEqual(['0x', `0x${'1'.padStart(64, '0')}`]);
});

test('a payer is the same at the next start, and its key is for its owner alone', () => {
  const file = path.join(directory, 'bsc-payer.key');
  expect(fs.readFileSync(file, 'utf8').trim()).toBe(local('bsc').payer.privateKey);
  expect(fs.statSync(file).mode & 0o777).toBe(0o600);
});

test('a chain started anew is a new chain', async () => {
  const other = path.join(directory, 'again');
  const again = await startChains(other, () => {});
  try {
    const genesis = await openRpc((again.networks.get('bsc') as LocalNetwork).rpcUrl)<RpcBlock>(
      'eth_getBlockByNumber',
      '0x0',
      false,
    );
    expect(genesis.hash).not.toBe((await blockOf('bsc', '0x0')).hash);
  } finally {
    await again.stop();
  }
});
