// The local chain of each family for tests of transfers to the cold wallet and back: a funded refund wallet, funded cold wallets with
// their keys as their owners keep them, and blocks by hand.

import type { Address } from '@solana/kit';
import { Connection, Keypair, NONCE_ACCOUNT_LENGTH, PublicKey, SystemProgram } from '@solana/web3.js';
import { Wallet } from 'ethers';
import { utils } from 'tronweb';
import { openSender } from '@/lib/networks/families/clients';
import type { NetworkSpec } from '@/lib/networks/networks';
import type { ChainSender } from '@/lib/networks/sending/send';
import { systemClock, type Clock } from '@/lib/platform/clock';
import { silentLog } from '@/testing/chain-clock';
import { accounts } from '@/testing/signer/signer-scene';
import { EVM_NETWORKS } from '@/sandbox/chains/evm/start';
import { startTestEvm } from '@/sandbox/chains/evm/test-chain';
import { openRpc } from '@/sandbox/chains/evm/rpc';
import { FINALITY_LAG } from '@/sandbox/chains/solana/blocks';
import { startSolanaNode } from '@/sandbox/chains/solana/node';
import { readAddress } from '@/sandbox/chains/tron/address';
import { startTronNode } from '@/sandbox/chains/tron/start';

const FUNDED = 10_000_00n;
const [EVM_FINAL, UNTIL_SOLID] = [6, 20];
const COIN = 10_000_000_000n;

/** A wallet outside the service. `keyFile` is its key as a person keeps it in a file. */
export type ColdWallet = { readonly address: string; readonly keyFile: string };

export type ColdChain = {
  readonly spec: NetworkSpec;
  readonly rpcUrl: string;
  readonly clock: Clock;
  readonly sender: ChainSender;
  readonly newAddress: () => string;
  /** A wallet with coin for fees and this many cents of USDT. */
  readonly coldWallet: (cents: bigint) => Promise<ColdWallet>;
  /** Gives an address this many cents of USDT, and coin. */
  readonly fund: (address: string, cents: bigint) => Promise<void>;
  /** On Solana a durable nonce account of this wallet; elsewhere null. */
  readonly nonceAccount: (authority: string) => Promise<string | null>;
  readonly mine: () => Promise<unknown>;
  /** One block. */
  readonly tick: () => Promise<unknown>;
  /** Moves the chain's clock, where it has one. */
  readonly pass: (seconds: number) => void;
  /** In cents. */
  readonly held: (address: string) => Promise<bigint>;
  readonly stop: () => Promise<unknown>;
};

const opened = (spec: NetworkSpec, rpcUrl: string, clock: Clock) => ({
  ...{ spec, rpcUrl, clock },
  sender: openSender({ spec, urls: [rpcUrl], needed: 1, clock, log: silentLog(), timeoutMs: 5000 }),
});

export async function startColdEvm(network = 'ethereum'): Promise<ColdChain> {
  const chain = await startTestEvm(EVM_NETWORKS.find((row) => row.network === network));
  const cent = 10n ** BigInt((chain.spec.tokens.USDT?.decimals ?? 6) - 2);
  const fund = async (wallet: string, cents: bigint) => {
    await openRpc(chain.rpcUrl)('anvil_setBalance', wallet, '0xde0b6b3a7640000');
    await chain.pay({ currency: 'USDT', recipient: wallet, cents, scenario: 'exact' });
    await chain.mine(EVM_FINAL);
  };
  await fund(accounts.of('test', 'evm').address, FUNDED);
  return {
    ...opened(chain.spec, chain.rpcUrl, systemClock),
    fund,
    newAddress: () => Wallet.createRandom().address.toLowerCase(),
    async coldWallet(cents) {
      const { address, privateKey } = Wallet.createRandom();
      await fund(address.toLowerCase(), cents);
      return { address: address.toLowerCase(), keyFile: `${privateKey}\n` };
    },
    nonceAccount: async () => null,
    mine: () => chain.mine(EVM_FINAL),
    tick: () => chain.mine(1),
    pass: () => {},
    held: async (address) => (await chain.balance(address, 'USDT')) / cent,
    stop: () => chain.stop(),
  };
}

