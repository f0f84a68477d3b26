// What the database says about sweeps, as a part of the snapshot.

export type SweepRow = {
  readonly id: string;
  readonly network: string;
  readonly kind: string;
  readonly status: 'planned' | 'signed' | 'mined' | 'final' | 'reverted' | 'lapsed' | 'canceled';
  readonly sender: string;
  readonly currency: string | null;
  readonly hashes: readonly string[];
  /** The deposit addresses that it is for. */
  readonly addresses: readonly string[];
  /** Base units that it moved, as its items say. */
  readonly moved: string;
  readonly message: string | null;
};

/** Whether an operator paused the sweeps of a network, and why nothing is swept there. */
type SweepStateRow = { readonly network: string; readonly is_paused: boolean; readonly hold: string | null };

export type SweepRows = {
  readonly sweeps: readonly SweepRow[];
  readonly sweep_states: readonly SweepStateRow[];
};

export const NO_SWEEPS: SweepRows = { sweeps: [], sweep_states: [] };

const OPEN: readonly SweepRow['status'][] = ['planned', 'signed', 'mined'];
export const isUnderWay = ({ status }: Pick<SweepRow, 'status'>): boolean => OPEN.includes(status);

/** Columns, table and order of each list. */
export const SWEEP_LISTS = {
  sweeps: [
    `id::text, network, kind, status, sender, currency, hashes, message,
     (SELECT coalesce(sum(moved), 0)::text FROM sweep_items WHERE sweep_id = sweeps.id) AS moved,
     ARRAY(SELECT address FROM sweep_items WHERE sweep_id = sweeps.id ORDER BY address_index) AS addresses`,
    'sweeps',
    'sweeps.id',
  ],
  sweep_states: ['network, paused_at IS NOT NULL AS is_paused, hold', 'sweep_states', 'network'],
} as const;
