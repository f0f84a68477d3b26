// Which postings a business event makes. Pure. What we hold is positive, what we owe negative; an entry sums to zero per asset.

export type Posting = { readonly account: string; readonly amount: bigint };

/** Tokens at our deposit addresses. */
export const RECEIVED = 'received';
/** What a store may dispose of: what its completed sessions brought in. */
export const storeAccount = (storeId: string): string => `store:${storeId}`;
/** What reached a store's session but counts for nothing yet: of sessions that are not completed, and open exceptions. */
export const unresolvedAccount = (storeId: string): string => `unresolved:${storeId}`;
/** What is owed to customers and has not been sent yet. */
export const refundAccount = (storeId: string): string => `refund:${storeId}`;

/** Tokens in the wallet that refunds are paid from. */
export const REFUND_WALLET = 'refund_wallet';
/** The operator's own money: what he put into the refund wallet, less what he took out, and what conversions brought him. */
export const OPERATOR = 'operator';

/** Network costs of refunds that stores were charged: the operator's income against the coins that the fees took. */
export const COST_RECOVERY = 'cost_recovery';

/** Where an unresolved amount goes. */
export type Owed = 'store' | 'refund';

const ACCOUNTS: Readonly<Record<Owed, (storeId: string) => string>> = { store: storeAccount, refund: refundAccount };

/** A transfer to a deposit address: we hold it, and owe `toStore` of it to the store and the rest when it is resolved. */
export function transferPostings(transfer: { storeId: string; amount: bigint; toStore: bigint }): readonly Posting[] {
  const { storeId, amount, toStore } = transfer;
  const owed = [
    { account: storeAccount(storeId), amount: -toStore },
    { account: unresolvedAccount(storeId), amount: toStore - amount },
  ];
  return [{ account: RECEIVED, amount }, ...owed.filter((one) => one.amount !== 0n)];
}

/** `amount` is resolved: the store's, or to go back to a customer. */
export function movePostings(move: { storeId: string; amount: bigint; to: Owed }): readonly Posting[] {
  return [
    { account: unresolvedAccount(move.storeId), amount: move.amount },
    { account: ACCOUNTS[move.to](move.storeId), amount: -move.amount },
  ];
}

/** Base units of one token on one network. */
export type AssetAmount = { readonly network: string; readonly currency: string; readonly amount: bigint };

/** A posting that names its asset, for entries about several. */
export type AssetPosting = Posting & { readonly network: string; readonly currency: string };

export const isSameAsset = (one: Omit<AssetAmount, 'amount'>, other: Omit<AssetAmount, 'amount'>): boolean =>
  one.network === other.network && one.currency === other.currency;

/** The store owes these amounts, each in the asset that arrived, to a customer from now on. */
export const reservationPostings = (storeId: string, amounts: readonly AssetAmount[]): readonly AssetPosting[] =>
  amounts.flatMap((one) => [
    { ...one, account: storeAccount(storeId) },
    { ...one, account: refundAccount(storeId), amount: -one.amount },
  ]);

/**
 * Base units of the paid asset that the reserved amounts lack of it: what a conversion provides. It can be less than one base unit of
 * every other asset; the operator bears that much. 0 where nothing is reserved, as for the refund of an exception.
 */
export function shortfallOf(paid: AssetAmount, reserved: readonly AssetAmount[]): bigint {
  if (reserved.length === 0) return 0n;
  const own = reserved.filter((one) => isSameAsset(one, paid)).reduce((sum, { amount }) => sum + amount, 0n);
  return paid.amount - own;
}

/**
 * What was reserved in other assets passes to the operator, and the operator's own money makes up for it in the asset that is
 * paid. At par: who calls this has made sure that the pegs hold.
 */
export function conversionPostings(
  storeId: string,
  { paid, reserved }: { readonly paid: AssetAmount; readonly reserved: readonly AssetAmount[] },
): readonly AssetPosting[] {
  const given = reserved
    .filter((one) => !isSameAsset(one, paid))
    .flatMap((one) => [
      { ...one, account: refundAccount(storeId) },
      { ...one, account: OPERATOR, amount: -one.amount },
    ]);
  const missing = shortfallOf(paid, reserved);
  return [
    ...given,
    { ...paid, account: OPERATOR, amount: missing },
    { ...paid, account: refundAccount(storeId), amount: -missing },
  ];
}

/** The customer has it: we hold less, and owe less. */
export const paidPostings = (refund: { readonly storeId: string; readonly paid: AssetAmount }): AssetPosting[] => [
  { ...refund.paid, account: REFUND_WALLET, amount: -refund.paid.amount },
  { ...refund.paid, account: refundAccount(refund.storeId) },
];

/** The operator put tokens into the refund wallet, or took them out (negative). */
export const fundingPostings = (funded: AssetAmount): AssetPosting[] => [
  { ...funded, account: REFUND_WALLET },
  { ...funded, account: OPERATOR, amount: -funded.amount },
];
