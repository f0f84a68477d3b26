// Which postings a happening makes. Pure. What we hold is positive, what we owe negative; an entry sums to zero.

export type Posting = { readonly account: string; readonly amount: bigint };

/** Coins at our receiving addresses. */
export const RECEIVED = 'received';
/** What a store may dispose of. */
export const storeAccount = (storeId: string): string => `store:${storeId}`;
/** What reached a store's session but counts for nothing until somebody decides: late, wrong token, wrong network, unfinished. */
export const unresolvedAccount = (storeId: string): string => `unresolved:${storeId}`;
/** What is to go back to its sender and has not been sent yet. */
export const refundAccount = (storeId: string): string => `refund:${storeId}`;

/** To whom a transfer's coins are owed. */
export type Owed = 'store' | 'unresolved' | 'refund';

const ACCOUNTS: Readonly<Record<Owed, (storeId: string) => string>> = {
  store: storeAccount,
  unresolved: unresolvedAccount,
  refund: refundAccount,
};

/** A transfer to a receiving address: we hold it, and owe it to the store at once or when it is resolved. */
export function transferPostings(transfer: { storeId: string; amount: bigint; counts: boolean }): readonly Posting[] {
  const owed = transfer.counts ? 'store' : 'unresolved';
  return [
    { account: RECEIVED, amount: transfer.amount },
    { account: ACCOUNTS[owed](transfer.storeId), amount: -transfer.amount },
  ];
}

/** We hold what we held, but owe `amount` of it otherwise. */
export function movePostings(move: { storeId: string; amount: bigint; from: Owed; to: Owed }): readonly Posting[] {
  return [
    { account: ACCOUNTS[move.from](move.storeId), amount: move.amount },
    { account: ACCOUNTS[move.to](move.storeId), amount: -move.amount },
  ];
}
