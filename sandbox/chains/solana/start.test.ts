// The sandbox's local Solana chain as the rest of the sandbox uses it: a funded payer, every payment scenario, and the
// state at finality.

import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Keypair } from '@solana/web3.js';
import { base58 } from '@scure/base';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { LocalNetwork } from '../local-network';
import { PaymentRefused, type Scenario } from '../payment';
import { FINALITY_LAG } from './blocks';
import { startSolana } from './start';

type Status = { confirmationStatus: string; err: unknown } | null;

/** Short, so that blocks become final soon. */
const SLOT_MS = 50;
const faults: Error[] = [];
let directory: string;
let local: LocalNetwork;

const open = () => startSolana({ directory, onFault: (error) => void faults.push(error), slotMs: SLOT_MS });
beforeAll(async () => {
  directory = fs.mkdtempSync(path.join(os.tmpdir(), 'stabletill-solana-'));
  local = await open();
});
afterAll(async () => {
  await local.stop();
  fs.rmSync(directory, { recursive: true, force: true });
  expect(faults).toEqual([]);
});

async function ask<T>(method: string, ...params: readonly unknown[]): Promise<T> {
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const { result } = (await (await fetch(local.rpcUrl, { method: 'POST', headers, body })).json()) as { result: T };
  return result;
}
const statusOf = async (hash: string) =>
  (await ask<{ value: [Status] }>('getSignatureStatuses', [hash], { searchTransactionHistory: true })).value[0];
const newAddress = () => Keypair.generate().publicKey.toBase58();
const pay = (recipient: string, scenario: Scenario, cents = 1250n, currency = 'USDT') =>
  local.pay({ currency, recipient, cents, scenario });
/** Base units per cent. */
const CENT = 10_000n;
const held = async (address: string, currency = 'USDT') => (await local.balance(address, currency)) / CENT;

test('the payer holds ten million of each token and coin, and wallets can import its key', async () => {
  const { address, privateKey } = local.payer;
  expect(Keypair.fromSecretKey(base58.decode(privateKey)).publicKey.toBase58()).toBe(address);
  expect([await held(address, 'USDT'), await held(address, 'USDC')]).toEqual([1_000_000_000n, 1_000_000_000n]);
  const coin = await ask<{ value: number }>('getBalance', address);
  expect(coin.value).toBeGreaterThanOrEqual(1_000_000_000_000_000);
  const mode = fs.statSync(path.join(directory, 'solana-payer.key')).mode;
  expect(mode & 0o777).toBe(0o600);
});

test('a restart keeps the payer and starts a new chain', async () => {
  const genesis = await ask<string>('getGenesisHash');
  const again = await open();
  expect(again.payer).toEqual(local.payer);
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'getGenesisHash' });
  const answer = await (await fetch(again.rpcUrl, { method: 'POST', headers, body })).json();
  await again.stop();
  expect((answer as { result: string }).result).not.toBe(genesis);
});

test('validates its addresses', () => {
  expect(
    ['', 'x', `0x${'1'.repeat(40)}`, local.payer.address, newAddress()].map((text) => local.isAddress(text)),
  ).toEqual([false, false, false, true, true]);
});

test.each(['exact', 'partial', 'over'] as const)(
  '%s pays the amount it is told, confirmed at once',
  async (scenario) => {
    const recipient = newAddress();
    const hash = await pay(recipient, scenario, 777n);
    expect(await statusOf(hash)).toMatchObject({ err: null, confirmationStatus: 'confirmed' });
    expect(await held(recipient)).toBe(777n);
  },
);

test('a payment becomes final by itself', async () => {
  const hash = await pay(newAddress(), 'exact');
  await expect
    .poll(async () => (await statusOf(hash))?.confirmationStatus, { timeout: 20_000, interval: 250 })
    .toBe('finalized');
}, 25_000);

test('wrong_token pays in the other token', async () => {
  const recipient = newAddress();
  await pay(recipient, 'wrong_token');
  expect([await held(recipient), await held(recipient, 'USDC')]).toEqual([0n, 1250n]);
});

