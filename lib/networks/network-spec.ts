// The shape of a row in networks.ts.

import type { Environment } from '@/lib/platform/ids';
import type { NetworkFamily } from './chain';

export type Token = {
  readonly contract: string;
  readonly decimals: number;
  /** Why the token is watched but not offered to customers by default; the operator can enable it. */
  readonly offByDefault?: 'discontinued';
};

/** Limits for a network's fees, in wei per gas. */
export type GasPriceLimits = {
  /** Validators do not accept less, or leave the transaction waiting. */
  readonly leastTip: bigint;
  readonly mostTip: bigint;
  /** A payment waits while the network's price is higher. */
  readonly mostPrice: bigint;
};

type NetworkFacts = {
  /** Name of the network in the API and in the database. */
  readonly network: string;
  /** Which of its chains: mainnet, a public test network, or the sandbox's local chain. */
  readonly chain: 'mainnet' | 'testnet' | 'local';
  readonly environment: Environment;
  /**
   * The EIP-155 chain id; on TRON the last four bytes of the genesis block id. Null on Solana, which identifies itself by genesis
   * hash only.
   */
  readonly chainId: number | null;
  /** Hash of block 0. Null on local chains only, where a different genesis means a new chain and not a fault. */
  readonly genesis: string | null;
  /** Contracts by currency, matched by exact address and never by symbol. EVM contracts in lower case. */
  readonly tokens: Readonly<Record<string, Token>>;
  /** Confirmations required before a block counts as final, even when the node calls it final. 0 trusts the node's tag. */
  readonly finalityFallback: { readonly lagAbove: number; readonly confirmations: number } | null;
  /** Seconds by which a payment's block time may precede its session: this service's clock tolerance plus the network's lag. */
  readonly blockTimeMarginSeconds: number;
  /** Usual number of confirmations until a payment is final, for the progress shown to customers. */
  readonly confirmations: number;
  /** Usual time between two blocks. */
  readonly blockMs: number;
  /** Block explorer URL of a transaction; `{hash}` is replaced. Null on local chains. */
  readonly explorer: string | null;
  /** Public endpoints that need no key, used when the setting is `default`. Empty if no public endpoint is good enough. */
  readonly endpoints: readonly string[];
  /**
   * The highest fee of one payment, in wei, sun or lamports: several times the cost of a transfer on an expensive day. A draft
   * waits above it, and the signer refuses to sign above it.
   */
  readonly feeCap: bigint;
  /**
   * Customers here usually withdraw from an exchange, so every sender counts as an exchange wallet unless a list says otherwise.
   */
  readonly isPaidFromExchanges?: true;
};

/**
 * The type requires a complete row: without the fee limits of its family, a network could receive payments but never refund them.
 */
export type NetworkSpec = NetworkFacts &
  (
    | { readonly family: Extract<NetworkFamily, 'evm'>; readonly gasPrices: GasPriceLimits }
    | { readonly family: Exclude<NetworkFamily, 'evm'> }
  );
export type EvmSpec = Extract<NetworkSpec, { readonly gasPrices: GasPriceLimits }>;
