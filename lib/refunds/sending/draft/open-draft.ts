// Which attempts of refunds are open drafts: their signature was requested, and it is not known whether they were signed.

import { isNotQuarantined } from '@/lib/platform/database/quarantine';
import { FOR_OPERATOR } from '@/lib/refunds/sending/plan';

/**
 * SQL for an attempt `a` that is an open draft. The drafts of a refund in quarantine, or of one that waits for an operator, do not count,
 * because they may stay open for days.
 */
export const IS_OPEN_DRAFT = `a.status = 'drafted' AND ${isNotQuarantined('refund', 'a.intent_id')}
  AND NOT EXISTS (SELECT FROM refunds h WHERE h.id = a.intent_id AND h.hold = '${FOR_OPERATOR}')`;
