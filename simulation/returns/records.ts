// What the operator did about returns from the cold wallet, beside the database.

/** A transfer that the offline machine signed. The signature of the same transfer is always the same. */
export type SignedReturn = {
  readonly id: string;
  readonly network: string;
  readonly currency: string;
  /** Base units. */
  readonly amount: bigint;
  /** Of the transaction that the signature completes. */
  readonly hash: string;
  /** The account nonce; null where accounts have none. */
  readonly nonce: number | null;
};

export type ReturnRecords = {
  /** What the commands wrote, by name. */
  readonly files: Map<string, string>;
  /** The files of requests, in the order in which they were written. */
  readonly requests: string[];
  readonly signed: SignedReturn[];
  /** Transactions that the operator sent from the cold wallet by another program. */
  readonly sentElsewhere: Set<string>;
  /** The newest final block when the operator gave a return up. */
  readonly givenUp: Map<string, number>;
  /** Networks on which the cold wallet has coin. */
  readonly supplied: Set<string>;
};

export const emptyReturns = (): ReturnRecords => ({
  ...{ files: new Map(), requests: [], signed: [] },
  ...{ sentElsewhere: new Set(), givenUp: new Map(), supplied: new Set() },
});
