// The rights on the tables of proofs of reserves, of the costs and the comparison of coins, of what the wallets held and of what left them
// without an intent. Only the worker writes and deletes them. Proofs of restored backups are the owner's alone.

const MADE = { insert: '*', delete: true };

/** It requests a proof and shows those that were made. */
export const RESERVES_OF_WEB = {
  coin_checks: {},
  coin_months: {},
  coin_stakes: {},
  reserve_leaves: {},
  reserve_proofs: {},
  reserve_requests: { insert: '*', update: 'requested_at requested_by' },
  reserve_trees: {},
  restore_proofs: {},
  tip_outflows: {},
  wallet_history: {},
};

/** Leaves and trees go with their proof. */
export const RESERVES_OF_WORKER = {
  coin_checks: { insert: '*', update: '*' },
  coin_months: { insert: '*', update: '*' },
  coin_stakes: { insert: '*', update: '*' },
  reserve_leaves: MADE,
  reserve_proofs: MADE,
  reserve_requests: {},
  reserve_trees: MADE,
  restore_proofs: {},
  tip_outflows: { insert: '*', update: 'acted_at' },
  wallet_history: MADE,
};
