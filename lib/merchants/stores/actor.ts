// The actor of a change to a store, for the audit log. The default is the service itself.

import type { AuditDetails } from '@/lib/merchants/audit/chain';
import { recordAudit } from '@/lib/merchants/audit/record';
import type { Tx } from '@/lib/platform/database/db';

/** `by`: `user:<id>` or `system`. `address`: where the request came from. */
export type Actor = { readonly by: string; readonly address: string };
export const SYSTEM: Actor = { by: 'system', address: '' };

/** The user's id; null for the service itself. */
export const userIdOf = ({ by }: Pick<Actor, 'by'>): string | null => /^user:(.+)$/.exec(by)?.[1] ?? null;

/** Appends a change of a store to the audit log. */
export const auditStore = (
  tx: Tx,
  actor: Actor,
  of: { storeId: string; action: string; target: string; details?: AuditDetails; now: Date },
): Promise<void> =>
  recordAudit(tx, {
    actor: actor.by,
    address: actor.address,
    storeId: of.storeId,
    action: of.action,
    target: of.target,
    details: of.details ?? {},
    now: of.now,
  });
