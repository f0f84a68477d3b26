// The worker's steps that look after the quarantine: operators are mailed about rows that failed again, rows that need nothing
// any more are resolved, and what was resolved long ago is forgotten. Each row is tried again where it belongs: sessions by
// settleQuarantined, transfers and sightings by storeQuarantined, all others by the step that failed on them.

import type { Context } from '@/lib/context';
import { transaction } from '@/lib/db';
import { mailOperators } from '@/lib/mail/operators';

/** A row that succeeds at its second attempt, or within a minute, needs nobody. */
const ALARM_AFTER_ATTEMPTS = 2;
const ALARM_AFTER_SECONDS = 60;
/** One mail for everything that failed within this time: a fault in the software may concern thousands of rows. */
const ALARM_EVERY_MINUTES = 15;
/** How long a resolved row is kept, for those who look for its cause. */
const KEPT_DAYS = 30;
const CLEARED_AT_ONCE = 10_000;

/**
 * Ended in another way than by a retry: what was to be done is done, or is no longer to be done. An `address` names the session
 * after the chain (reconcile/balances, checkId), or is an address that reconciliation compares.
 */
const NEEDLESS = `CASE kind
  WHEN 'address' THEN EXISTS (SELECT FROM sessions s WHERE s.id = split_part(subject_id, ' ', 2) AND s.status <> 'pending')
  WHEN 'refund' THEN EXISTS (SELECT FROM refunds r WHERE r.id = subject_id AND NOT r.to_release
    AND r.status IN ('completed', 'failed', 'canceled'))
  WHEN 'delivery' THEN EXISTS (SELECT FROM deliveries d WHERE d.id = subject_id::bigint AND d.status <> 'pending')
  WHEN 'mail' THEN EXISTS (SELECT FROM mails m WHERE m.id = subject_id::bigint
    AND (m.sent_at IS NOT NULL OR m.failed_at IS NOT NULL))
  WHEN 'pause' THEN EXISTS (SELECT FROM webhook_pauses p WHERE p.id = subject_id::bigint AND p.noticed_at IS NOT NULL)
  WHEN 'wallet' THEN EXISTS (SELECT FROM chains c WHERE c.id = subject_id::int
    AND (c.wallet_trouble_at IS NULL OR c.retired_at IS NOT NULL))
  WHEN 'notice' THEN NOT EXISTS (SELECT FROM payment_cases c WHERE c.is_untold AND c.environment = 'live'
      AND 'exceptions ' || c.store_id || ' live' = subject_id)
    AND NOT EXISTS (SELECT FROM deliveries d WHERE d.is_untold AND 'deliveries ' || d.store_id || ' ' || d.environment = subject_id)
  ELSE false END`;

export async function tendQuarantine(context: Context): Promise<{ more: boolean }> {
  const { pool, clock } = context;
  const now = clock.now();
  await pool.query({
    name: 'quarantine-needless',
    text: `UPDATE quarantine SET resolved_at = $1 WHERE resolved_at IS NULL AND ${NEEDLESS}`,
    values: [now],
  });
  await alarm(context, now);
  const { rowCount } = await pool.query({
    name: 'quarantine-clear',
    text: `DELETE FROM quarantine WHERE id IN (SELECT id FROM quarantine
             WHERE resolved_at < $1::timestamptz - interval '${KEPT_DAYS} days' AND decision IS NULL LIMIT ${CLEARED_AT_ONCE})`,
    values: [now],
  });
  return { more: rowCount === CLEARED_AT_ONCE };
}

/** Mails every operator about what no mail has mentioned yet. */
const alarm = (context: Context, now: Date): Promise<void> =>
  transaction(context.pool, async (tx) => {
    const { rowCount: count } = await tx.query({
      name: 'quarantine-alarm',
      text: `UPDATE quarantine SET alarmed_at = $1 WHERE resolved_at IS NULL AND alarmed_at IS NULL
               AND attempts >= ${ALARM_AFTER_ATTEMPTS} AND first_at <= $1::timestamptz - interval '${ALARM_AFTER_SECONDS} seconds'
               AND NOT EXISTS (SELECT FROM quarantine
                 WHERE alarmed_at > $1::timestamptz - interval '${ALARM_EVERY_MINUTES} minutes')`,
      values: [now],
    });
    if (!count) return;
    context.log.error({ count }, 'rows in quarantine failed again: the operators are mailed');
    const path = '/operator/jobs?show=quarantine';
    await mailOperators(context, tx, { kind: 'Quarantined', path, count: String(count), now });
  });
