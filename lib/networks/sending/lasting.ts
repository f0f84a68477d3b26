// Drafts that other machines sign, and that are broadcast much later: how long they last, and whose keys sign them. Types only.

/**
 * A draft that is signed on another machine and broadcast much later. It gets a longer life (90 minutes on TRON, no end elsewhere) and a fee
 * cap for a busier day. On Solana `nonceAccount` is the durable nonce account whose authority is the wallet; elsewhere it is null.
 */
export type Lasting = {
  readonly nonceAccount: string | null;
  /** On TRON: the permission whose keys sign, and how many of them at most. Absent: the one key of the wallet. */
  readonly permission?: { readonly id: number; readonly signatures: number } | undefined;
};

/** A permission of a TRON account. `moves`: whether it may move tokens. */
export type TronPermission = {
  /** 0 is the owner permission. */
  readonly id: number;
  readonly threshold: number;
  readonly moves: boolean;
  readonly keys: readonly { readonly address: string; readonly weight: number }[];
};

/** A lasting draft on Solana: it may land until its durable nonce account has another value. */
export type LastingValidity = { readonly kind: 'durable'; readonly account: string; readonly value: string };
