// The rights on the tables of screening. Only the command of the operator, which has the owner's role, loads a sanctions list.

const LIST = { sanctioned_addresses: {}, sanctions_lists: {} };

/** It releases hits that two operators agreed on, and clears no address. */
export const SCREENING_OF_WEB = { ...LIST, screening_hooks: {}, screenings: { update: 'released_at released_by' } };

/** It stores answers and never releases a hit. */
export const SCREENING_OF_WORKER = {
  ...LIST,
  screening_hooks: { insert: '*', update: '*' },
  screenings: {
    insert: 'environment network address role transaction_hash store_id requested_at next_at',
    update: 'verdict source entity reason requested_at checked_at next_at attempts epoch',
  },
};
