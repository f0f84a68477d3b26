// An intruder writes to the database with its owner's rights, and has neither the evidence key nor the signer. The web process may
// not make these writes (lib/refunds/compromised-web.test.ts); here they show that the worker and the signer do not trust them.
// The intruder names an address of their own for a refund, and claims that its signature was requested. An operator puts the row back.

import { THIEF } from '@/simulation/parties';
import type { World } from '@/simulation/world';

/** Puts the thief's address into a refund, and runs `work`. Returns how many refunds the intruder could change. */
export async function redirectRefund(
  { harness, chains, clock }: World,
  refund: { readonly id: string; readonly network: string; readonly kind: 'payer' | 'claim' },
  work: () => Promise<unknown>,
): Promise<number> {
  const { pool } = harness.database;
  const family = chains.find(({ network }) => network === refund.network)?.spec.family ?? 'evm';
  const { rowCount } = await pool.query(
    `UPDATE refunds SET destination = $2, destination_kind = $4, destination_reference = 'transfer/1', signature_requested_at = $3,
       next_at = $3, hold = NULL, hold_message = NULL, held_at = NULL
     WHERE id = $1 AND status = 'processing' AND signature_requested_at IS NULL`,
    [refund.id, THIEF[family], clock.now(), refund.kind],
  );
  await work();
  const connection = await pool.connect();
  await connection.query('BEGIN');
  // The triggers keep what was requested, also from the operator.
  await connection.query("SET LOCAL session_replication_role = 'replica'");
  await connection.query(
    `UPDATE refunds r SET destination = NULL, destination_kind = NULL, destination_reference = NULL, signature_requested_at = NULL
     WHERE id = $1 AND destination = $2 AND NOT EXISTS (SELECT FROM refund_attempts WHERE intent_id = r.id)`,
    [refund.id, THIEF[family]],
  );
  await connection.query('COMMIT');
  connection.release();
  return rowCount ?? 0;
}
