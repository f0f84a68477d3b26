// The postings of each business event. Pure. Assets are positive, liabilities negative; an entry sums to zero per
// asset.

export type Posting = { readonly account: string; readonly amount: bigint };

/** Tokens at our deposit addresses. */
export const RECEIVED = 'received';
/** A store's available money: the income of its completed sessions. */
export const storeAccount = (storeId: string): string => `store:${storeId}`;
/** Money received by a store's sessions that is unresolved: of sessions that are not completed, and open exceptions. */
export const unresolvedAccount = (storeId: string): string => `unresolved:${storeId}`;
/** Owed to customers and not sent yet. */
export const refundAccount = (storeId: string): string => `refund:${storeId}`;

/** Income of a store's sessions that hits of the screening freeze: it is neither paid out nor refunded to other sessions. */
export const quarantinedAccount = (storeId: string): string => `quarantined:${storeId}`;

/** Where the income of a store's sessions is until a refund or a payout takes it. */
export const incomeAccounts = (storeId: string): readonly string[] => [
  storeAccount(storeId),
  quarantinedAccount(storeId),
];

/** Owed to a store for payouts that have not arrived yet. */
export const payoutAccount = (storeId: string): string => `payout:${storeId}`;

/** Tokens that left deposit addresses for the operator's treasury wallets (TREASURY_WALLETS). */
export const TREASURY = 'treasury';

/** Tokens in the operator's cold wallets (COLD_WALLETS) that came from the refund wallet. */
export const COLD = 'cold';

/** Tokens in the wallet that refunds and payouts are paid from. */
export const REFUND_WALLET = 'refund_wallet';
/** The operator's own money: deposits into the refund wallet less withdrawals, plus gains from conversions. */
export const OPERATOR = 'operator';

/** Network costs of refunds and payouts charged to stores: the operator's income against the coins spent on fees. */
export const COST_RECOVERY = 'cost_recovery';

/** The operator's fees of payouts that arrived. */
export const FEES = 'fees';

/**
 * Whether `account` is one of the accounts of coins (lib/ledger/coin), whose currency is a network's coin. All others are of tokens:
 * `fee_coin:<wallet>`, `fee_coin:staked:<wallet>`, `expense:network_fee`, `expense:rent`, `expense:energy` and `revenue:rent`.
 */
export const IS_COIN_ACCOUNT = `(split_part(account, ':', 1) IN ('fee_coin', 'expense', 'revenue'))`;

/** The account type to which an unresolved amount moves. */
export type Owed = 'store' | 'refund';

const ACCOUNTS: Readonly<Record<Owed, (storeId: string) => string>> = { store: storeAccount, refund: refundAccount };

/** A transfer to a deposit address: an asset, of which `toStore` is owed to the store and the rest is unresolved. */
export function transferPostings(transfer: { storeId: string; amount: bigint; toStore: bigint }): readonly Posting[] {
  const { storeId, amount, toStore } = transfer;
  const owed = [
    { account: storeAccount(storeId), amount: -toStore },
    { account: unresolvedAccount(storeId), amount: toStore - amount },
  ];
  return [{ account: RECEIVED, amount }, ...owed.filter((one) => one.amount !== 0n)];
}

/** `amount` is resolved: it is the store's, or is to be refunded to a customer. */
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

/**
 * Moves these amounts, each in the asset that arrived, from the store to its refund account. `quarantined`: the part that is taken from the
 * quarantine.
 */
export const reservationPostings = (
  storeId: string,
  amounts: readonly (AssetAmount & { readonly quarantined?: bigint })[],
): readonly AssetPosting[] =>
  amounts.flatMap(({ quarantined = 0n, ...one }) =>
    [
      { ...one, account: storeAccount(storeId), amount: one.amount - quarantined },
      { ...one, account: quarantinedAccount(storeId), amount: quarantined },
      { ...one, account: refundAccount(storeId), amount: -one.amount },
    ].filter(({ amount }) => amount !== 0n),
  );

/** Moves a session's income from the store's balance to its quarantine, or back for a negative amount. */
export const quarantinePostings = (storeId: string, moved: AssetAmount): readonly AssetPosting[] => [
  { ...moved, account: storeAccount(storeId) },
  { ...moved, account: quarantinedAccount(storeId), amount: -moved.amount },
];

