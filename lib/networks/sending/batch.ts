// Batches of payouts on EVM networks, as the sending interface has them. Types only.

/** A payment's place in a batch, and what every item of the batch pays. EVM only. */
export type BatchPlace = {
  readonly index: number;
  readonly items: readonly { readonly to: string; readonly amount: bigint }[];
};

/**
 * `unsigned` pays all orders in their order. `refused`: the contract would skip these now, or with them nodes would refuse the fee.
 * `single`: why they are better paid one by one.
 */
export type DraftedBatch =
  | { readonly kind: 'drafted'; readonly unsigned: string }
  | { readonly kind: 'refused'; readonly places: readonly number[] }
  | { readonly kind: 'single'; readonly why: 'no_contract' | 'no_allowance' | 'reverts' | 'dearer' };

/** Wei per gas, as in a replacement that must be dearer. */
type Prices = { readonly maxFeePerGas: bigint; readonly maxPriorityFeePerGas: bigint };

/** What the contract of batches may move of the wallet's tokens. EVM only. Every method throws a ChainError, `terms` also a SendHold. */
export interface AllowanceSender {
  /** Base units. */
  read(from: string, contract: string): Promise<bigint>;
  /** Terms of a transaction that sets it. */
  terms(
    from: string,
    allowance: { readonly contract: string; readonly amount: bigint },
    before: Prices | null,
  ): Promise<Prices & { readonly gasLimit: bigint }>;
  /** The block that has it now, as what it cost in wei, if an endpoint reports that; null for none. */
  inBlock(hash: string): Promise<{ readonly fee?: bigint } | null>;
}
