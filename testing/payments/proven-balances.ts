// For tests that start after the balance checks are complete (lib/ledger/reconciliation/balances).

import type { Pool } from '@/lib/platform/database/db';

/** Concludes the balance checks of all pending sessions on every network that they offer and that is followed. */
export async function proveBalances(pool: Pool): Promise<void> {
  await pool.query(`INSERT INTO balance_checks (session_id, chain_id, state, next_at)
    SELECT s.id, c.id, 'proven', now() FROM sessions s
    JOIN chains c ON c.environment = s.environment AND c.network = ANY(s.networks) AND c.retired_at IS NULL
    WHERE s.status = 'pending' ON CONFLICT (session_id, chain_id) DO UPDATE SET state = 'proven'`);
}