test('fake_token pays in another mint', async () => {
  const recipient = newAddress();
  expect(await statusOf(await pay(recipient, 'fake_token'))).toMatchObject({ err: null });
  expect([await held(recipient), await held(recipient, 'USDC')]).toEqual([0n, 0n]);
  const owned = await ask<{ value: unknown[] }>(
    'getTokenAccountsByOwner',
    recipient,
    { programId: 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA' },
    { commitment: 'confirmed', encoding: 'base64' },
  );
  expect(owned.value).toHaveLength(1);
});

test('failed is included in a block and moves nothing', async () => {
  const recipient = newAddress();
  expect(await statusOf(await pay(recipient, 'failed'))).toMatchObject({
    err: { InstructionError: [2, { Custom: 1 }] },
  });
  expect(await held(recipient)).toBe(0n);
});

test('split pays the whole amount in two transactions, and rejects a single cent', async () => {
  const recipient = newAddress();
  await pay(recipient, 'split', 1250n);
  expect(await held(recipient)).toBe(1250n);
  const [account] = (
    await ask<{ value: { pubkey: string }[] }>(
      'getTokenAccountsByOwner',
      recipient,
      { mint: local.spec.tokens['USDT']!.contract },
      { commitment: 'confirmed', encoding: 'base64' },
    )
  ).value;
  expect(await ask<unknown[]>('getSignaturesForAddress', account!.pubkey, { commitment: 'confirmed' })).toHaveLength(2);
  await expect(pay(recipient, 'split', 1n)).rejects.toThrow(PaymentRefused);
});

test('batch pays two recipients in one transaction', async () => {
  const [recipient, other] = [newAddress(), newAddress()];
  const payment = { currency: 'USDT', recipient, cents: 500n, scenario: 'batch' } as const;
  await local.pay({ ...payment, other: { recipient: other, cents: 700n } });
  expect([await held(recipient), await held(other)]).toEqual([500n, 700n]);
});

test('reorged is confirmed, never final however many blocks follow, and then removed, while a later payment stays', async () => {
  const [recipient, behind] = [newAddress(), newAddress()];
  const hash = await pay(recipient, 'reorged');
  const second = await pay(recipient, 'reorged');
  expect(await statusOf(hash)).toMatchObject({ err: null, confirmationStatus: 'confirmed' });
  await pay(behind, 'exact', 300n);
  await local.mine(7 * FINALITY_LAG);
  await pay(behind, 'exact', 1n);
  // A slow machine may read it after it was removed.
  expect([undefined, 'confirmed']).toContain((await statusOf(hash))?.confirmationStatus);
  await expect.poll(() => statusOf(hash), { timeout: 10_000, interval: 250 }).toBeNull();
  await expect.poll(() => statusOf(second), { timeout: 10_000, interval: 250 }).toBeNull();
  expect([await held(recipient), await held(behind)]).toEqual([0n, 301n]);
});

test('a reorg removes the last blocks with their payments, and is rejected for final blocks', async () => {
  const recipient = newAddress();
  const slot = await local.mine(3);
  await pay(recipient, 'exact');
  await local.reorganise(5);
  expect(await held(recipient)).toBe(0n);
  await expect(local.reorganise(FINALITY_LAG + 1)).rejects.toThrow(PaymentRefused);
  expect(await local.mine(1)).toBeGreaterThan(slot);
});

test('twenty concurrent payments all arrive, including two equal ones', async () => {
  const recipients = Array.from({ length: 19 }, newAddress);
  const hashes = await Promise.all([...recipients, recipients[0]!].map((recipient) => pay(recipient, 'exact', 5n)));
  expect(new Set(hashes).size).toBe(20);
  expect(await Promise.all(recipients.map((recipient) => held(recipient)))).toEqual([
    10n,
    ...Array<bigint>(18).fill(5n),
  ]);
});

test('the payer can pay the highest price, and keeps its reserve', async () => {
  const recipient = newAddress();
  const highest = 10n ** 12n;
  await pay(recipient, 'exact', highest);
  expect(await held(recipient)).toBe(highest);
  expect(await held(local.payer.address)).toBeGreaterThanOrEqual(100_000_000n);
});

test('rejects an unknown currency or address', async () => {
  await expect(pay(newAddress(), 'exact', 5n, 'EUR')).rejects.toThrow(PaymentRefused);
  await expect(pay('nobody', 'exact')).rejects.toThrow(PaymentRefused);
  await expect(local.balance(newAddress(), 'EUR')).rejects.toThrow(PaymentRefused);
});
