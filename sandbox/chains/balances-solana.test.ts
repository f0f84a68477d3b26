// Balances at finality on the local Solana chain, as reconciliation reads them.

import { Keypair } from '@solana/web3.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openBalanceReader } from '@/lib/networks/families/clients';
import type { BalanceReader } from '@/lib/networks/endpoints/balances-reader';
import { associatedAccount } from '@/lib/networks/families/solana/address';
import { systemClock } from '@/lib/platform/clock';
import { silentLog } from '@/testing/chain-clock';
import { FINALITY_LAG } from './solana/blocks';
import { startSolanaNode, type SolanaNode } from './solana/node';
import { wallet as newWallet } from './solana/test-client';

const USD = 1_000_000n;

let node: SolanaNode;
let reader: BalanceReader;
const open = (urls: readonly string[], needed = 1) =>
  openBalanceReader({ spec: node.spec, urls, needed, clock: systemClock, log: silentLog(), timeoutMs: 5000 });
beforeAll(async () => {
  node = await startSolanaNode({ tick: 'manual' });
  reader = open([node.rpcUrl]);
}, 60_000);
afterAll(() => node.stop());
const newAddress = (): string => Keypair.generate().publicKey.toBase58();

describe('balances on the local Solana chain', () => {
  it('are those of the associated account at finality, with the range of slots that they belong to', async () => {
    const address = (await newWallet(node, { USDT: 12n * USD, USDC: 3n * USD })).publicKey.toBase58();
    node.tick();
    const before = (await reader.tokens([{ address }], 'USDT')).get(address)!;
    expect(before.amount).toBe(0n);
    node.tick(FINALITY_LAG);
    const after = (await reader.tokens([{ address }], 'USDT')).get(address)!;
    expect(after.amount).toBe(12n * USD);
    expect(after.from.number).toBeGreaterThan(before.through.number);
    expect(after.through.number).toBeGreaterThanOrEqual(after.from.number);
    expect((await reader.tokens([{ address }], 'USDC')).get(address)?.amount).toBe(3n * USD);
  });

  it('are zero for an address that never had an account, and separate for each other address', async () => {
    const address = (await newWallet(node, { USDC: 5n * USD })).publicKey.toBase58();
    node.tick(FINALITY_LAG + 1);
    const addresses = [...Array.from({ length: reader.most - 1 }, newAddress), address];
    const held = await reader.tokens(
      addresses.map((one) => ({ address: one })),
      'USDC',
    );
    expect(addresses.map((one) => held.get(one)?.amount)).toEqual(
      addresses.map((one) => (one === address ? 5n * USD : 0n)),
    );
  });

  it('include other accounts only for their own owner and token, and each once', async () => {
    const [address, other] = [
      (await newWallet(node, { USDT: 5n * USD, USDC: 2n * USD })).publicKey.toBase58(),
      (await newWallet(node, { USDT: 9n * USD })).publicKey.toBase58(),
    ];
    node.tick(FINALITY_LAG + 1);
    const mint = node.spec.tokens.USDT!.contract;
    const accounts = [
      associatedAccount(address, mint),
      associatedAccount(address, node.spec.tokens.USDC!.contract),
      associatedAccount(other, mint),
    ];
    expect((await reader.tokens([{ address, accounts }], 'USDT')).get(address)?.amount).toBe(5n * USD);
  });

  it('throw when fewer endpoints answer than the settings require', async () => {
    const asked = [{ address: newAddress() }];
    const both = open([node.rpcUrl, 'http://127.0.0.1:1'], 2);
    await expect(both.tokens(asked, 'USDT')).rejects.toMatchObject({ fault: 'unavailable' });
    expect((await open([node.rpcUrl, node.rpcUrl], 2).tokens(asked, 'USDT')).size).toBe(1);
  });

  it('of the fee coin are lamports at finality', async () => {
    const keypair = await newWallet(node, {});
    node.tick(FINALITY_LAG + 1);
    expect((await reader.feeCoin(keypair.publicKey.toBase58())).amount).toBeGreaterThan(0n);
    expect(await reader.feeCoin(newAddress())).toEqual({ amount: 0n, stake: null });
  });
});