export type ColdTronChain = ColdChain & {
  /** Sun of an account. */
  readonly coins: (address: string) => Promise<bigint>;
  readonly takeCoins: (address: string, sun: bigint) => Promise<void>;
};

export async function startColdTron(): Promise<ColdTronChain> {
  let now = Date.parse('2026-11-29T12:00:00Z');
  const clock = { now: () => new Date(now) };
  const node = await startTronNode({ blockMs: null, clock });
  const fund = async (wallet: string, cents: bigint) => {
    await node.chain.exclusively(() => {
      const hex = readAddress(wallet) as string;
      node.chain.state.activate(hex);
      node.chain.state.addBalance(hex, COIN);
    });
    await node.pay({ currency: 'USDT', recipient: wallet, cents, scenario: 'exact' });
  };
  await fund(accounts.of('test', 'tron').address, FUNDED);
  return {
    ...opened(node.spec, node.rpcUrl, clock),
    fund,
    newAddress: () => utils.accounts.generateAccount().address.base58,
    async coldWallet(cents) {
      const { address, privateKey } = utils.accounts.generateAccount();
      await fund(address.base58, cents);
      return { address: address.base58, keyFile: privateKey };
    },
    nonceAccount: async () => null,
    async mine() {
      now += 1000;
      await node.mine(UNTIL_SOLID);
    },
    tick: () => node.mine(1),
    pass: (seconds) => void (now += seconds * 1000),
    held: async (address) => (await node.balance(address, 'USDT')) / 10_000n,
    coins: (address) => node.chain.exclusively(() => node.chain.state.account(readAddress(address) as string).balance),
    takeCoins: (address, sun) =>
      node.chain.exclusively(() => node.chain.state.addBalance(readAddress(address) as string, -sun)),
    stop: () => node.stop(),
  };
}

export async function startColdSolana(): Promise<ColdChain> {
  const node = await startSolanaNode({ tick: 'manual' });
  const mint = node.mints.genuine.USDT as Address;
  const fund = async (wallet: string, cents: bigint) => {
    await node.bank.airdrop(wallet as Address, COIN);
    await node.bank.mint({ to: wallet as Address, mint, amount: cents * 10_000n });
    node.tick(FINALITY_LAG);
  };
  await fund(accounts.of('test', 'solana').address, FUNDED);
  return {
    ...opened(node.spec, node.rpcUrl, systemClock),
    fund,
    newAddress: () => Keypair.generate().publicKey.toBase58(),
    async coldWallet(cents) {
      const pair = Keypair.generate();
      const address = pair.publicKey.toBase58();
      await fund(address, cents);
      return { address, keyFile: JSON.stringify([...pair.secretKey]) };
    },
    async nonceAccount(authority) {
      const account = await createNonceAccount(node, authority);
      node.tick(FINALITY_LAG + 1);
      return account;
    },
    mine: async () => node.tick(FINALITY_LAG + 1),
    tick: async () => node.tick(2),
    pass: () => {},
    held: async (address) => node.bank.balanceOf(address as Address, mint) / 10_000n,
    stop: () => node.stop(),
  };
}

/** Any wallet may make it; only its authority uses it. */
async function createNonceAccount(
  node: Awaited<ReturnType<typeof startSolanaNode>>,
  authority: string,
): Promise<string> {
  const [payer, nonce] = [Keypair.generate(), Keypair.generate()];
  await node.bank.airdrop(payer.publicKey.toBase58() as Address, COIN);
  node.tick(1);
  const connection = new Connection(node.rpcUrl, 'confirmed');
  const create = SystemProgram.createNonceAccount({
    ...{ fromPubkey: payer.publicKey, noncePubkey: nonce.publicKey, authorizedPubkey: new PublicKey(authority) },
    lamports: await connection.getMinimumBalanceForRentExemption(NONCE_ACCOUNT_LENGTH),
  });
  create.recentBlockhash = (await connection.getLatestBlockhash()).blockhash;
  create.sign(payer, nonce);
  await connection.sendRawTransaction(create.serialize());
  return nonce.publicKey.toBase58();
}
