// The shape of a network's row (lib/networks/rows), and of one of its chains as the rest of the code reads it. No fact is optional:
// a row without one does not compile. "None" is null, an empty list or false, and the row says so.

import type { Environment } from '@/lib/platform/ids';
import type { NetworkFamily } from './chain';
import type { Coin } from './coins';

export type Token = {
  readonly contract: string;
  readonly decimals: number;
  /** Why the token is watched but not offered to customers by default; the operator can enable it. */
  readonly offByDefault?: 'discontinued';
};

/** Limits for a network's fees, in wei per gas. */
type GasPriceLimits = {
  /** Validators do not accept less, or leave the transaction waiting. */
  readonly leastTip: bigint;
  readonly mostTip: bigint;
  /** A payment waits while the network's price is higher. */
  readonly mostPrice: bigint;
};

/** The usual cost of a token transfer to a new address, in the coin as decimal text; one figure or a range. */
export type UsualFee = { readonly from: string; readonly to: string | null };

/** What all chains of a network have in common. */
type NetworkFacts = {
  /** Name of the network in the API, in the database and in the names of its settings (LIVE_…_URLS). */
  readonly network: string;
  /** The name that wallets show for it (EIP-3085). The catalogues hold the name that people read. */
  readonly name: string;
  /**
   * False: the network appears nowhere until the settings name endpoints of it (LIVE_…_URLS, TEST_…_URLS). True: the pages, the
   * set-up and .env.example present it to every installation.
   */
  readonly isStandard: boolean;
  /** The coin that pays fees. */
  readonly coin: Coin;
  /** Seconds by which a payment's block time may precede its session: this service's clock tolerance plus the network's lag. */
  readonly blockTimeMarginSeconds: number;
  /** Usual time between two blocks. */
  readonly blockMs: number;
  /**
   * The highest fee of one payment, in wei, sun or lamports: several times the cost of a transfer on an expensive day. A draft
   * waits above it, and the signer refuses to sign above it.
   */
  readonly feeCap: bigint;
  /**
   * Below this amount of the fee coin, the refund wallet counts as low: about ten refunds at the fees of a busy day, in wei, sun or
   * lamports.
   */
  readonly lowCoin: bigint;
  /** Shown to customers while the endpoints have not reported a recent fee. */
  readonly usualFee: UsualFee;
  /** Networks whose transfers cost more at all prices and loads of recent years. */
  readonly cheaperThan: readonly string[];
  /** Trust Wallet's number of the main chain (SLIP-44, except BSC); null if it is unknown. */
  readonly trustWalletCoin: number | null;
};

/** One of its chains. */
type ChainFacts = {
  /** A public main network, a public test network, or the sandbox's local chain. */
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
  /** Confirmations required before a block counts as final, even when the node calls it final. Null trusts the node's tag. */
  readonly finalityFallback: { readonly lagAbove: number; readonly confirmations: number } | null;
  /** Usual number of confirmations until a payment is final, for the progress shown to customers. */
  readonly confirmations: number;
  /** Block explorer URL of a transaction; `{hash}` is replaced. Null on local chains. */
  readonly explorer: string | null;
  /** Public endpoints that need no key, used when the setting is `default`. Empty if no public endpoint is good enough. */
  readonly endpoints: readonly string[];
  /**
   * Customers here usually withdraw from an exchange, so every sender counts as an exchange wallet unless a list says otherwise.
   */
  readonly isPaidFromExchanges: boolean;
};

/** What differs between the networks of the EVM family. */
type EvmFacts = {
  readonly family: Extract<NetworkFamily, 'evm'>;
  readonly gasPrices: GasPriceLimits;
  /** False where the base fee is always zero, and gas costs what the sender offers. */
  readonly hasBaseFee: boolean;
  /** Gas of a USDT transfer to an address that holds none yet, for the fee shown to customers. */
  readonly transferGas: bigint;
  /** A transfer takes a tenth of it, even if storage becomes more expensive. An estimate above it is never paid for. */
  readonly mostGas: bigint;
  /**
   * Networks that charge for the transaction's data apart from gas (OP Stack): the contract that quotes this fee, and the part of
   * `feeCap` that is kept for it, in wei. The sender cannot cap this fee in the transaction, so a payment waits while the quote is
   * higher. Null where gas pays for everything.
   */
  readonly dataFee: { readonly oracle: string; readonly most: bigint } | null;
};

type FamilyFacts = EvmFacts | { readonly family: Exclude<NetworkFamily, 'evm'> };

/** One row: a network with its chains. */
export type NetworkRow = NetworkFacts &
  FamilyFacts & {
    readonly chains: { readonly [C in ChainFacts['chain']]: Omit<ChainFacts, 'chain' | 'environment'> };
  };

/** One chain of a network, with everything that differs between chains. */
export type NetworkSpec = NetworkFacts & ChainFacts & FamilyFacts;
export type EvmSpec = NetworkFacts & ChainFacts & EvmFacts;
