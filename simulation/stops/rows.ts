// What the database says about the screening and about tokens that left near the tip, as a part of the snapshot.

export type ScreeningRow = {
  readonly id: string;
  readonly role: 'sender' | 'payee';
  readonly network: string;
  readonly address: string;
  readonly hash: string;
  readonly verdict: 'clear' | 'hit' | 'unknown';
  readonly is_released: boolean;
};

/** A transaction above finality that moved tokens out of a wallet of the installation without an intent. */
export type TipRow = { readonly network: string; readonly hash: string; readonly payer: string };

export type StopRows = { readonly screenings: readonly ScreeningRow[]; readonly tip_outflows: readonly TipRow[] };

export const NO_STOPS: StopRows = { screenings: [], tip_outflows: [] };

/** Columns, table and order of each list. */
export const STOP_LISTS = {
  screenings: [
    'id::text, role, network, address, transaction_hash AS hash, verdict, released_at IS NOT NULL AS is_released',
    'screenings',
    'screenings.id',
  ],
  tip_outflows: [
    'c.network, o.transaction_hash AS hash, o.payer',
    'tip_outflows o JOIN chains c ON c.id = o.chain_id',
    'o.found_at, o.transaction_hash',
  ],
} as const;
