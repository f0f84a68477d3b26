// The networks as data: the rows of lib/networks/rows as one table with a line for each chain that the service can follow. Token
// decimals are defined in the rows only.

import type { Environment } from '@/lib/platform/ids';
import type { Coin } from './coins';
import type { EvmSpec, NetworkRow, NetworkSpec, Token } from './network-spec';
import { CLOCK_TOLERANCE_SECONDS } from './rows/common';
import { EVM_ROWS } from './rows/evm';
import { OPTIONAL_EVM_ROWS } from './rows/evm-optional';
import { SOLANA_ROWS } from './rows/solana';
import { TRON_ROWS } from './rows/tron';

export type { EvmSpec, NetworkRow, NetworkSpec, Token };

/** The local chain belongs to the test environment too; the settings decide which of the two it follows (networkSpec). */
const ENVIRONMENTS = { mainnet: 'live', testnet: 'test', local: 'test' } as const;
const CHAINS = ['mainnet', 'testnet', 'local'] as const;

/** The chains of a row. */
export const chainsOfRow = ({ chains, ...row }: NetworkRow): readonly NetworkSpec[] =>
  CHAINS.map((chain) => ({ ...row, ...chains[chain], chain, environment: ENVIRONMENTS[chain] }));

export const NETWORKS: readonly NetworkSpec[] = [
  ...EVM_ROWS,
  ...TRON_ROWS,
  ...SOLANA_ROWS,
  ...OPTIONAL_EVM_ROWS,
].flatMap(chainsOfRow);

/** The networks of every installation, once each. The others appear only where the settings name their endpoints. */
export const STANDARD_NETWORKS: readonly string[] = NETWORKS.filter(
  ({ chain, isStandard }) => chain === 'mainnet' && isStandard,
).map(({ network }) => network);

/** What all chains of a network have in common; null for a network without a row. */
export const networkFacts = (network: string): Omit<NetworkRow, 'chains'> | null =>
  NETWORKS.find((row) => row.network === network) ?? null;

/** The coin that pays a network's fees; null for a network without a row. */
export const coinOf = (network: string): Coin | null => networkFacts(network)?.coin ?? null;

/** The row of a network in an environment, given the chains that the test environment follows; null if there is none. */
export function networkSpec(
  environment: Environment,
  network: string,
  testChains: 'public' | 'local',
  table: readonly NetworkSpec[] = NETWORKS,
): NetworkSpec | null {
  const chain = environment === 'live' ? 'mainnet' : testChains === 'local' ? 'local' : 'testnet';
  return table.find((row) => row.environment === environment && row.network === network && row.chain === chain) ?? null;
}

/**
 * The part of the fee cap that is kept for costs which a draft's bytes cannot bound: on EVM networks the fee for the transaction's
 * data, where it is charged apart from gas. On Solana the draft itself says what rent it pays.
 */
export const keptForDataFee = (spec: NetworkSpec): bigint => (spec.family === 'evm' ? (spec.dataFee?.most ?? 0n) : 0n);

/** The token of a contract on a network, matched by exact address; null for any other contract. */
export function tokenOf(spec: NetworkSpec, contract: string): { currency: string; token: Token } | null {
  const found = Object.entries(spec.tokens).find(([, token]) => token.contract === contract);
  return found ? { currency: found[0], token: found[1] } : null;
}

/** Decimals of a contract on a network; the same on every chain that lists it. Null for an unknown contract. */
export function decimalsOf(network: string, contract: string): number | null {
  const row = NETWORKS.find((one) => one.network === network && tokenOf(one, contract) !== null);
  return row ? (tokenOf(row, contract)?.token.decimals ?? null) : null;
}

/** Seconds by which a payment's block time may precede its session. A removed network keeps the clock tolerance only. */
export const blockTimeMargin = (network: string): number =>
  networkFacts(network)?.blockTimeMarginSeconds ?? CLOCK_TOLERANCE_SECONDS;

/**
 * Whether a fact of this chain may stop all signing. Stopping also blocks live refunds. A public test network is often read from
 * a single public endpoint, so it never stops signing; only its own refunds are held.
 */
export const stopsSigning = ({ chain }: Pick<NetworkSpec, 'chain'>): boolean => chain !== 'testnet';
