// The rights on the tables of payouts.

/** It requests and cancels payouts, sets schedules, and stores addresses and rates. It announces no address. */
export const PAYOUTS_OF_WEB = {
  // Of refunds and cold transfers too. The worker reads it before each signature request.
  payment_pauses: { insert: 'environment network kind paused_at paused_by', delete: true },
  // The worker announces an address and starts its delay.
  payout_addresses: {
    insert: 'id store_id environment network address is_contract is_signed created_at created_by',
    update: 'stopped_at stopped_by',
  },
  payout_backing: {},
  payout_rates: { insert: 'store_id basis_points fixed minimum network_costs at_cost starts_at created_at created_by' },
  payout_rate_notices: {},
  payout_schedules: {
    insert: 'store_id environment network currency interval least keep created_at updated_at next_run_at',
    update: 'interval least keep updated_at next_run_at reason',
  },
  payouts: {
    insert:
      'id store_id environment payout_id amount currency network description request_hash created_at fee network_cost rate_id',
    // Status: only to canceled. An approval makes it due.
    update: 'status processed_at hold hold_message held_at next_at epoch payout_id description request_hash',
  },
};

/** It announces addresses, requests by schedules, and pays. */
export const PAYOUTS_OF_WORKER = {
  payment_pauses: {},
  payout_addresses: { update: 'mailed_at pay_after notice_mac stop_hash' },
  payout_backing: { insert: '*', update: '*' },
  payout_rates: {},
  // The worker mails about rates, so that the web process cannot leave a mail out.
  payout_rate_notices: { insert: 'rate_id', update: 'last_user_id mailed done_at' },
  payout_schedules: { update: 'next_run_at reason last_payout_id count' },
  payouts: {
    insert:
      'id store_id environment payout_id amount currency network description request_hash created_at fee network_cost rate_id',
    update: '*',
  },
};
