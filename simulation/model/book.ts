// The ledger of a model: the entries of the product's builders of postings, each once per transfer or refund and kind, and their
// balances. It refuses what the database refuses.

import { isSameAsset, type AssetAmount, type AssetPosting, type Posting } from '@/lib/ledger/postings';
import type { Asset } from '@/simulation/oracles/naive-types';

type Entry = { readonly kind: string; readonly postings: readonly AssetPosting[] };

/** Accounts whose balance must not be negative. */
const OWED = ['store', 'refund', 'unresolved'];
const ASSETS = ['received', 'refund_wallet'];

export class Book {
  /** By the transfer or the refund that they are about. */
  private readonly entries = new Map<string, Entry[]>();
  /** What a subject's entries posted to an account, by both. */
  private readonly sums = new Map<string, bigint>();
  /** By account without its store, and asset: assets as they are, what is owed as a positive amount. No zeros. */
  readonly balances = new Map<string, bigint>();

  /** Posts an entry about a transfer or a refund, unless it has one of this kind. */
  post(kind: string, subject: string, postings: readonly AssetPosting[]): void {
    const own = this.entries.get(subject) ?? [];
    if (postings.length === 0 || own.some((entry) => entry.kind === kind)) return;
    for (const one of postings) {
      const total = sumOf(postings.filter((other) => isSameAsset(one, other)));
      if (total !== 0n) throw new Error(`the entry "${kind}" of ${subject} is off by ${total} ${one.currency}`);
    }
    this.entries.set(subject, [...own, { kind, postings }]);
    for (const one of postings) this.add(subject, one);
    for (const { account } of postings)
      for (const [key, amount] of this.balances)
        if (amount < 0n && OWED.includes(kindOf(account)) && key.startsWith(`${kindOf(account)} `))
          throw new Error(`${key} is overdrawn by ${-amount} after "${kind}" of ${subject}`);
  }

  private add(subject: string, { account, network, currency, amount }: AssetPosting): void {
    const own = `${subject} ${kindOf(account)}`;
    this.sums.set(own, (this.sums.get(own) ?? 0n) + amount);
    const key = `${kindOf(account)} ${network}-${currency}`;
    const next = (this.balances.get(key) ?? 0n) + (ASSETS.includes(kindOf(account)) ? amount : -amount);
    if (next === 0n) this.balances.delete(key);
    else this.balances.set(key, next);
  }

  /** Postings of one asset, as `post` takes them. */
  static inAsset({ network, currency }: Asset, postings: readonly Posting[]): AssetPosting[] {
    return postings.map((one) => ({ ...one, network, currency }));
  }

  /** What a subject's entries posted to accounts of this kind; null when it has none. */
  amountOf(subject: string, account: string): bigint | null {
    return this.entries.has(subject) ? (this.sums.get(`${subject} ${account}`) ?? 0n) : null;
  }

  postingsOf(subject: string, kinds: readonly string[]): readonly AssetPosting[] {
    const own = this.entries.get(subject) ?? [];
    return own.filter(({ kind }) => kinds.includes(kind)).flatMap(({ postings }) => postings);
  }

  /** What an account holds or owes, by asset in the order of their names. */
  amountsOf(account: string): AssetAmount[] {
    return [...this.balances]
      .flatMap(([key, amount]) => {
        const [kind, network = '', currency = ''] = key.split(/[ -]/);
        return kind === account ? [{ network, currency, amount }] : [];
      })
      .toSorted((a, b) => (`${a.network} ${a.currency}` < `${b.network} ${b.currency}` ? -1 : 1));
  }
}

const kindOf = (account: string): string => account.split(':')[0] ?? '';
const sumOf = (postings: readonly Posting[]): bigint => postings.reduce((sum, { amount }) => sum + amount, 0n);
