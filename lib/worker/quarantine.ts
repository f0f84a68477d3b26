// The worker's step that maintains the quarantine: it resolves rows that need nothing more, makes rows due whose time a wrong
// clock wrote, and deletes old resolved ones. Alarms report rows that failed again (lib/installation/alarms). Each kind of row
// is retried by its own step: sessions by settleQuarantined, transfers and unconfirmed transfers by storeQuarantined, all
// others by the step that failed on them.

import type { Context } from '@/lib/platform/context';

/** How long a resolved row is kept, for operators who look for its cause. */
const KEPT_DAYS = 30;
const CLEARED_AT_ONCE = 10_000;
/**
 * The longest pause between two retries (lib/payments/watcher/accounts/unread), and a margin. A clock that ran ahead wrote any later time,
 * and the row would wait until that time comes.
 */
const LONGEST_PAUSE = '24 hours 1 minute';

/**
 * Resolved without a retry: the work is done, or no longer needed. An `address` names a chain and a session
 * (reconciliation/balances, checkId), or is a deposit address that reconciliation compares.
 */
const RETRY_NOT_NEEDED = `CASE kind
  WHEN 'address' THEN EXISTS (SELECT FROM sessions s WHERE s.id = split_part(subject_id, ' ', 2) AND s.status <> 'pending')
  WHEN 'refund' THEN EXISTS (SELECT FROM refunds r WHERE r.id = subject_id AND NOT r.to_release
    AND r.status IN ('completed', 'failed', 'canceled'))
  WHEN 'payout' THEN EXISTS (SELECT FROM payouts r WHERE r.id = subject_id AND NOT r.to_release
    AND r.status IN ('completed', 'failed', 'canceled'))
  WHEN 'cold_transfer' THEN EXISTS (SELECT FROM cold_transfers r WHERE r.id = subject_id AND NOT r.to_release
    AND r.status IN ('completed', 'failed', 'canceled'))
  WHEN 'delivery' THEN NOT EXISTS (SELECT FROM deliveries d WHERE d.id = subject_id::bigint AND d.status = 'pending')
  WHEN 'mail' THEN NOT EXISTS (SELECT FROM mails m WHERE m.id = subject_id::bigint
    AND m.sent_at IS NULL AND m.failed_at IS NULL)
  WHEN 'pause' THEN EXISTS (SELECT FROM webhook_pauses p WHERE p.id = subject_id::bigint AND p.noticed_at IS NOT NULL)
  WHEN 'wallet' THEN EXISTS (SELECT FROM chains c WHERE c.id = subject_id::int
    AND (c.wallet_trouble_at IS NULL OR c.retired_at IS NOT NULL))
  WHEN 'notice' THEN NOT EXISTS (SELECT FROM payment_exceptions c WHERE c.is_notice_due AND c.environment = 'live'
      AND 'exceptions ' || c.store_id || ' live' = subject_id)
    AND NOT EXISTS (SELECT FROM deliveries d WHERE d.is_notice_due AND 'deliveries ' || d.store_id || ' ' || d.environment = subject_id)
  WHEN 'payout_address' THEN EXISTS (SELECT FROM payout_addresses p WHERE p.id = subject_id
    AND (p.mailed_at IS NOT NULL OR p.stopped_at IS NOT NULL))
  WHEN 'payout_schedule' THEN NOT EXISTS (SELECT FROM payout_schedules p WHERE p.next_run_at IS NOT NULL
    AND p.store_id || ' ' || p.environment || ' ' || p.network || ' ' || p.currency = subject_id)
  -- What still cannot be removed fails again within the day.
  WHEN 'old_record' THEN next_run_at < $1::timestamptz - interval '7 days'
  ELSE false END`;

export async function maintainQuarantine(context: Context): Promise<{ more: boolean }> {
  const { pool, clock } = context;
  const now = clock.now();
  await pool.query({
    name: 'quarantine-needless',
    text: `UPDATE quarantine SET resolved_at = $1 WHERE resolved_at IS NULL AND ${RETRY_NOT_NEEDED}`,
    values: [now],
  });
  await pool.query({
    name: 'quarantine-wrong-times',
    text: `UPDATE quarantine SET next_run_at = $1
           WHERE resolved_at IS NULL AND next_run_at > $1::timestamptz + interval '${LONGEST_PAUSE}'`,
    values: [now],
  });
  const { rowCount } = await pool.query({
    name: 'quarantine-clear',
    text: `DELETE FROM quarantine WHERE id IN (SELECT id FROM quarantine
             WHERE resolved_at < $1::timestamptz - interval '${KEPT_DAYS} days' AND decision IS NULL LIMIT ${CLEARED_AT_ONCE})`,
    values: [now],
  });
  return { more: rowCount === CLEARED_AT_ONCE };
}