/**
 * Base units of the paid asset missing from the reserved amounts, which a conversion provides. Fractions of a base unit
 * of the other assets are lost; the operator bears them. 0 where nothing is reserved, as for the refund of a payment
 * exception.
 */
export function shortfallOf(paid: AssetAmount, reserved: readonly AssetAmount[]): bigint {
  if (reserved.length === 0) return 0n;
  const own = reserved.filter((one) => isSameAsset(one, paid)).reduce((sum, { amount }) => sum + amount, 0n);
  return paid.amount - own;
}

/**
 * Amounts reserved in other assets pass to the operator, whose own money replaces them in the paid asset. The
 * conversion is at par, because the caller has verified the pegs.
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

/** The customer received the refund, so the asset and the liability decrease. */
export const paidPostings = (refund: { readonly storeId: string; readonly paid: AssetAmount }): AssetPosting[] => [
  { ...refund.paid, account: REFUND_WALLET, amount: -refund.paid.amount },
  { ...refund.paid, account: refundAccount(refund.storeId) },
];

/** The amount passes from the store's balance to what its payouts owe it. */
export const payoutReservationPostings = (storeId: string, amount: AssetAmount): readonly AssetPosting[] => [
  { ...amount, account: storeAccount(storeId) },
  { ...amount, account: payoutAccount(storeId), amount: -amount.amount },
];

/** The store's address received the payout, so the asset and the liability decrease. */
export const payoutPaidPostings = (storeId: string, paid: AssetAmount): readonly AssetPosting[] => [
  { ...paid, account: REFUND_WALLET, amount: -paid.amount },
  { ...paid, account: payoutAccount(storeId) },
];

/** What a store pays the operator for a payout, in base units of the token that is paid out. */
export type PayoutCosts = { readonly fee: bigint; readonly networkCost: bigint };

/** The payout has arrived, so the operator has earned what its store reserved for that. Empty when that is nothing. */
export const payoutFeePostings = (
  storeId: string,
  asset: Omit<AssetAmount, 'amount'>,
  { fee, networkCost }: PayoutCosts,
): readonly AssetPosting[] =>
  [
    { ...asset, account: payoutAccount(storeId), amount: fee + networkCost },
    { ...asset, account: FEES, amount: -fee },
    { ...asset, account: COST_RECOVERY, amount: -networkCost },
  ].filter(({ amount }) => amount !== 0n);

/** The cold wallet received tokens of the refund wallet. */
export const coldPostings = (moved: AssetAmount): readonly AssetPosting[] => [
  { ...moved, account: COLD },
  { ...moved, account: REFUND_WALLET, amount: -moved.amount },
];

/**
 * The refund wallet received tokens of the cold wallet, of which `booked` came from the refund wallet before. The rest is the operator's
 * own money, as any other funding.
 */
export const coldReturnPostings = (moved: AssetAmount, booked: bigint): readonly AssetPosting[] => {
  const known = booked < moved.amount ? booked : moved.amount;
  return [
    { ...moved, account: COLD, amount: -known },
    { ...moved, account: OPERATOR, amount: known - moved.amount },
    { ...moved, account: REFUND_WALLET },
  ].filter(({ amount }) => amount !== 0n);
};

/** The operator put tokens into the refund wallet, or took them out (negative). */
export const fundingPostings = (funded: AssetAmount): AssetPosting[] => [
  { ...funded, account: REFUND_WALLET },
  { ...funded, account: OPERATOR, amount: -funded.amount },
];

/**
 * Why tokens left a deposit address. `sweep`: to a treasury wallet. `refill`: to the refund wallet as the treasury. `withdrawal`: to another address, and the operator
 * has explained it, so it is the operator's own money that is missing. `token_fee`: the token itself kept it from a sweep.
 */
export type OutflowKind = 'sweep' | 'refill' | 'withdrawal' | 'token_fee';
const OUTFLOW_ACCOUNTS: Readonly<Record<OutflowKind, string>> = {
  sweep: TREASURY,
  refill: REFUND_WALLET,
  withdrawal: OPERATOR,
  token_fee: OPERATOR,
};

export const outflowPostings = (kind: OutflowKind, amount: bigint): readonly Posting[] => [
  { account: OUTFLOW_ACCOUNTS[kind], amount },
  { account: RECEIVED, amount: -amount },
];
