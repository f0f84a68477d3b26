// The reviewed list of database rights. Web and worker read every table. The list says what they may write, column by column where a
// column is money. grants.test.mts fails for a missing table or an ungranted write. docs/operate.md#database-roles explains web's columns.

import { PAYOUTS_OF_WEB, PAYOUTS_OF_WORKER } from './payout-grants.mjs';
import { PROCESSES_OF_WEB, PROCESSES_OF_WORKER } from './process-grants.mjs';
import { RESERVES_OF_WEB, RESERVES_OF_WORKER } from './reserve-grants.mjs';
import { SCREENING_OF_WEB, SCREENING_OF_WORKER } from './screening-grants.mjs';

/** @typedef {{ insert?: string, update?: string, delete?: true }} Grant column names separated by spaces, or ALL */

export const ALL = '*';
const APPEND = { insert: ALL }; // Written once and never changed.
const OWN = { insert: ALL, update: ALL, delete: true };
const NOTHING = {};

/**
 * The web process, which visitors reach. It stores no transfer, moves no cursor, signs nothing and decides no refund
 * outcome. `FOR UPDATE` needs the right to update a column: tables that are only locked name the least harmful column.
 * @type {Record<string, Grant>}
 */
export const WEB = {
  account_links: { insert: ALL, update: 'used_at' },
  account_cursors: NOTHING,
  alarms: { update: 'acknowledged_at acknowledged_by' },
  allowance_transactions: NOTHING,
  address_pool: { update: 'incarnation', delete: true }, // Locked, then taken.
  api_keys: { insert: ALL, update: 'expires_at last_used_at requires_signature_v2 revoked_at' },
  approval_needs: { update: 'noted_at' }, // Locked only.
  approvals: {
    insert: 'id kind target digest details requested_by requested_at note requester_passkey',
    update: 'decided_by decided_at is_approved note decided_passkey',
  },
  audit_entries: APPEND,
  balance_checks: NOTHING,
  balance_rounds: NOTHING,
  expiry_watch: NOTHING,
  balance_turns: NOTHING,
  chains: NOTHING,
  coin_prices: NOTHING,
  cold_balances: NOTHING,
  cold_returns: NOTHING,
  cold_transfers: NOTHING,
  deposit_balances: NOTHING,
  deliveries: { insert: 'event_id store_id environment lane next_at created_at', update: 'next_at' },
  delivery_attempts: NOTHING,
  discrepancies: { update: 'ended_at explained_at note' },
  endpoint_usage: OWN,
  energy_rentals: NOTHING,
  endpoints: { update: 'tip_number tip_time final_number final_time head_source head_read_at' }, // A head proves nothing.
  events: { insert: 'id store_id environment type object_id body created_at is_test cause' },
  finder_days: { insert: ALL, update: 'lookups' },
  freeze_requests: { insert: 'reason requested_by requested_at' },
  exchange_wallet_lists: NOTHING,
  exchange_wallets: NOTHING,
  idempotency_keys: APPEND,
  ledger_balances: NOTHING,
  ledger_entries: APPEND, // Some kinds only: migration database_roles.
  ledger_postings: APPEND,
  logins: { insert: ALL, update: 'token_hash second_factor_at step_up_at last_seen_at ended_at' },
  mails: { insert: 'recipient subject body rank created_at next_at', update: 'failed_at attempts epoch next_at' },
  members: { insert: ALL, update: 'role mail_exceptions mail_deliveries mail_decisions', delete: true },
  network_fees: NOTHING,
  nonces: APPEND,
  notice_mails: NOTHING,
  outgoing_transfers: NOTHING,
  own_wallets: NOTHING,
  passkey_challenges: { insert: ALL, delete: true },
  passkeys: { insert: ALL, update: 'counter last_used_at', delete: true },
  payer_browsers: { insert: ALL, update: 'is_shared receipt_mails' },
  payment_exceptions: {
    insert: 'store_id environment session_id transfer_id kind amount',
    update: 'counted state decided_by decided_at note',
  },
  payment_link_sessions: APPEND,
  payment_links: { insert: ALL, update: 'is_active version' },
  ...PAYOUTS_OF_WEB,
  position_eras: NOTHING,
  quarantine: { update: 'next_run_at resolved_at decision' },
  rate_observations: NOTHING,
  rate_shares: OWN,
  rate_sources: NOTHING,
  receipt_numbers: APPEND, // A trigger assigns the number.
  reconciliations: NOTHING,
  recovery_codes: { insert: ALL, update: 'used_at', delete: true },
  refund_address_notices: NOTHING,
  refund_addresses: APPEND,
  refund_attempts: NOTHING,
  refund_days: { insert: ALL, update: 'amount count' },
  refund_status_changes: APPEND,
  refunds: {
    insert:
      'id store_id environment refund_id session_id order_id case_id amount currency network reason description metadata' +
      ' request_hash day created_at payer request_id traceparent',
    // The status only to canceled, the cost only to 0, the destination only to none: migration database_roles.
    update:
      'status processed_at hold hold_message held_at next_at epoch destination destination_kind destination_reference' +
      ' cost_charged wants_address confirmed_address_id claim_hash claim_ciphertext claim_expires_at' +
      ' refund_id reason description metadata request_hash payer',
  },
  ...RESERVES_OF_WEB,
  ...SCREENING_OF_WEB,
  security_counts: { insert: ALL, update: 'count last_at' },
  session_days: { insert: ALL, update: 'amount' },
  session_status_changes: APPEND,
  sessions: {
    insert:
      'id store_id environment order_id amount_total currency amount_due exchange_rate rate_basis currencies networks' +
      ' offered_pairs accepts_other_token budget description line_items tax_amount shipping_amount success_url cancel_url' +
      ' metadata created_at expires_at address_index evm_address tron_address tron_factory solana_address request_id traceparent',
    update:
      'status closed_at expires_at exception amount_received amount_refunded completed_network completed_currency' +
      ' completed_transaction accepted_from',
  },
  unconfirmed_transfers: NOTHING,
  signer_marks: NOTHING,
  signer_states: NOTHING,
  statement_months: NOTHING,
  status_days: NOTHING,
  ...PROCESSES_OF_WEB,
  store_branding: { insert: ALL, update: ALL },
  stores: {
    insert:
      'id owner_id name website description settlement_currency usd_currencies networks accepts_other_token created_at channel_type',
    update: ALL,
  },
  sweep_items: NOTHING,
  sweep_states: { update: 'paused_at paused_by' },
  sweeps: NOTHING,
  throttles: OWN,
  transfers: NOTHING,
  treasury_balances: NOTHING,
  users: { insert: ALL, update: ALL },
  wallet_balances: NOTHING,
  wallet_mentions: NOTHING,
  wallets: NOTHING,
  webhook_endpoints: OWN,
  webhook_hours: NOTHING,
  webhook_pauses: { insert: ALL, update: 'resumed_at resumed_by replayed' },
};

