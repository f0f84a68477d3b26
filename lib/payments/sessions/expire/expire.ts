// Ends sessions whose time has run out, once every network that they offered was read past their expiry and the balances of
// their addresses were compared (lib/ledger/reconciliation/balances), or has failed to answer for as long as the setting allows, while somebody
// asked it (awake.ts). A session whose
// address holds more than was stored stays pending (balance-hold). A step of the worker; the verdict itself is judge's. One
// transaction ends a batch; if it fails, each session of the batch has its own, and one that fails again is quarantined.

import type { Context } from '@/lib/platform/context';
import { transaction } from '@/lib/platform/database/db';
import { isNotQuarantined } from '@/lib/platform/database/quarantine';
import { holdSecondsAt } from './awake';
import { IS_COMPARED, IS_HELD_BY_BALANCE } from './balance-hold';
import { settleSessions } from '@/lib/payments/sessions/settle/settle';
import { settleAlone } from '@/lib/payments/sessions/settle/alone';

/** Sessions ended in one transaction. */
const BATCH = 50;
/** Before every session. */
const NEVER = new Date(0);

// In no particular order: a session that must go on waiting, because its whole payment was seen on a network that has not
// answered since, never keeps others out of the batch.
const DUE = {
  name: 'sessions-due',
  text: `SELECT s.id FROM sessions s
         WHERE s.status = 'pending' AND s.expires_at <= $1 AND ${isNotQuarantined('session', 's.id')}
           AND NOT EXISTS (SELECT FROM quarantine q WHERE q.session_id = s.id AND q.resolved_at IS NULL
             AND (q.kind = 'transfer' OR s.expires_at > $2))
           AND NOT ${IS_HELD_BY_BALANCE}
           AND (s.expires_at <= $2 OR NOT EXISTS (
             SELECT FROM unnest(s.networks) AS offered(network)
             LEFT JOIN chains c ON c.environment = s.environment AND c.network = offered.network AND c.retired_at IS NULL
             LEFT JOIN balance_checks b ON b.session_id = s.id AND b.chain_id = c.id AND ${IS_COMPARED}
             WHERE c.final_time IS NULL OR c.final_time < s.expires_at OR b.session_id IS NULL))
         ORDER BY random() LIMIT ${BATCH} FOR UPDATE OF s SKIP LOCKED`,
};

/** Ends up to one batch of sessions. */
export async function expireSessions(context: Context): Promise<{ more: boolean }> {
  const { pool, clock, log } = context;
  const now = clock.now();
  const holdSeconds = await holdSecondsAt(context, now);
  const heldUntil = Number.isFinite(holdSeconds) ? new Date(now.getTime() - holdSeconds * 1000) : NEVER;
  let due: string[] = [];
  try {
    return await transaction(pool, async (tx) => {
      const { rows } = await tx.query<{ id: string }>({ ...DUE, values: [now, heldUntil] });
      due = rows.map(({ id }) => id);
      const closed = await settleSessions(tx, due, { now, log, holdSeconds });
      return { more: due.length === BATCH && closed > 0 };
    });
  } catch (error) {
    // The search itself failed, so no session is to blame.
    if (due.length === 0) throw error;
    log.warn({ err: error, sessions: due.length }, 'a batch of sessions could not be ended: each is ended by itself');
    const closed = await settleAlone(context, 'expire sessions', due);
    return { more: due.length === BATCH && closed > 0 };
  }
}
