// What the database says about transfers to and from the cold wallet, and the refund wallet's books, as a part of the snapshot.

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
  readonly kind: 'funding' | 'refill' | 'cold_return';
  readonly network: string;
  readonly currency: string;
  readonly amount: string;
};

/** A transfer from the cold wallet that the operator requested. */
export type ReturnRow = {
  readonly id: string;
  readonly request_id: string;
  readonly network: string;
  readonly currency: string;
  /** Base units. */
  readonly amount: string;
  readonly is_signed: boolean;
  readonly hash: string | null;
  readonly landed_hash: string | null;
  readonly outcome: 'landed' | 'reverted' | 'lapsed' | 'superseded' | 'given_up' | null;
  /** Base units that its ledger entries brought to the refund wallet; null if it has none. */
  readonly booked: string | null;
};

export type ColdRows = {
  readonly cold_returns: readonly ReturnRow[];
  readonly cold_transfers: readonly ColdRow[];
  readonly wallet_books: readonly BookRow[];
};

export const NO_COLD: ColdRows = { cold_returns: [], cold_transfers: [], wallet_books: [] };

/** Columns, table and order of each list. */
export const COLD_LISTS = {
  cold_transfers: [
    `id, status, amount::text, currency, network, hold, transaction_hash AS hash,
     EXISTS (SELECT FROM refund_attempts WHERE intent_id = cold_transfers.id) AS is_drafted,
     (extract(epoch FROM created_at) * 1000)::bigint AS created_at`,
    'cold_transfers',
    'created_at, id',
  ],
  cold_returns: [
    `id, request_id, network, currency, amount::text, signed_at IS NOT NULL AS is_signed, transaction_hash AS hash, landed_hash, outcome,
     (SELECT sum(p.amount)::text FROM ledger_entries e JOIN ledger_postings p ON p.entry_id = e.id AND p.account = 'refund_wallet'
      WHERE e.kind = 'cold_return' AND e.intent_id = cold_returns.id) AS booked`,
    'cold_returns',
    'created_at, id',
  ],
  wallet_books: [
    'kind, network, currency, amount::text',
    `(SELECT e.kind, p.network, p.currency, sum(p.amount) AS amount FROM ledger_entries e
       JOIN ledger_postings p ON p.entry_id = e.id AND p.account = 'refund_wallet'
      WHERE e.kind IN ('funding', 'refill', 'cold_return') GROUP BY 1, 2, 3) AS books`,
    'kind, network, currency',
  ],
} as const;
