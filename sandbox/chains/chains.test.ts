// Every local chain, side by side and unmocked: what each payment scenario moves, on every kind of chain. Tests in each
// family's folder cover how the payments look on the chain.

import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { base58 } from '@scure/base';
import { JsonRpcProvider, Wallet } from 'ethers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { centsToBaseUnits } from '@/lib/money/amounts';
import type { LocalNetwork } from './local-network';
import { PaymentRefused, type Scenario } from './payment';
import { startChains, type LocalChains } from './start';
import { toBase58 } from './tron/address';

/** One row per chain: an unused address, and a text that resembles an address but is invalid. */
const NETWORKS = [
  { network: 'ethereum', newAddress: () => Wallet.createRandom().address, wrong: 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t' },
  { network: 'bsc', newAddress: () => Wallet.createRandom().address, wrong: `0x${'0'.repeat(39)}` },
  {
    network: 'tron',
    newAddress: () => toBase58(`41${Wallet.createRandom().address.slice(2).toLowerCase()}`),
    wrong: 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6T',
  },
  { network: 'solana', newAddress: () => base58.encode(randomBytes(32)), wrong: '0'.repeat(44) },
];

/** As the signer reports it on its fourth start. */
const REFUND_WALLET = {
  evm: Wallet.createRandom().address.toLowerCase(),
  tron: toBase58(`41${Wallet.createRandom().address.slice(2).toLowerCase()}`),
  solana: base58.encode(randomBytes(32)),
  nextNonces: { ethereum: 7 },
};

let directory: string;
let chains: LocalChains;
const faults: Error[] = [];

beforeAll(async () => {
  directory = fs.mkdtempSync(path.join(os.tmpdir(), 'stabletill-chains-'));
  chains = await startChains({ directory, refundWallet: REFUND_WALLET, onFault: (error) => faults.push(error) });
});
afterAll(async () => {
  await chains.stop();
  fs.rmSync(directory, { recursive: true, force: true });
  expect(faults).toEqual([]);
});

const local = (network: string): LocalNetwork => chains.networks.get(network) as LocalNetwork;

/** An address's balance of a token, in cents. */
async function cents(network: string, address: string, currency = 'USDT'): Promise<bigint> {
  const { decimals } = local(network).spec.tokens[currency] as { decimals: number };
  return (await local(network).balance(address, currency)) / centsToBaseUnits(1n, decimals);
}
const payTo = (network: string, recipient: string, scenario: Scenario, amount = 1250n) =>
  local(network).pay({ currency: 'USDT', recipient, cents: amount, scenario });

test('starts the local chain of every standard network in the table', () => {
  expect([...chains.networks.keys()]).toEqual(NETWORKS.map(({ network }) => network));
});

test('the refund wallet’s account nonce continues on a restarted chain', async () => {
  const provider = new JsonRpcProvider(local('ethereum').rpcUrl);
  expect(await provider.getTransactionCount(REFUND_WALLET.evm)).toBe(7);
  expect(await provider.getBalance(REFUND_WALLET.evm)).toBeGreaterThan(0n);
  provider.destroy();
});

describe.each(NETWORKS)('$network', ({ network, newAddress, wrong }) => {
  test('the refund wallet has ten million of each token', async () => {
    const wallet = REFUND_WALLET[local(network).spec.family];
    expect(await cents(network, wallet, 'USDT')).toBe(1_000_000_000n);
    expect(await cents(network, wallet, 'USDC')).toBe(1_000_000_000n);
  });

  test('gives a new, valid address that the issuer has blocked each time', async () => {
    const blocked = [await local(network).blockedAddress('USDT'), await local(network).blockedAddress('USDC')];
    expect(new Set(blocked).size).toBe(2);
    expect(blocked.every((address) => local(network).isAddress(address))).toBe(true);
    await expect(local(network).blockedAddress('DAI')).rejects.toThrow(PaymentRefused);
  });

  test('has a payer with ten million of each token, whose key file only its owner can read', async () => {
    const { payer } = local(network);
    expect(await cents(network, payer.address, 'USDC')).toBe(1_000_000_000n);
    const file = path.join(directory, `${network}-payer.key`);
    expect(fs.readFileSync(file, 'utf8').trim()).toBe(payer.privateKey);
    expect(fs.statSync(file).mode & 0o777).toBe(0o600);
  });

  test('accepts its own address format and rejects others', () => {
    const { isAddress, payer } = local(network);
    expect([isAddress(payer.address), isAddress(newAddress())]).toEqual([true, true]);
    expect([isAddress(wrong), isAddress(''), isAddress('nobody')]).toEqual([false, false, false]);
  });

  test.each(['exact', 'partial', 'over'] as const)('%s pays the requested amount', async (scenario) => {
    const recipient = newAddress();
    await payTo(network, recipient, scenario, 777n);
    expect(await cents(network, recipient)).toBe(777n);
  });

  test('wrong_token pays in the other token', async () => {
    const recipient = newAddress();
    await payTo(network, recipient, 'wrong_token');
    expect([await cents(network, recipient), await cents(network, recipient, 'USDC')]).toEqual([0n, 1250n]);
  });

  test.each(['fake_token', 'failed'] as const)('%s moves nothing of the genuine token', async (scenario) => {
    const recipient = newAddress();
    await payTo(network, recipient, scenario);
    expect(await cents(network, recipient)).toBe(0n);
  });

  test('split pays the whole amount, and rejects a single cent', async () => {
    const recipient = newAddress();
    await payTo(network, recipient, 'split', 1251n);
    expect(await cents(network, recipient)).toBe(1251n);
    await expect(payTo(network, recipient, 'split', 1n)).rejects.toThrow(PaymentRefused);
  });

  test('batch pays two recipients', async () => {
    const [recipient, other] = [newAddress(), newAddress()];
    const payment = { currency: 'USDT', recipient, cents: 500n, scenario: 'batch' } as const;
    await local(network).pay({ ...payment, other: { recipient: other, cents: 700n } });
    expect([await cents(network, recipient), await cents(network, other)]).toEqual([500n, 700n]);
    await payTo(network, recipient, 'batch', 300n);
    expect(await cents(network, recipient)).toBe(800n);
  });

  test('reorged is visible and then removed, while a later payment stays', async () => {
    const [recipient, behind] = [newAddress(), newAddress()];
    await payTo(network, recipient, 'reorged');
    expect(await cents(network, recipient)).toBe(1250n);
    await payTo(network, behind, 'exact', 300n);
    await expect.poll(() => cents(network, recipient), { timeout: 10_000 }).toBe(0n);
    expect(await cents(network, behind)).toBe(300n);
  });

  test('rejects a currency that the network does not have', async () => {
    const payment = { currency: 'DAI', recipient: newAddress(), cents: 1n, scenario: 'exact' } as const;
    await expect(local(network).pay(payment)).rejects.toThrow(PaymentRefused);
  });

  test('twenty concurrent payments all arrive', async () => {
    const recipients = Array.from({ length: 20 }, newAddress);
    const hashes = await Promise.all(
      recipients.map((recipient, n) => payTo(network, recipient, 'exact', BigInt(n + 1))),
    );
    expect(new Set(hashes).size).toBe(20);
    const held = await Promise.all(recipients.map((recipient) => cents(network, recipient)));
    expect(held).toEqual(recipients.map((_, n) => BigInt(n + 1)));
  });

  test('the payer can pay the highest price, and keeps its reserve', async () => {
    const recipient = newAddress();
    const highest = 10n ** 15n;
    await payTo(network, recipient, 'exact', highest);
    expect(await cents(network, recipient)).toBe(highest);
    expect(await cents(network, local(network).payer.address)).toBeGreaterThanOrEqual(100_000_000n);
  });

  test('mining raises the height, and payments still work afterwards', async () => {
    const height = await local(network).mine(120);
    expect(await local(network).mine(1)).toBeGreaterThan(height);
    const recipient = newAddress();
    await payTo(network, recipient, 'exact');
    expect(await cents(network, recipient)).toBe(1250n);
  });
});
