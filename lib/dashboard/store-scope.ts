// The store and environment in a request's path, and the audit entry of the action there.

import { recordAudit } from '@/lib/merchants/audit/record';
import type { Tx } from '@/lib/platform/database/db';
import { ServiceError } from '@/lib/platform/errors/errors';
import type { StoreScope } from './lists/payments';
import type { Call } from './route';

/** Where the routes of a store's environment begin. */
export const HERE = '/stores/{store_id}/{environment}';

/** Throws NOT_FOUND for an unknown environment. */
export function scopeOf({ actor, params }: Pick<Call, 'actor' | 'params'>): StoreScope {
  const { environment } = params;
  if (environment !== 'live' && environment !== 'test') throw new ServiceError('NOT_FOUND');
  return { storeId: actor.storeId as string, environment };
}

/** Records an action in this environment, in the transaction of the action. */
export const auditHere = (
  call: Pick<Call, 'actor' | 'params' | 'from' | 'context'>,
  tx: Tx,
  done: { action: string; target: string; details?: Readonly<Record<string, string | number>> },
): Promise<void> => {
  const { storeId, environment } = scopeOf(call);
  const { action, target, details = {} } = done;
  return recordAudit(tx, {
    actor: call.actor.by,
    storeId,
    action,
    target,
    details: { environment, ...details },
    address: call.from.address,
    now: call.context.clock.now(),
  });
};
