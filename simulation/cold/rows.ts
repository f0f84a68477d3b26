// What the database says about cold transfers and the refund wallet's books, as a part of the snapshot.

export type ColdRow = {
  readonly id: string;
  readonly status: 'pending' | 'processing' | 'completed' | 'failed' | 'canceled';
  /** Cents. */
  readonly amount: string;
  readonly currency: string;
  readonly network: string;
  readonly hold: string | null;
  readonly hash: string | null;
  readonly is_drafted: boolean;
  /** Unix milliseconds. */
  readonly created_at: number;
};

/** Base units that entries of one kind have posted to the refund wallet's account. */
type BookRow = {
  readonly kind: 'funding' | 'refill';
  readonly network: string;
  readonly currency: string;
  readonly amount: string;
};

export type ColdRows = { readonly cold_transfers: readonly ColdRow[]; readonly wallet_books: readonly BookRow[] };

export const NO_COLD: ColdRows = { cold_transfers: [], wallet_books: [] };

/** Columns, table and order of each list. */
export const COLD_LISTS = {
  cold_transfers: [
    `id, status, amount::text, currency, network, hold, transaction_hash AS hash,
     EXISTS (SELECT FROM refund_attempts WHERE intent_id = cold_transfers.id) AS is_drafted,
     (extract(epoch FROM created_at) * 1000)::bigint AS created_at`,
    'cold_transfers',
    'created_at, id',
  ],
  wallet_books: [
    'kind, network, currency, amount::text',
    `(SELECT e.kind, p.network, p.currency, sum(p.amount) AS amount FROM ledger_entries e
       JOIN ledger_postings p ON p.entry_id = e.id AND p.account = 'refund_wallet'
      WHERE e.kind IN ('funding', 'refill') GROUP BY 1, 2, 3) AS books`,
    'kind, network, currency',
  ],
} as const;
