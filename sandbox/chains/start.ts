// The sandbox's local chains: which there are, how each resembles its network, and bringing them up with tokens and a funded
// payer. When `startChains` resolves, every chain is ready to be paid on.

import path from 'node:path';
import { Interface, MaxUint256, toQuantity, Wallet } from 'ethers';
import { networkSpec, type NetworkSpec } from '@/lib/chains/networks';
import { centsToBaseUnits } from '@/lib/money';
import { startAnvil, type Node } from './anvil';
import { LocalChain, type Account, type Fees } from './local-chain';
import { GRANT_CENTS, type LocalNetwork } from './local-network';
import { openPayer } from './payer';
import { openRpc, type Rpc } from './rpc';
import { mintToken, placeTokens, type Contracts, type TokenKind, type TokenPlan } from './tokens';

export type LocalChains = {
  readonly networks: ReadonlyMap<string, LocalNetwork>;
  readonly stop: () => Promise<void>;
};

/** The deepest reorganisation that can be asked for. */
export const DEEPEST_REORG = 64;
/** Blocks on top of the set-up, so that no reorganisation reaches the token contracts. */
const BURYING_BLOCKS = DEEPEST_REORG + 6;
const COINS = 1_000_000n * 10n ** 18n;
const APPROVE_GAS = 100_000n;
const GWEI = 1_000_000_000n;

type Row = {
  readonly network: string;
  readonly slotsInAnEpoch: number;
  readonly blockMs: number;
  readonly zeroBaseFee: boolean;
  readonly fees: Fees;
  readonly kinds: Readonly<Record<string, TokenKind>>;
};

/** Production block times are 12 and 0.45 seconds; here both are short and final four or two blocks later. */
const ROWS: readonly Row[] = [
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
    // The node answers 0 to eth_gasPrice; 0.05 gwei is what BSC's validators take.
    fees: { type: 0, gasPrice: GWEI / 20n },
    kinds: { USDT: 'ModernStable', USDC: 'ModernStable' },
  },
];

const TOKEN_NAMES: Readonly<Record<string, string>> = { USDT: 'Tether USD', USDC: 'USD Coin' };
const token = new Interface(['function approve(address spender, uint256 value)']);

/**
 * Starts all local chains side by side. `directory` takes the payers' keys and whatever the nodes write. `onFault` is called
 * when a chain ends or stops working later. Throws, with none left running, when one cannot start.
 */
export async function startChains(directory: string, onFault: (error: Error) => void): Promise<LocalChains> {
  const stops: (() => Promise<void>)[] = [];
  const stop = async () => {
    await Promise.all(stops.map((one) => one()));
  };
  const started = await Promise.allSettled(ROWS.map((row) => startOne(row, directory, onFault, stops)));
  const fault = started.find((one) => one.status === 'rejected');
  if (fault) {
    await stop();
    throw fault.reason;
  }
  const networks = started.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  return { networks: new Map(networks.map((one) => [one.network, one])), stop };
}

async function startOne(
  row: Row,
  directory: string,
  onFault: (error: Error) => void,
  stops: (() => Promise<void>)[],
): Promise<LocalNetwork> {
  const { network } = row;
  const spec = networkSpec('test', network, 'local');
  if (!spec) throw new Error(`networks.ts has no local ${network}`);
  const node = await startAnvil({ ...row, chainId: spec.chainId, home: path.join(directory, network), onFault });
  const rpc = openRpc(node.url);
  const chain = new LocalChain({ rpc, chainId: spec.chainId, fees: row.fees, onFault });
  stops.push(() => stopOne(chain, node));
  const payer = openPayer(directory, network);
  const issuer = new Wallet(Wallet.createRandom().privateKey);
  for (const account of [payer, issuer]) await rpc('anvil_setBalance', account.address, toQuantity(COINS));
  const contracts = await prepareTokens({ rpc, chain, spec, row, payer, issuer });
  await chain.mine(BURYING_BLOCKS);
  chain.beat(row.blockMs);
  return { network, spec, rpcUrl: node.url, chain, contracts, payer, issuer };
}

async function stopOne(chain: LocalChain, node: Node): Promise<void> {
  chain.stop();
  await node.stop();
}

type Preparing = { rpc: Rpc; chain: LocalChain; spec: NetworkSpec; row: Row; payer: Account; issuer: Account };

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
