// Which postings a happening makes. Pure. What we hold is positive, what we owe negative; an entry sums to zero.

export type Posting = { readonly account: string; readonly amount: bigint };

/** Coins at our receiving addresses. */
export const RECEIVED = 'received';
/** What a store may dispose of. */
export const storeAccount = (storeId: string): string => `store:${storeId}`;
/** What reached a store's session but counts for nothing until somebody decides: late, wrong token, wrong network. */
export const unresolvedAccount = (storeId: string): string => `unresolved:${storeId}`;

/** A transfer to a receiving address: we hold it, and owe it to the store at once or when it is resolved. */
export function transferPostings(transfer: { storeId: string; amount: bigint; counts: boolean }): readonly Posting[] {
  const owed = transfer.counts ? storeAccount(transfer.storeId) : unresolvedAccount(transfer.storeId);
  return [
    { account: RECEIVED, amount: transfer.amount },
    { account: owed, amount: -transfer.amount },
  ];
}
