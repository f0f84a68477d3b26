// A transfer that a network's adapter found, and the blocks in which it looked.

/** A transfer of an allow-listed token in a successful transaction, or coin that a wallet sent (coin-reader.ts). */
export type FoundTransfer = {
  readonly transactionHash: string;
  /** Position inside the transaction: the same on every node and after every reorg. */
  readonly ordinal: number;
  readonly blockNumber: number;
  readonly blockHash: string;
  /** Unix seconds. */
  readonly blockTime: number;
  /** USDT, USDC, or the symbol of the network's coin. */
  readonly currency: string;
  /** Contract or mint, as the networks table writes it; empty for coin. */
  readonly contract: string;
  readonly payer: string;
  readonly recipient: string;
  /** Base units that the recipient gained, greater than zero for tokens; 0 for an authorization that gives others power over a wallet. */
  readonly amount: bigint;
  /**
   * True if the payer signed the transaction and it calls only the token. False for relayers, bridges, swaps, batches and
   * minting, where the payer on chain may not be the customer.
   */
  readonly isPlain: boolean;
};

/** Blocks `from` to `to`, both included. */
export type BlockSpan = { readonly from: number; readonly to: number };
