// Audit log entries about what users do to their own account.

import { recordAudit } from '@/lib/merchants/audit/record';
import type { AuditDetails } from '@/lib/merchants/audit/chain';
import type { Tx } from '@/lib/platform/database/db';

/** Appends an entry about the user's own account. */
export const auditAccount = (
  tx: Tx,
  of: { userId: string; action: string; details?: AuditDetails; address: string; now: Date },
): Promise<void> =>
  recordAudit(tx, {
    actor: `user:${of.userId}`,
    storeId: null,
    action: `account.${of.action}`,
    target: of.userId,
    details: of.details ?? {},
    address: of.address,
    now: of.now,
  });
