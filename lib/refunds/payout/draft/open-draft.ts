// Which attempts of refunds are open drafts: asked for, and not known to be signed.

import { isNotQuarantined } from '@/lib/platform/database/quarantine';
import { FOR_A_PERSON } from '@/lib/refunds/payout/plan';

/**
 * An attempt `a` that is an open draft. That of a refund in quarantine, or of one that waits for a person, does not count, because it
 * may stay open for days.
 */
export const IS_OPEN_DRAFT = `a.status = 'drafted' AND ${isNotQuarantined('refund', 'a.intent_id')}
  AND NOT EXISTS (SELECT FROM refunds h WHERE h.id = a.intent_id AND h.hold = '${FOR_A_PERSON}')`;
