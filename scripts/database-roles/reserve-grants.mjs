// The rights on the tables of proofs of reserves, of the costs and the comparison of coins and of what the wallets held. Only the worker writes and deletes them.

const MADE = { insert: '*', delete: true };

/** It requests a proof and shows those that were made. */
export const RESERVES_OF_WEB = {
  coin_checks: {},
  coin_months: {},
  reserve_leaves: {},
  reserve_proofs: {},
  reserve_requests: { insert: '*', update: 'requested_at requested_by' },
  reserve_trees: {},
  wallet_history: {},
};

/** Leaves and trees go with their proof. */
export const RESERVES_OF_WORKER = {
  coin_checks: { insert: '*', update: '*' },
  coin_months: { insert: '*', update: '*' },
  reserve_leaves: MADE,
  reserve_proofs: MADE,
  reserve_requests: {},
  reserve_trees: MADE,
  wallet_history: MADE,
};
