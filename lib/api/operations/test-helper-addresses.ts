// The destination of a test payment: the session's own deposit address on the requested network.

import type { Caller } from '@/lib/merchants/api-keys/nonces';
import { FAMILIES } from '@/lib/networks/families/family';
import { NETWORKS } from '@/lib/networks/networks';
import type { Tx } from '@/lib/platform/database/db';
import { ServiceError } from '@/lib/platform/errors/errors';
import { lockSession } from '@/lib/payments/sessions/read';

type Target = {
  readonly address: string;
  readonly amountDue: bigint;
  /** The deposit address of another session of the same store, for payments that reach two at once. */
  readonly other: string | null;
};

/** Throws SESSION_NOT_FOUND, or INVALID_PARAMETER for a network that has no local chain. */
export async function depositAddress(tx: Tx, caller: Caller, sessionId: string, network: string): Promise<Target> {
  const session = await lockSession(tx, caller, sessionId);
  const spec = NETWORKS.find((row) => row.network === network && row.chain === 'local');
  if (!spec)
    throw new ServiceError('INVALID_PARAMETER', {
      param: 'network',
      message: `There is no local chain called ${JSON.stringify(network.slice(0, 40))}.`,
    });
  const column = FAMILIES[spec.family].addressColumn;
  const { rows } = await tx.query<{ address: string; amount_due: string; other: string | null }>(
    `SELECT ${column} AS address, amount_due,
       (SELECT ${column} FROM sessions WHERE store_id = $2 AND environment = 'test' AND status = 'pending' AND id <> $1
        ORDER BY created_at DESC LIMIT 1) AS other
     FROM sessions WHERE id = $1`,
    [session.id, caller.key.storeId],
  );
  const [row] = rows;
  if (!row) throw new ServiceError('SESSION_NOT_FOUND', { param: 'session_id' });
  return { address: row.address, amountDue: BigInt(row.amount_due), other: row.other };
}
