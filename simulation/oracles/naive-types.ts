// What the naive implementation is given: facts only.

export type Status = 'pending' | 'completed' | 'expired' | 'failed' | 'canceled';
export type State = 'open' | 'accepted' | 'kept' | 'refund' | 'left';
export type Asset = { readonly network: string; readonly currency: string };
/** Base units. */
export type Amount = Asset & { readonly amount: bigint };

/** Times are Unix seconds. */
export type Terms = {
  readonly dueCents: bigint;
  readonly pairs: readonly Asset[];
  readonly createdAt: number;
  readonly expiresAt: number;
  /** Seconds by which a block of this network may precede the session that it pays. */
  readonly marginOf: (network: string) => number;
};

export type NaiveTransfer = Amount & {
  readonly id: string;
  readonly decimals: number;
  readonly blockTime: number;
  readonly hash: string;
  readonly ordinal: number;
};

/** What is known of the chains at a moment. */
export type Reading = {
  readonly now: number;
  /** By network, the block time up to which everything final was read; null if it is not read. */
  readonly readThrough: Readonly<Record<string, number | null>>;
  readonly unconfirmed: readonly NaiveTransfer[];
  /** How long after its expiry a session waits for networks that are not read. */
  readonly holdSeconds: number;
};
