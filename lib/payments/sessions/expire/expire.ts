// Expires overdue sessions, a step of the worker. It waits until every offered network was read past the expiry and the address balances
// were compared (lib/ledger/reconciliation/balances), or until the hold for an unresponsive network ends (heartbeat.ts;
// EXPIRY_HOLD_SECONDS). A session whose address holds more than was stored stays pending (balance-hold). judge.ts computes the verdict. One
// transaction closes a batch. If it fails, each session gets its own transaction, and sessions that fail again are quarantined.

import type { Context } from '@/lib/platform/context';
import { transaction } from '@/lib/platform/database/db';
import { isNotQuarantined } from '@/lib/platform/database/quarantine';
import { holdSecondsAt } from './heartbeat';
import { IS_COMPARED, IS_HELD_BY_BALANCE } from './balance-hold';
import { settleSessions } from '@/lib/payments/sessions/settle/settle';
import { settleOneByOne } from '@/lib/payments/sessions/settle/one-by-one';

/** Sessions closed in one transaction. */
const BATCH = 50;
/** Earlier than every session. */
const NEVER = new Date(0);

// Random order: a session must wait when its full payment is unconfirmed on an unresponsive network. In a fixed order, such
// sessions would keep others out of the batch.
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

/** Closes up to one batch of sessions. */
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
    // The query for due sessions failed, so no session caused the error.
    if (due.length === 0) throw error;
    log.warn(
      { err: error, sessions: due.length },
      'a batch of sessions could not be closed: each is closed in its own transaction',
    );
    const closed = await settleOneByOne(context, 'expire sessions', due);
    return { more: due.length === BATCH && closed > 0 };
  }
}
