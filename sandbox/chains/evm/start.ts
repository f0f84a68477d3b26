// The EVM networks as local chains: how each resembles its network, and its start with tokens and a funded payer. When `startEvm` resolves,
// the chain is ready for payments. Everything except the block interval comes from the network's row.

import path from 'node:path';
import { Interface, isAddress, MaxUint256, toQuantity, Wallet } from 'ethers';
import { payoutBatchDeployment } from '@/lib/networks/families/evm/batching/payout-batch';
import { CREATE2_FACTORY } from '@/lib/networks/families/evm/sweeping/sweep-delegate';
import { NETWORKS, type EvmSpec } from '@/lib/networks/networks';
import { centsToBaseUnits } from '@/lib/money/amounts';
import { openPayerKey } from '../key-file';
import { DEEPEST_REORG, GRANT_CENTS, type LocalNetwork, type RefundWallet, type StartOptions } from '../local-network';
import { makePayment } from '../make-payment';
import { tokenFor } from '../payment';
import { WorkQueue } from '../work-queue';
import { startAnvil } from './anvil';
import { evmFaults } from './faults';
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

/** Blocks mined after the set-up, so that no reorg reaches the token contracts. */
const SETUP_CONFIRMATIONS = DEEPEST_REORG + 6;
const COINS = 1_000_000n * 10n ** 18n;
const APPROVE_GAS = 100_000n;
const DEPLOY_GAS = 1_000_000n;
/** Code that answers every call with 1000 gwei, in place of the contract that quotes the fee for data. The node charges no such fee. */
const DATA_FEE_QUOTE = '0x64e8d4a5100060005260206000f3';
const GWEI = 1_000_000_000n;

/** How a local chain resembles its network. */
export type EvmRow = {
  readonly network: string;
  readonly spec: EvmSpec;
  readonly slotsInAnEpoch: number;
  readonly blockMs: number;
  readonly zeroBaseFee: boolean;
  readonly fees: Fees;
  readonly kinds: Readonly<Record<string, TokenKind>>;
};

/**
 * The block interval is the network's, within these limits: twelve seconds would be too slow for a sandbox, and a quarter of a second too
 * busy.
 */
const [FASTEST_MS, SLOWEST_MS] = [1000, 2000];

/** Tokens with a legacy contract. */
const LEGACY = new Set(['ethereum USDT']);

function rowOf(spec: EvmSpec): EvmRow {
  const { network, gasPrices } = spec;
  const kindOf = (currency: string): TokenKind =>
    LEGACY.has(`${network} ${currency}`) ? 'LegacyStable' : 'ModernStable';
  return {
    network,
    spec,
    // The node calls a block final when twice as many follow it.
    slotsInAnEpoch: spec.confirmations / 2,
    blockMs: Math.min(SLOWEST_MS, Math.max(FASTEST_MS, spec.blockMs)),
    zeroBaseFee: !spec.hasBaseFee,
    // The node returns 0 for eth_gasPrice where the base fee is zero.
    fees: spec.hasBaseFee
      ? { type: 2, maxFeePerGas: 100n * GWEI, maxPriorityFeePerGas: GWEI }
      : { type: 0, gasPrice: gasPrices.leastTip },
    kinds: Object.fromEntries(Object.keys(spec.tokens).map((currency) => [currency, kindOf(currency)])),
  };
}

/** Every EVM network of the table. */
export const ALL_EVM_NETWORKS: readonly EvmRow[] = NETWORKS.flatMap((spec) =>
  spec.family === 'evm' && spec.chain === 'local' ? [rowOf(spec)] : [],
);
/** Those that the sandbox starts. */
export const EVM_NETWORKS: readonly EvmRow[] = ALL_EVM_NETWORKS.filter(({ spec }) => spec.isStandard);

const TOKEN_NAMES: Readonly<Record<string, string>> = { USDT: 'Tether USD', USDC: 'USD Coin' };
const KEY = { create: () => Wallet.createRandom().privateKey, form: /^0x[0-9a-f]{64}$/ };
const token = new Interface(['function approve(address spender, uint256 value)']);

/** Starts one of them. If it throws, no node keeps running. */
export async function startEvm(row: EvmRow, { directory, refundWallet, onFault }: StartOptions): Promise<LocalNetwork> {
  const { network, spec } = row;
  const { chainId } = spec;
  if (chainId === null) throw new Error(`the row of ${network} has no local chain id`);
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
    if (spec.dataFee) await rpc('anvil_setCode', spec.dataFee.oracle, DATA_FEE_QUOTE);
    const contracts = await prepareTokens({ rpc, chain, spec, row, payer: wallet, issuer });
    await deployPayoutBatch(chain, issuer);
    if (refundWallet) await fundRefunds({ rpc, chain, spec, issuer }, refundWallet);
    await chain.mine(SETUP_CONFIRMATIONS);
    chain.beat(row.blockMs);
    // One payment at a time, so that the funds minted for one are not spent by another.
    const turns = new WorkQueue();
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
      faults: evmFaults({
        ...{ rpc, chain, spec, kinds: row.kinds, issuer },
        ...{ sponsor: refundWallet?.sponsors?.[network], refundWallet: refundWallet?.evm, coin: COINS },
      }),
      mine: (blocks) => chain.mine(blocks),
      reorganise: (depth) => chain.reorganise(depth),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** The contract that pays payouts in batches, at its address on every EVM chain. */
async function deployPayoutBatch(chain: LocalChain, issuer: Account): Promise<void> {
  const data = payoutBatchDeployment();
  const [receipt] = await chain.send([{ from: issuer, to: CREATE2_FACTORY, data, gasLimit: DEPLOY_GAS }]);
  if (!receipt?.succeeded) throw new Error('the contract of batches was not deployed');
}

type Preparing = { rpc: Rpc; chain: LocalChain; spec: EvmSpec; row: EvmRow; payer: Account; issuer: Account };

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

/** The wallet's first account nonce on this chain is the one that the signer reached on earlier chains. */
async function fundRefunds(
  { rpc, chain, spec, issuer }: Pick<Preparing, 'rpc' | 'chain' | 'spec' | 'issuer'>,
  wallet: RefundWallet,
): Promise<void> {
  const sponsor = wallet.sponsors?.[spec.network];
  for (const account of [wallet.evm, ...(sponsor ? [sponsor] : [])])
    await rpc('anvil_setBalance', account, toQuantity(COINS));
  await rpc('anvil_setNonce', wallet.evm, toQuantity(wallet.nextNonces[spec.network] ?? 0));
  for (const { contract, decimals } of Object.values(spec.tokens)) {
    await mintToken(chain, issuer, {
      contract,
      holder: wallet.evm,
      amount: centsToBaseUnits(GRANT_CENTS, decimals),
    });
  }
}
