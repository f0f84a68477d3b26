// What the chains report about an address: a person's wallet or a contract. Uses real nodes and the contracts deployed
// on them.

import type { Address } from '@solana/kit';
import { Keypair, PublicKey } from '@solana/web3.js';
import { Wallet } from 'ethers';
import { utils } from 'tronweb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AddressKind } from '@/lib/networks/sending/send';
import { openSender } from '@/lib/networks/families/clients';
import { systemClock } from '@/lib/platform/clock';
import { silentLog } from '@/testing/chain-clock';
import { openRpc } from './evm/rpc';
import { startTestEvm } from './evm/test-chain';
import type { LocalNetwork } from './local-network';
import { FINALITY_LAG } from './solana/blocks';
import { startSolanaNode, type SolanaNode } from './solana/node';
import { wallet as newSolanaWallet } from './solana/test-client';
import { startTronNode, type TronNode } from './tron/start';

const NOBODY = 'http://127.0.0.1:9';
const opened = (chain: Pick<LocalNetwork, 'spec' | 'rpcUrl'>, urls: readonly string[] = [chain.rpcUrl], needed = 1) =>
  openSender({ spec: chain.spec, urls, needed, clock: systemClock, log: silentLog(), timeoutMs: 5000 });

describe('on an EVM network', () => {
  let chain: LocalNetwork;
  const kindOf = (address: string): Promise<AddressKind> => opened(chain).kindOf(address);
  beforeAll(async () => {
    chain = await startTestEvm();
  }, 60_000);
  afterAll(() => chain.stop());

  it('an address without code is a wallet, and one with code is a contract', async () => {
    expect(await kindOf(Wallet.createRandom().address.toLowerCase())).toBe('wallet');
    expect(await kindOf(chain.spec.tokens.USDT!.contract)).toBe('contract');
  });

  it('a wallet that delegates to a contract’s code (EIP-7702) is a wallet, and similar code is not', async () => {
    const rpc = openRpc(chain.rpcUrl);
    const address = Wallet.createRandom().address.toLowerCase();
    await rpc('anvil_setCode', address, `0xef0100${'ab'.repeat(20)}`);
    expect(await kindOf(address)).toBe('wallet');
    await rpc('anvil_setCode', address, `0xfe0100${'ab'.repeat(20)}`);
    expect(await kindOf(address)).toBe('contract');
  });

  it('is unknown when too few endpoints report it, and an error when none does', async () => {
    const { contract } = chain.spec.tokens.USDT!;
    expect(await opened(chain, [chain.rpcUrl, NOBODY], 2).kindOf(contract)).toBe('unknown');
    expect(await opened(chain, [chain.rpcUrl, chain.rpcUrl], 2).kindOf(contract)).toBe('contract');
    await expect(opened(chain, [NOBODY]).kindOf(contract)).rejects.toMatchObject({ fault: 'unavailable' });
  });
});

describe('on TRON', () => {
  let node: TronNode;
  beforeAll(async () => {
    node = await startTronNode({ blockMs: null, clock: systemClock });
  }, 60_000);
  afterAll(() => node.stop());

  it('used and unused addresses are wallets, and a token is a contract', async () => {
    const [unused, used] = [0, 1].map(() => utils.accounts.generateAccount().address.base58) as [string, string];
    await node.pay({ currency: 'USDT', recipient: used, cents: 100n, scenario: 'exact' });
    await node.mine(1);
    const sender = opened(node);
    expect([await sender.kindOf(unused), await sender.kindOf(used)]).toEqual(['wallet', 'wallet']);
    expect(await sender.kindOf(node.spec.tokens.USDT!.contract)).toBe('contract');
  });
});

describe('on Solana', () => {
  let node: SolanaNode;
  beforeAll(async () => {
    node = await startSolanaNode({ tick: 'manual' });
  }, 60_000);
  afterAll(() => node.stop());

  it('a key that holds coins and an unused key are wallets', async () => {
    const used = (await newSolanaWallet(node, { USDC: 1_000_000n })).publicKey.toBase58();
    node.tick(FINALITY_LAG);
    const sender = opened(node);
    expect(await sender.kindOf(used)).toBe('wallet');
    expect(await sender.kindOf(Keypair.generate().publicKey.toBase58())).toBe('wallet');
  });

  it('a mint, a token account, a program and an address without a key are not wallets', async () => {
    const mint = node.mints.genuine.USDC as Address;
    const owner = Keypair.generate().publicKey;
    const auxiliary = await node.bank.createAuxiliaryAccount(owner.toBase58() as Address, mint);
    node.tick(FINALITY_LAG);
    const program = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA';
    const [derived] = PublicKey.findProgramAddressSync([Buffer.from('vault')], new PublicKey(program));
    const sender = opened(node);
    for (const address of [mint, auxiliary, program, derived.toBase58()]) {
      expect(await sender.kindOf(address)).toBe('contract');
    }
  });
});
