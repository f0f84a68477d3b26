// The leaves of a token's tree. A plain sum tree shows each store the balance of the store beside it, so every balance is split into
// random shares that lie among the shares of all stores. A store learns amounts of shares, and not whose they are.

import { randomBytes } from 'node:crypto';
import { leafHash, sumTree, type SumTree } from './tree';

/** Changes with the text of a leaf, the hashes of the tree or the document. docs/snippets/verify-reserves.mjs reads it. */
export const FORMAT = 'stabletill-reserves-1';
/** Leaves of each store in the tree of a token. */
export const SHARES = 4;
/** A path shows the number of leaves, so a smaller tree would show that there are only a few stores. */
const LEAST_LEAVES = 64;
const SALT_BYTES = 32;
/** 64 bits more than any amount, so that the remainder of the division favors no value. */
const RANDOM_BYTES = 40;

export type Asset = { readonly environment: string; readonly network: string; readonly currency: string };

/** What the ledger owes a store, in base units. `unresolved`: waits for a decision of the merchant, or of the operator while it is quarantined. */
export type StoreDebt = {
  readonly storeId: string;
  readonly available: bigint;
  readonly unresolved: bigint;
  readonly refunds: bigint;
  readonly payouts: bigint;
};

/** `index`: the place of the share among the leaves. */
export type Share = { readonly amount: bigint; readonly index: number };
export type StoreLeaves = StoreDebt & { readonly salt: Buffer; readonly shares: readonly Share[] };

export const debtOf = ({ available, unresolved, refunds, payouts }: Omit<StoreDebt, 'storeId'>): bigint =>
  available + unresolved + refunds + payouts;

/** The tree of a token and what each store needs to find itself in it. Throws for a balance that is negative. */
export function commitTo(
  asset: Asset,
  debts: readonly StoreDebt[],
): { readonly tree: SumTree; readonly stores: readonly StoreLeaves[] } {
  const made = debts.map((debt) => ({ debt, salt: randomBytes(SALT_BYTES), amounts: splitAtRandom(checked(debt)) }));
  const owned = made.flatMap(({ debt, salt, amounts }, store) =>
    amounts.map((amount, share) => {
      const hash = leafHash(salt, leafText(asset, debt, { share, amount }));
      return { hash, amount, store, share };
    }),
  );
  // Leaves without a store fill the tree up to a power of two, and look like the others.
  const size = 2 ** Math.ceil(Math.log2(Math.max(owned.length, LEAST_LEAVES)));
  const empty = Array.from({ length: size - owned.length }, () => ({
    ...{ hash: randomBytes(SALT_BYTES), amount: 0n, store: -1, share: 0 },
  }));
  // Hashes are random, so their order is.
  const leaves = [...owned, ...empty].toSorted((one, other) => Buffer.compare(one.hash, other.hash));
  const indexes = made.map(() => Array.from({ length: SHARES }, () => 0));
  leaves.forEach(({ store, share }, index) => {
    const own = indexes[store];
    if (own) own[share] = index;
  });
  const stores = made.map(({ debt, salt, amounts }, store) => ({
    ...{ ...debt, salt },
    shares: amounts.map((amount, share) => ({ amount, index: indexes[store]?.[share] ?? 0 })),
  }));
  return { tree: sumTree(leaves), stores };
}

/** What a leaf commits to. A list in JSON is unambiguous. */
const leafText = (
  { environment, network, currency }: Asset,
  { storeId, available, unresolved, refunds, payouts }: StoreDebt,
  { share, amount }: { readonly share: number; readonly amount: bigint },
): string =>
  JSON.stringify([
    ...[FORMAT, environment, network, currency, storeId],
    ...[available, unresolved, refunds, payouts, BigInt(share), amount].map(String),
  ]);

function checked(debt: StoreDebt): bigint {
  const { storeId, available, unresolved, refunds, payouts } = debt;
  if ([available, unresolved, refunds, payouts].some((part) => part < 0n))
    throw new Error(`the ledger owes ${storeId} a negative amount`);
  return debtOf(debt);
}

/** Splits an amount into SHARES shares of random size that sum to it. */
function splitAtRandom(amount: bigint): bigint[] {
  const cuts = Array.from({ length: SHARES - 1 }, () => randomUpTo(amount)).toSorted((one, other) =>
    one < other ? -1 : one > other ? 1 : 0,
  );
  return [...cuts, amount].map((cut, at) => cut - (cuts[at - 1] ?? 0n));
}

const randomUpTo = (most: bigint): bigint => BigInt(`0x${randomBytes(RANDOM_BYTES).toString('hex')}`) % (most + 1n);
