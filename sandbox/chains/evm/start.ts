// Ethereum and BSC as local chains: how each resembles its network, and its start with tokens and a funded payer. When `startEvm`
// resolves, the chain is ready for payments.

import path from 'node:path';
import { Interface, isAddress, MaxUint256, toQuantity, Wallet } from 'ethers';
import { networkSpec, NETWORKS, type NetworkSpec } from '@/lib/networks/networks';
import { centsToBaseUnits } from '@/lib/money/amounts';
import { openPayerKey } from '../key-file';
import { DEEPEST_REORG, GRANT_CENTS, type LocalNetwork, type RefundWallet, type StartOptions } from '../local-network';
import { makePayment } from '../make-payment';
import { tokenFor } from '../payment';
import { Turns } from '../turns';
import { startAnvil } from './anvil';
import { LocalChain, type Account, type Fees } from './local-chain';
import { EvmPayer } from './pay';
import { openRpc, type Rpc } from './rpc';
import {
  balanceOf,
  blockAccount,
  mintToken,
  placeTokens,
  type Contracts,
  type TokenKind,
  type TokenPlan,
} from './tokens';

/** Blocks on top of the set-up, so that no reorg reaches the token contracts. */
const BURYING_BLOCKS = DEEPEST_REORG + 6;
const COINS = 1_000_000n * 10n ** 18n;
const APPROVE_GAS = 100_000n;
const GWEI = 1_000_000_000n;

export type EvmRow = {
  readonly network: string;
  readonly slotsInAnEpoch: number;
  readonly blockMs: number;
  readonly zeroBaseFee: boolean;
  readonly fees: Fees;
  readonly kinds: Readonly<Record<string, TokenKind>>;
};

/** Production block times are 12 and 0.45 seconds. Here both are short, and blocks are final four or two blocks later. */
export const EVM_NETWORKS: readonly EvmRow[] = [
  {
    network: 'ethereum',
    slotsInAnEpoch: 2,
    blockMs: 2000,
    zeroBaseFee: false,
    fees: { type: 2, maxFeePerGas: 100n * GWEI, maxPriorityFeePerGas: GWEI },
    kinds: { USDT: 'LegacyStable', USDC: 'ModernStable' },
  },
  {
    network: 'bsc',
    slotsInAnEpoch: 1,
    blockMs: 1000,
    zeroBaseFee: true,
    // The node returns 0 for eth_gasPrice. 0.05 gwei is the price on BSC.
    fees: { type: 0, gasPrice: GWEI / 20n },
    kinds: { USDT: 'ModernStable', USDC: 'ModernStable' },
  },
];

const TOKEN_NAMES: Readonly<Record<string, string>> = { USDT: 'Tether USD', USDC: 'USD Coin' };
const KEY = { create: () => Wallet.createRandom().privateKey, form: /^0x[0-9a-f]{64}$/ };
const token = new Interface(['function approve(address spender, uint256 value)']);

/** Starts one of them. If it throws, no node keeps running. */
export async function startEvm(
  row: EvmRow,
  { directory, refundWallet, onFault }: StartOptions,
  table: readonly NetworkSpec[] = NETWORKS,
): Promise<LocalNetwork> {
  const { network } = row;
  const spec = networkSpec('test', network, 'local', table);
  if (!spec?.chainId) throw new Error(`networks.ts has no local ${network}`);
  const { chainId } = spec;
  const node = await startAnvil({ ...row, chainId, home: path.join(directory, network), onFault });
  const rpc = openRpc(node.url);
  const chain = new LocalChain({ rpc, chainId, fees: row.fees, onFault });
  const stop = async () => {
    chain.stop();
    await node.stop();
  };
  try {
    const wallet = new Wallet(openPayerKey(directory, network, KEY));
    const issuer = new Wallet(Wallet.createRandom().privateKey);
    for (const account of [wallet, issuer]) await rpc('anvil_setBalance', account.address, toQuantity(COINS));
    const contracts = await prepareTokens({ rpc, chain, spec, row, payer: wallet, issuer });
    if (refundWallet) await fundRefunds({ rpc, chain, spec, issuer }, refundWallet);
    await chain.mine(BURYING_BLOCKS);
    chain.beat(row.blockMs);
    // One payment at a time, so that the funds minted for one are not spent by another.
    const turns = new Turns();
    const payer = new EvmPayer({ spec, chain, contracts, wallet, issuer });
    return {
      network,
      spec,
      rpcUrl: node.url,
      payer: { address: wallet.address, privateKey: wallet.privateKey },
      isAddress: (text) => isAddress(text),
      pay: (payment) => turns.take(() => makePayment(payer, payment)),
      balance: async (address, currency) => balanceOf(chain, tokenFor(spec, currency).contract, address),
      blockedAddress: async (currency) => {
        const { contract } = tokenFor(spec, currency);
        const account = Wallet.createRandom().address;
        await blockAccount(chain, issuer, { contract, kind: row.kinds[currency] as TokenKind, account });
        return account;
      },
      mine: (blocks) => chain.mine(blocks),
      reorganise: (depth) => chain.reorganise(depth),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

type Preparing = { rpc: Rpc; chain: LocalChain; spec: NetworkSpec; row: EvmRow; payer: Account; issuer: Account };

async function prepareTokens({ rpc, chain, spec, row, payer, issuer }: Preparing): Promise<Contracts> {
  const plans = Object.entries(spec.tokens).map(([currency, { contract, decimals }]): TokenPlan => {
    const [name, kind] = [TOKEN_NAMES[currency], row.kinds[currency]];
    if (!name || !kind) throw new Error(`the sandbox has no contract for ${currency} on ${spec.network}`);
    return { currency, contract, decimals, name, kind };
  });
  const contracts = await placeTokens(rpc, chain, issuer, plans);
  const approval = token.encodeFunctionData('approve', [contracts.batchPayer, MaxUint256]);
  for (const { contract, decimals } of plans) {
    const amount = centsToBaseUnits(GRANT_CENTS, decimals);
    await mintToken(chain, issuer, { contract, holder: payer.address, amount });
    await chain.send([{ from: payer, to: contract, data: approval, gasLimit: APPROVE_GAS }]);
  }
  return contracts;
}

/** The account nonce that the signer counted up to on former chains is this chain's first one. */
async function fundRefunds(
  { rpc, chain, spec, issuer }: Pick<Preparing, 'rpc' | 'chain' | 'spec' | 'issuer'>,
  wallet: RefundWallet,
): Promise<void> {
  await rpc('anvil_setBalance', wallet.evm, toQuantity(COINS));
  await rpc('anvil_setNonce', wallet.evm, toQuantity(wallet.nextNonces[spec.network] ?? 0));
  for (const { contract, decimals } of Object.values(spec.tokens)) {
    await mintToken(chain, issuer, {
      contract,
      holder: wallet.evm,
      amount: centsToBaseUnits(GRANT_CENTS, decimals),
    });
  }
}
