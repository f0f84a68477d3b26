// Numbers of the work that waits, and of the processes that do it, read from what the worker stores: its heartbeat, failing steps, the
// signer, mails, due deliveries, overdue sessions, open refunds and payouts, alarms. An age without anything that waits has no sample.

import type { Context } from '@/lib/platform/context';
import { isNotQuarantined } from '@/lib/platform/database/quarantine';
import { numbersOf, type NamedRow, type Numbers } from './numbers';

const HELP = {
  worker_heartbeat_age_seconds: 'Seconds since a worker checked the sessions last.',
  worker_step_failing: 'Failures in a row of a step of the worker that fails now.',
  signer_frozen: '1 while the signer signs nothing, as it said last.',
  signer_unreachable: '1 while the worker gets no answer from the signer.',
  signer_state_age_seconds: 'Seconds since the signer answered the worker last.',
  mails_waiting: 'Mails that are to be sent.',
  mails_oldest_seconds: 'Age of the oldest of them.',
  mails_failed: 'Mails that were given up, among the newest 1,000 of them.',
  deliveries_oldest_due_seconds:
    'For how long the oldest webhook delivery has been due. Those of paused endpoints and quarantined ones do not count.',
  sessions_oldest_overdue_seconds: 'For how long the oldest session that is past its end has not been closed.',
  refunds_oldest_open_seconds: 'Age of the oldest open refund, by why it waits.',
  payouts_open: 'Payouts that have not ended, by why they wait.',
  payouts_oldest_open_seconds: 'Age of the oldest open payout, by why it waits.',
  alarms_open: 'Open alarms of the operator console.',
} as const;

const ageOf = (time: string): string => `GREATEST(0, extract(epoch FROM $1::timestamptz - ${time}))`;
const HOLD = `jsonb_build_object('environment', environment, 'hold', COALESCE(hold, 'none'))`;

/** One round trip. Each part uses an index of open rows, or a table with a row for each process or step. */
export async function operationNumbers({ pool, clock }: Pick<Context, 'pool' | 'clock'>): Promise<Numbers[]> {
  const text = `WITH waiting AS (SELECT count(*) AS n, min(created_at) AS oldest FROM mails WHERE sent_at IS NULL AND failed_at IS NULL),
      refund AS (SELECT environment, hold, min(created_at) AS oldest FROM refunds WHERE status IN ('pending', 'processing') GROUP BY 1, 2),
      payout AS (SELECT environment, hold, count(*) AS n, min(created_at) AS oldest FROM payouts
        WHERE status IN ('pending', 'processing') GROUP BY 1, 2),
      due AS (SELECT min(d.next_at) AS since FROM deliveries d
        JOIN webhook_endpoints w ON w.store_id = d.store_id AND w.environment = d.environment
        WHERE d.status = 'pending' AND d.next_at < $1 AND w.paused_at IS NULL AND ${isNotQuarantined('delivery', 'd.id::text')}),
      overdue AS (SELECT min(expires_at) AS since FROM sessions WHERE status = 'pending' AND expires_at < $1)
    SELECT name, labels, value::float8 FROM (
      SELECT 'worker_heartbeat_age_seconds' AS name, '{}'::jsonb AS labels, ${ageOf('seen_at')} AS value FROM expiry_watch
      UNION ALL SELECT 'worker_step_failing', jsonb_build_object('step', step), failures FROM step_failures WHERE ended_at IS NULL
      UNION ALL SELECT 'signer_frozen', '{}', is_frozen::int FROM signer_states WHERE is_frozen IS NOT NULL
      UNION ALL SELECT 'signer_unreachable', '{}', (trouble IS NOT NULL)::int FROM signer_states
      UNION ALL SELECT 'signer_state_age_seconds', '{}', ${ageOf('read_at')} FROM signer_states WHERE read_at IS NOT NULL
      UNION ALL SELECT 'mails_waiting', '{}', n FROM waiting
      UNION ALL SELECT 'mails_oldest_seconds', '{}', ${ageOf('oldest')} FROM waiting WHERE oldest IS NOT NULL
      UNION ALL SELECT 'mails_failed', '{}', count(*) FROM (
        SELECT FROM mails WHERE failed_at IS NOT NULL ORDER BY id DESC LIMIT 1000) AS failed
      UNION ALL SELECT 'deliveries_oldest_due_seconds', '{}', ${ageOf('since')} FROM due WHERE since IS NOT NULL
      UNION ALL SELECT 'sessions_oldest_overdue_seconds', '{}', ${ageOf('since')} FROM overdue WHERE since IS NOT NULL
      UNION ALL SELECT 'refunds_oldest_open_seconds', ${HOLD}, ${ageOf('oldest')} FROM refund
      UNION ALL SELECT 'payouts_open', ${HOLD}, n FROM payout
      UNION ALL SELECT 'payouts_oldest_open_seconds', ${HOLD}, ${ageOf('oldest')} FROM payout
      UNION ALL SELECT 'alarms_open', jsonb_build_object('kind', kind, 'severity', severity), count(*) FROM alarms
        WHERE closed_at IS NULL GROUP BY kind, severity) AS numbers`;
  const { rows } = await pool.query<NamedRow>({ name: 'metrics-operations', text, values: [clock.now()] });
  return numbersOf(HELP, rows);
}