/** Additions for the sandbox's test helpers: they backdate a payment. */
export const WEB_IN_SANDBOX = { sessions: { update: 'created_at' } };

/**
 * The worker: it moves money and creates no account. It changes no user, store, member, key or operator approval.
 * @type {Record<string, Grant>}
 */
export const WORKER = {
  account_links: { delete: true },
  account_cursors: OWN,
  alarms: OWN,
  address_pool: OWN,
  allowance_transactions: { insert: ALL, update: 'looked_at seen_at fee settled_at coin_booked_at' },
  api_keys: NOTHING,
  approval_needs: OWN,
  approvals: { update: 'decided_by decided_at is_approved note' }, // Only voids them.
  audit_entries: APPEND,
  balance_checks: OWN,
  balance_rounds: OWN,
  expiry_watch: OWN,
  balance_turns: OWN,
  chains: OWN,
  coin_prices: OWN,
  cold_balances: OWN,
  cold_returns: { insert: ALL, update: ALL },
  cold_transfers: { insert: ALL, update: ALL },
  deliveries: OWN,
  delivery_attempts: OWN,
  deposit_balances: OWN,
  discrepancies: { insert: ALL, update: ALL },
  endpoint_usage: OWN,
  endpoints: OWN,
  energy_rentals: { insert: ALL, update: 'placed_at cost ended_at outcome coin_booked_at' },
  events: { insert: ALL, delete: true }, // A trigger lets them go only into an archive.
  finder_days: NOTHING,
  freeze_requests: { update: 'trouble carried_out_at' },
  exchange_wallet_lists: NOTHING,
  exchange_wallets: NOTHING,
  idempotency_keys: { delete: true },
  ledger_balances: NOTHING,
  ledger_entries: APPEND,
  ledger_postings: APPEND,
  logins: { delete: true },
  mails: OWN,
  members: NOTHING,
  network_fees: OWN,
  nonces: { delete: true },
  notice_mails: OWN,
  outgoing_transfers: { insert: ALL, update: 'reported_at booked_at is_refill' },
  own_wallets: OWN,
  passkey_challenges: { delete: true },
  passkeys: NOTHING,
  payer_browsers: NOTHING,
  payment_exceptions: {
    insert: 'store_id environment session_id transfer_id kind amount',
    update: 'counted state decided_by decided_at is_notice_due',
  },
  payment_link_sessions: NOTHING,
  payment_links: NOTHING,
  ...PAYOUTS_OF_WORKER,
  position_eras: NOTHING,
  quarantine: OWN,
  rate_observations: OWN,
  rate_shares: NOTHING,
  rate_sources: OWN,
  receipt_numbers: NOTHING,
  reconciliations: OWN,
  recovery_codes: NOTHING,
  refund_address_notices: { insert: ALL, update: ALL },
  refund_addresses: NOTHING,
  refund_attempts: { insert: ALL, update: ALL },
  refund_days: { update: 'amount count' },
  refund_status_changes: APPEND,
  refunds: { update: ALL },
  ...RESERVES_OF_WORKER,
  ...SCREENING_OF_WORKER,
  security_counts: OWN,
  session_days: { update: 'amount' },
  session_status_changes: APPEND,
  sessions: {
    update:
      'status closed_at expires_at exception amount_received amount_refunded completed_network completed_currency' +
      ' completed_transaction accepted_from',
  },
  unconfirmed_transfers: OWN,
  signer_marks: { insert: ALL, update: ALL },
  signer_states: { insert: ALL, update: ALL },
  statement_months: APPEND,
  status_days: OWN,
  ...PROCESSES_OF_WORKER,
  store_branding: NOTHING,
  stores: { update: 'first_steps_hidden_at' }, // Locked only.
  sweep_items: { insert: ALL, update: 'moved reason ended_at' },
  sweep_states: OWN,
  sweeps: OWN,
  throttles: { delete: true },
  transfers: APPEND,
  treasury_balances: OWN,
  users: { delete: true }, // A trigger refuses confirmed accounts and operators.
  wallet_balances: OWN,
  wallet_mentions: OWN,
  wallets: { insert: ALL, update: ALL },
  webhook_endpoints: { update: 'paused_at failed_in_a_row gone_in_a_row failing_since' },
  webhook_hours: OWN,
  webhook_pauses: { insert: ALL, update: 'noticed_at' },
};

/** Functions that only these two roles may call; each does one thing with the owner's rights. */
export const FUNCTIONS = ['lock_balances("Environment", text)'];
