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

/** Coins in the wallet that refunds are paid from. */
export const REFUND_WALLET = 'refund_wallet';
/** What the operator put into the refund wallet, or took out of it. */
export const OPERATOR = 'operator';
/** Tokens and networks changed into each other at par, because a refund goes out otherwise than its payment came in. */
export const EXCHANGE = 'exchange';

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

/** Where a refund takes a part of its amount from: what the store holds of one token on one network, in its base units. */
export type RefundSource = { readonly network: string; readonly currency: string; readonly amount: bigint };

/** A posting that names its asset, for entries about several. */
export type AssetPosting = Posting & { readonly network: string; readonly currency: string };

/**
 * What a store owes to a customer from now on. The sources together are worth `paid`, at par; what they are not of its own
 * token and network goes through the exchange account, so that every asset sums to zero by itself.
 */
export function reservationPostings(refund: {
  readonly storeId: string;
  readonly paid: RefundSource;
  readonly sources: readonly RefundSource[];
}): readonly AssetPosting[] {
  const { storeId, paid, sources } = refund;
  const isPaid = ({ network, currency }: RefundSource): boolean =>
    network === paid.network && currency === paid.currency;
  const own = sources.filter(isPaid).reduce((sum, { amount }) => sum + amount, 0n);
  const taken = sources.map((source) => ({ ...source, account: storeAccount(storeId) }));
  const changed = sources
    .filter((source) => !isPaid(source))
    .map((source) => ({ ...source, account: EXCHANGE, amount: -source.amount }));
  const owed = { ...paid, account: refundAccount(storeId), amount: -paid.amount };
  const rest = paid.amount - own;
  return [...taken, ...changed, owed, ...(rest === 0n ? [] : [{ ...paid, account: EXCHANGE, amount: rest }])];
}

/** The customer has it: we hold less, and owe less. */
export const paidPostings = (refund: { readonly storeId: string; readonly paid: RefundSource }): AssetPosting[] => [
  { ...refund.paid, account: REFUND_WALLET, amount: -refund.paid.amount },
  { ...refund.paid, account: refundAccount(refund.storeId) },
];

/** The operator put coins into the refund wallet, or took them out (negative). */
export const fundingPostings = (funded: RefundSource): AssetPosting[] => [
  { ...funded, account: REFUND_WALLET },
  { ...funded, account: OPERATOR, amount: -funded.amount },
];
