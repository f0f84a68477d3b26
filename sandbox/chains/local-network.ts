// A local chain as everything around it sees it: the control door, the demo shop and sandbox.json know these verbs only, so a
// chain of another kind is one folder with a start function that answers this.

import type { NetworkSpec } from '@/lib/networks/networks';
import type { Payment } from './payment';

export interface LocalNetwork {
  /** `ethereum`, `bsc`, `tron` or `solana`. */
  readonly network: string;
  readonly spec: NetworkSpec;
  /** Where the product and a developer reach the chain: sandbox.json's rpc_url and TEST_<NETWORK>_URLS. */
  readonly rpcUrl: string;
  /** Holder of both tokens and of the coin for fees, written as a wallet of the network takes it. */
  readonly payer: { readonly address: string; readonly privateKey: string };
  isAddress(text: string): boolean;
  /**
   * Makes the payment from the payer and resolves to its transaction's hash once it is in a block (of a `split`, the last
   * one's; a `reorged` one is taken back three seconds later). Throws PaymentRefused when it cannot be made as asked.
   */
  pay(payment: Payment): Promise<string>;
  /** Base units of a token that an address holds at the newest block. Throws PaymentRefused for an unknown currency. */
  balance(address: string, currency: string): Promise<bigint>;
  /** A new address that the token's issuer has blocked: nothing can be paid there. Throws PaymentRefused for an unknown currency. */
  blockedAddress(currency: string): Promise<string>;
  /** Makes blocks and answers the new height. */
  mine(blocks: number): Promise<number>;
  /** Replaces the last blocks by empty ones. Throws PaymentRefused where the engine cannot. */
  reorganise(depth: number): Promise<void>;
  stop(): Promise<void>;
}

/** The product's refund wallet on the local chains, which is given both tokens and coin for fees before the first payment. */
export type RefundWallet = {
  readonly evm: string;
  readonly tron: string;
  readonly solana: string;
  /** By network, the nonce that its next transaction will have: the chains begin afresh, and the signer goes on counting. */
  readonly nextNonces: Readonly<Record<string, number>>;
};

/** What a family's start function is given. */
export type StartOptions = {
  /** Takes the payer's key and whatever the node writes. */
  readonly directory: string;
  readonly refundWallet?: RefundWallet | undefined;
  /** Called when the chain ends or stops working after it has started. */
  readonly onFault: (error: Error) => void;
};

/** What the payer is given of each token at the start, and again whenever it runs low: ten million. */
export const GRANT_CENTS = 1_000_000_000n;
/** The payer never holds less than a million of each token (sandbox.md, The local chains). */
export const RESERVE_CENTS = 100_000_000n;
/** The deepest reorganisation that can be asked for; a chain may refuse one that is less deep. */
export const DEEPEST_REORG = 64;
