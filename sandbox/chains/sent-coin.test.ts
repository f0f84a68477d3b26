// Coin that a wallet sends, as the adapters read it from a real EVM node and from the local TRON and Solana chains: only the blocks in which
// the wallet signed something are read in full, and on Solana only transactions that mention it.

import { Keypair, sendAndConfirmTransaction, SystemProgram, Transaction } from '@solana/web3.js';
import { SigningKey, Wallet } from 'ethers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ChainAdapter, FoundTransfer } from '@/lib/networks/chain';
import type { CoinCursor } from '@/lib/networks/coin-reader';
import { openEvmAdapter } from '@/lib/networks/families/evm/adapter';
import { openSolanaAdapter } from '@/lib/networks/families/solana/adapter';
import { openTronAdapter } from '@/lib/networks/families/tron/adapter';
import { tronSweepSigning, type SweepContract } from '@/lib/networks/families/tron/sweeping/sweep-transaction';
import { systemClock } from '@/lib/platform/clock';
import { silentLog } from '@/testing/chain-clock';
import { EVM_NETWORKS } from './evm/start';
import { newWallet, Sweeping } from './evm/sweeping';
import { startTestEvm } from './evm/test-chain';
import type { LocalNetwork } from './local-network';
import { startSolanaNode, type SolanaNode } from './solana/node';
import { blockAfterEachTransaction, connect, wallet as newSolanaWallet } from './solana/test-client';
import { fromEvm, readAddress, toBase58 } from './tron/address';
import { startTronNode, type TronNode } from './tron/start';

const brief = (found: readonly FoundTransfer[]) =>
  found.map(({ currency, payer, recipient, amount }) => ({ currency, payer, recipient, amount }));
const reading = ({ spec, rpcUrl }: LocalNetwork | TronNode | SolanaNode) => ({
  ...{ spec, urls: [rpcUrl], clock: systemClock, log: silentLog() },
});

/** Reads on from `cursor`, as the step at the tip does. */
async function read({ head, coin }: ChainAdapter, wallets: readonly string[], cursor: CoinCursor | null, from = 1) {
  const { tip } = await head();
  const window = { from, to: tip.number, time: tip.time };
  const activity = await coin!.activity({ window, wallets, cursor });
  return { ...activity, sent: brief(await coin!.sent(activity, wallets)) };
}

describe.each(EVM_NETWORKS)('on $network', (row) => {
  let chain: LocalNetwork;
  let sweeping: Sweeping;
  beforeAll(async () => {
    chain = await startTestEvm(row);
    sweeping = await Sweeping.open(chain);
  }, 60_000);
  afterAll(() => chain.stop());

  it('finds coin, and an authorization that another account sends, in the blocks in which the sponsor signed', async () => {
    const adapter = openEvmAdapter(reading(chain));
    const { sponsor, treasury, rpc } = sweeping;
    const payer = sponsor.address.toLowerCase();
    const before = await read(adapter, [payer], null);
    await rpc('anvil_mine', '0x20');
    const idle = await read(adapter, [payer], before.cursor, before.cursor.block);
    expect(idle.blocks).toEqual([]);

    const thief = newWallet().address.toLowerCase();
    await sweeping.send(sponsor, { to: thief, value: 7n });
    await rpc('anvil_mine', '0x9');
    const nonce = Number(await rpc('eth_getTransactionCount', payer, 'latest'));
    await sweeping.send(treasury, { to: thief, authorizationList: [sweeping.authorize(sponsor, nonce, thief)] });
    const { blocks, sent } = await read(adapter, [payer], idle.cursor, idle.cursor.block);
    expect(blocks).toEqual([idle.cursor.block + 1, idle.cursor.block + 11]);
    const about = { currency: row.spec.coin.symbol, payer, recipient: thief };
    expect(sent).toEqual([
      { ...about, amount: 7n },
      { ...about, amount: 0n },
    ]);
  });
});

describe('on the local TRON chain', () => {
  const SUN = 1_000_000n;
  let node: TronNode;
  beforeAll(async () => void (node = await startTronNode({ blockMs: null })), 60_000);
  afterAll(() => node.stop());

  it('finds coin that the wallet sends, once it is in a block', async () => {
    const adapter = openTronAdapter(reading(node));
    const wallet = Wallet.createRandom();
    const [owner, to] = [wallet, Wallet.createRandom()].map(({ address }) => toBase58(fromEvm(address))) as [
      string,
      string,
    ];
    await node.chain.exclusively(() => {
      const hex = readAddress(owner) as string;
      node.chain.state.activate(hex);
      node.chain.state.addBalance(hex, 1000n * SUN);
    });
    await node.mine(3);
    const before = await read(adapter, [owner], null);
    expect(before.blocks).toEqual([]);

    const { tip } = await adapter.head();
    const order: SweepContract = { kind: 'coin', owner, to, amount: 5n * SUN };
    const timestamp = tip.time * 1000;
    const { payload, finish } = tronSweepSigning(order, {
      ...{ refBlockBytes: tip.hash.slice(12, 16), refBlockHash: tip.hash.slice(16, 32), feeLimit: 0n },
      ...{ timestamp, expiration: timestamp + 60_000 },
    });
    const { r, s, yParity } = new SigningKey(wallet.privateKey).sign(payload);
    const { bytes } = finish(Buffer.from(`${r.slice(2)}${s.slice(2)}0${yParity}`, 'hex'));
    const answer = await fetch(`${node.rpcUrl}/wallet/broadcasthex`, {
      method: 'POST',
      body: JSON.stringify({ transaction: bytes }),
    });
    expect(await answer.json()).toMatchObject({ result: true });
    await node.mine(2);
    const after = await read(adapter, [owner], before.cursor, before.cursor.block);
    expect(after.sent).toEqual([{ currency: 'TRX', payer: owner, recipient: to, amount: 5n * SUN }]);
  });
});

describe('on the local Solana chain', () => {
  let node: SolanaNode;
  beforeAll(async () => {
    node = await startSolanaNode({ tick: 'manual' });
    blockAfterEachTransaction(node);
  }, 60_000);
  afterAll(() => node.stop());

  it('finds coin that the wallet sends, and no transaction of another account that pays it', async () => {
    const adapter = openSolanaAdapter(reading(node));
    const [sponsor, stranger] = [await newSolanaWallet(node), await newSolanaWallet(node)];
    const thief = Keypair.generate().publicKey;
    node.tick();
    const send = (from: Keypair, toPubkey: typeof thief, lamports: number) => {
      const transfer = SystemProgram.transfer({ fromPubkey: from.publicKey, toPubkey, lamports });
      return sendAndConfirmTransaction(connect(node), new Transaction().add(transfer), [from]);
    };
    await send(stranger, sponsor.publicKey, 7_000_000);
    const payer = sponsor.publicKey.toBase58();
    const before = await read(adapter, [payer], null, 0);
    expect(before.sent).toEqual([]);

    const hash = await send(sponsor, thief, 900_000_000);
    const { hashes, sent, unread } = await read(adapter, [payer], before.cursor, 0);
    expect(hashes).toContain(hash);
    expect(unread).toBeNull();
    expect(sent).toEqual([{ currency: 'SOL', payer, recipient: thief.toBase58(), amount: 900_005_000n }]);
  });
});
