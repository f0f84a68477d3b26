// The parts of a store's money that a statement shows, and amounts by network, token and part. A liability of the ledger is
// negative; the store's balance is its positive value.

import {
  payoutAccount,
  quarantinedAccount,
  refundAccount,
  storeAccount,
  unresolvedAccount,
} from '@/lib/ledger/postings';
import type { Environment } from '@/lib/platform/ids';

/** One store and environment. */
export type StatementScope = { readonly storeId: string; readonly environment: Environment };

/**
 * `available`: what the store can refund or pay out. `unresolved`: waits for the merchant's decision. `reserved`: for
 * refunds and payouts under way. `quarantined`: frozen by a hit of the screening. Hashes of closed months depend on the order: a new part
 * is the last one.
 */
export const PARTS = ['available', 'unresolved', 'reserved', 'quarantined'] as const;
export type Part = (typeof PARTS)[number];

/** Base units of one part of one token on one network. */
export type PartAmount = {
  readonly network: string;
  readonly currency: string;
  readonly part: Part;
  readonly amount: bigint;
};

/** The ledger accounts of a store that make up its parts. */
export function accountsOf(storeId: string): Readonly<Record<string, Part>> {
  return {
    [storeAccount(storeId)]: 'available',
    [unresolvedAccount(storeId)]: 'unresolved',
    [refundAccount(storeId)]: 'reserved',
    [payoutAccount(storeId)]: 'reserved',
    [quarantinedAccount(storeId)]: 'quarantined',
  };
}

/** A sum of postings of one account, as PostgreSQL returns it. */
export type AccountSum = {
  readonly account: string;
  readonly network: string;
  readonly currency: string;
  readonly amount: string;
};

export function partAmount(
  { account, network, currency, amount }: AccountSum,
  parts: Readonly<Record<string, Part>>,
): PartAmount {
  const part = parts[account];
  if (!part) throw new Error(`${account} is no account of this statement`);
  return { network, currency, part, amount: -BigInt(amount) };
}

/** Sorted by network, token and part, whatever the database sorts by: hashes depend on the order. */
export const partAmounts = (sums: readonly AccountSum[], parts: Readonly<Record<string, Part>>): PartAmount[] =>
  sums.map((sum) => partAmount(sum, parts)).toSorted(byAsset);

const keyOf = ({ network, currency, part }: Omit<PartAmount, 'amount'>): string =>
  `${network} ${currency} ${PARTS.indexOf(part)}`;
const byAsset = (one: PartAmount, other: PartAmount): number => {
  const [first, second] = [keyOf(one), keyOf(other)];
  return first < second ? -1 : first > second ? 1 : 0;
};

/** Running balances: what was there, plus each amount added. */
export class Balances {
  private readonly held = new Map<string, { -readonly [Field in keyof PartAmount]: PartAmount[Field] }>();

  constructor(opening: readonly PartAmount[]) {
    for (const one of opening) this.add(one);
  }

  /** Returns the balance of the part afterwards. */
  add(moved: PartAmount): bigint {
    const key = keyOf(moved);
    const held = this.held.get(key);
    if (held) return (held.amount += moved.amount);
    const { network, currency, part, amount } = moved;
    this.held.set(key, { network, currency, part, amount });
    return amount;
  }

  /** Sorted. Parts that became empty are included. */
  list(): PartAmount[] {
    return [...this.held.values()].map((one) => ({ ...one })).toSorted(byAsset);
  }
}

export const isNotZero = ({ amount }: PartAmount): boolean => amount !== 0n;

/** Whether two lists hold the same amounts. Zeros and the order make no difference. */
export function isSameAmounts(some: readonly PartAmount[], others: readonly PartAmount[]): boolean {
  const difference = new Balances(some);
  for (const one of others) difference.add({ ...one, amount: -one.amount });
  return !difference.list().some(isNotZero);
}
