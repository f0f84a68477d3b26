// What the service knows of a network: the shape of a row of networks.ts.

import type { Environment } from '@/lib/ids';
import type { NetworkFamily } from './chain';

export type Token = {
  readonly contract: string;
  readonly decimals: number;
  /** Why the token is watched but not offered to customers unless the operator says so. */
  readonly offByDefault?: 'discontinued';
};

export type NetworkSpec = {
  /** Name of the network in the API and in the database. */
  readonly network: string;
  /** Which of its chains: mainnet, a public test network, or the sandbox's local chain. */
  readonly chain: 'mainnet' | 'testnet' | 'local';
  readonly environment: Environment;
  readonly family: NetworkFamily;
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
  /** People usually pay here by a withdrawal from an exchange, so a sender is presumed to be one until a list says otherwise. */
  readonly isPaidFromExchanges?: true;
};
