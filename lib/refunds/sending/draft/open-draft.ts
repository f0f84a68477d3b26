// Which attempts are open drafts: their signature was requested, and it is not known whether they were signed.

import { isNotQuarantined } from '@/lib/platform/database/quarantine';
import { KIND_OF } from '@/lib/refunds/quarantined';
import { FOR_OPERATOR } from '@/lib/refunds/sending/plan';
import { PAYMENT_TABLES } from '@/lib/refunds/rows';

/**
 * SQL for an attempt `a` that is an open draft. The drafts of a payment in quarantine, or of one that waits for an operator, do not count,
 * because they may stay open for days.
 */
export const IS_OPEN_DRAFT = [
  `a.status = 'drafted'`,
  ...PAYMENT_TABLES.flatMap((table) => [
    isNotQuarantined(KIND_OF[table], 'a.intent_id'),
    `NOT EXISTS (SELECT FROM ${table} h WHERE h.id = a.intent_id AND h.hold = '${FOR_OPERATOR}')`,
  ]),
].join(' AND ');
