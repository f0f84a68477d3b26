// The store and environment that a request's path names, and the audit entry of what it did there.

import { recordAudit } from '@/lib/merchants/audit/record';
import type { Tx } from '@/lib/platform/database/db';
import { ServiceError } from '@/lib/platform/errors/errors';
import type { StoreScope } from './lists/payments';
import type { Call } from './route';

/** Where the routes of a store's environment begin. */
export const HERE = '/stores/{store_id}/{environment}';

/** Throws NOT_FOUND for an environment that there is not. */
export function scopeOf({ actor, params }: Pick<Call, 'actor' | 'params'>): StoreScope {
  const { environment } = params;
  if (environment !== 'live' && environment !== 'test') throw new ServiceError('NOT_FOUND');
  return { storeId: actor.storeId as string, environment };
}

/** Writes down what was done in this environment, in the transaction that does it. */
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
