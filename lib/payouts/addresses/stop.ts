// Stops a payout address for good: by an owner in the dashboard, or by the link in the mail that announced it, which needs no sign-in. The
// owners are mailed. Stopping twice changes nothing.

import type { Context } from '@/lib/platform/context';
import { sha256 } from '@/lib/platform/crypto';
import { transaction, type Db, type Tx } from '@/lib/platform/database/db';
import { ServiceError } from '@/lib/platform/errors/errors';
import { isPayoutAddressId, isStopToken, type Environment } from '@/lib/platform/ids';
import { auditStore, type Actor } from '@/lib/merchants/stores/actor';
import { mailOwners } from './mails';

type StoppedRow = {
  readonly id: string;
  readonly storeId: string;
  readonly environment: Environment;
  readonly network: string;
  readonly address: string;
};

type Stopped = {
  readonly storeId: string;
  readonly environment: Environment;
  readonly id: string;
  readonly userId: string;
};

/** Stops an address of a store. False when it was stopped before. Throws NOT_FOUND, also for another store's address. */
export function stopPayoutAddress(context: Context, stopped: Stopped, actor: Actor): Promise<boolean> {
  const { storeId, environment, id, userId } = stopped;
  return transaction(context.pool, async (tx) => {
    const { rows } = await tx.query<{ id: string }>({
      name: 'payout-address-of-store',
      text: `SELECT id FROM payout_addresses WHERE id = $1 AND store_id = $2 AND environment = $3::"Environment"`,
      values: [isPayoutAddressId(id) ? id : '', storeId, environment],
    });
    if (!rows[0]) throw new ServiceError('NOT_FOUND', { message: 'There is no such payout address.' });
    return stop(tx, context, { id, actorId: userId }, actor);
  });
}

/** What the page behind the mail's link shows. */
export type LinkedAddress = StoppedRow & {
  readonly storeName: string;
  readonly payAfter: Date;
  readonly stoppedAt: Date | null;
};

/** Null for a link that this service did not send. */
export async function readByStopToken(db: Db, token: string): Promise<LinkedAddress | null> {
  if (!isStopToken(token)) return null;
  const { rows } = await db.query<LinkedAddress>({
    name: 'payout-address-by-token',
    text: `SELECT p.id, p.store_id AS "storeId", p.environment, p.network, p.address, s.name AS "storeName",
             p.pay_after AS "payAfter", p.stopped_at AS "stoppedAt"
           FROM payout_addresses p JOIN stores s ON s.id = p.store_id WHERE p.stop_hash = $1 AND p.pay_after IS NOT NULL`,
    values: [sha256(token)],
  });
  return rows[0] ?? null;
}

/** `from`: the client's address, for the audit log. False when it was stopped before, or the link is unknown. */
export async function stopByToken(context: Context, token: string, from: string): Promise<boolean> {
  const found = await readByStopToken(context.pool, token);
  if (!found) return false;
  const actor = { by: 'system', address: from };
  return transaction(context.pool, (tx) => stop(tx, context, { id: found.id, actorId: null }, actor));
}

/** Of two requests at once, the database lets one stop the address and mail the owners. */
async function stop(
  tx: Tx,
  context: Context,
  { id, actorId }: { readonly id: string; readonly actorId: string | null },
  actor: Actor,
): Promise<boolean> {
  const now = context.clock.now();
  const { rows } = await tx.query<StoppedRow>({
    name: 'payout-address-stop',
    text: `UPDATE payout_addresses SET stopped_at = $2, stopped_by = $3 WHERE id = $1 AND stopped_at IS NULL
           RETURNING id, store_id AS "storeId", environment, network, address`,
    values: [id, now, actorId],
  });
  const [stopped] = rows;
  if (!stopped) return false;
  await mailOwners(tx, context, stopped, { kind: 'PayoutAddressStopped', actorId, now });
  const { storeId, environment, network, address } = stopped;
  const details = { environment, network, address, by: actorId === null ? 'mail_link' : 'owner' };
  await auditStore(tx, actor, { storeId, action: 'payout_address.stop', target: id, details, now });
  return true;
}
