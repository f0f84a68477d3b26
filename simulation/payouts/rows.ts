// What the database says about payouts, as a part of the snapshot.

export type PayoutRow = {
  readonly id: string;
  readonly store_id: string;
  readonly payout_id: string;
  readonly status: 'pending' | 'processing' | 'completed' | 'failed' | 'canceled';
  /** Cents. */
  readonly amount: string;
  readonly currency: string;
  readonly network: string;
  readonly hold: string | null;
  readonly hash: string | null;
  readonly is_drafted: boolean;
};

/** `state`: in the order of its life; `announced` once its delay has begun. */
type PayoutAddressRow = {
  readonly id: string;
  readonly store_id: string;
  readonly network: string;
  readonly state: 'new' | 'announced' | 'stopped';
};

export type PayoutRows = {
  readonly payouts: readonly PayoutRow[];
  readonly payout_addresses: readonly PayoutAddressRow[];
};

export const NO_PAYOUTS: PayoutRows = { payouts: [], payout_addresses: [] };

/** Columns, table and order of each list. */
export const PAYOUT_LISTS = {
  payouts: [
    `id, store_id, payout_id, status, amount::text, currency, network, hold, transaction_hash AS hash,
     EXISTS (SELECT FROM refund_attempts WHERE intent_id = payouts.id) AS is_drafted`,
    'payouts',
    'created_at, id',
  ],
  payout_addresses: [
    `id, store_id, network, CASE WHEN stopped_at IS NOT NULL THEN 'stopped' WHEN pay_after IS NOT NULL THEN 'announced'
       ELSE 'new' END AS state`,
    'payout_addresses',
    'created_at, id',
  ],
} as const;
