// What the service knows of a network: the shape of a row of networks.ts.

import type { Environment } from '@/lib/platform/ids';
import type { NetworkFamily } from './chain';

export type Token = {
  readonly contract: string;
  readonly decimals: number;
  /** Why the token is watched but not offered to customers unless the operator says so. */
  readonly offByDefault?: 'discontinued';
};

/** What a network's fees may be. In wei per gas. */
export type GasPriceLimits = {
  /** Validators take no less, or leave it waiting. */
  readonly leastTip: bigint;
  readonly mostTip: bigint;
  /** A payment waits while the network asks more. */
  readonly mostPrice: bigint;
};

type NetworkFacts = {
  /** Name of the network in the API and in the database. */
  readonly network: string;
  /** Which of its chains: mainnet, a public test network, or the sandbox's local chain. */
  readonly chain: 'mainnet' | 'testnet' | 'local';
  readonly environment: Environment;
  /** EIP-155 chain id, on TRON the last four bytes of the genesis block's id; null on Solana, which has only its genesis. */
  readonly chainId: number | null;
  /** Hash of block 0. Null on local chains only: there, another genesis is another chain and not a fault. */
  readonly genesis: string | null;
  /** Contracts by currency; exact identities, never symbols (chains.md section 6, row 1). EVM contracts in lower case. */
  readonly tokens: Readonly<Record<string, Token>>;
  /** Blocks that must follow before finality is accepted even when the node calls a block final; 0 trusts the node's tag. */
  readonly finalityFallback: { readonly lagAbove: number; readonly confirmations: number } | null;
  /** Seconds by which the block time of a payment may precede its session: this service's clock tolerance plus the network's lag. */
  readonly blockTimeMarginSeconds: number;
  /** Blocks on top of a payment's that make it final as a rule, for the progress that customers see. */
  readonly confirmations: number;
  /** Usual time between two blocks. */
  readonly blockMs: number;
  /** Where people look a transaction up; `{hash}` is replaced. Null on local chains. */
  readonly explorer: string | null;
  /** Public endpoints that need no key, used when the setting says `default`; empty where none can do the work. */
  readonly endpoints: readonly string[];
  /**
   * The most that one payment may cost in fees, in wei, sun or lamports: several times a dear day's transfer (chains.md section
   * 3). A draft waits above it, and the signer signs nothing above it.
   */
  readonly feeCap: bigint;
  /** People usually pay here by a withdrawal from an exchange, so a sender is presumed to be one until a list says otherwise. */
  readonly isPaidFromExchanges?: true;
};

/** A row is complete by its type: a network without the limits of its family's fees could receive, but never refund. */
export type NetworkSpec = NetworkFacts &
  (
    | { readonly family: Extract<NetworkFamily, 'evm'>; readonly gasPrices: GasPriceLimits }
    | { readonly family: Exclude<NetworkFamily, 'evm'> }
  );
export type EvmSpec = Extract<NetworkSpec, { readonly gasPrices: GasPriceLimits }>;
