// The query parameters of the refunds' list, as list-query has them for the other listings.

import { z } from 'zod';
import { orderId, PARAMETER } from '@/lib/platform/request-text';
import type { RefundPosition } from '@/lib/refunds/list';
import { badCursor, common, decodeCursor, encodeCursor, isCursorInteger } from '@/lib/api/list-query';

const STATUSES = ['pending', 'processing', 'completed', 'failed', 'canceled'] as const;

export const refundsQuerySchema = z.object({
  ...common,
  status: z.string(PARAMETER).toLowerCase().pipe(z.enum(STATUSES, PARAMETER)).optional(),
  session_id: orderId.optional(),
  order_id: orderId.optional(),
});

const REFUNDS = 'r1';
/** Dates hold at most sixteen digits of milliseconds. */
const MAX_DIGITS = 15;

export const refundCursor = ({ createdAt, id }: RefundPosition): string =>
  encodeCursor(REFUNDS, String(createdAt.getTime()), id);

/** Throws INVALID_PARAMETER for anything but a cursor of the refunds' list. */
export function readRefundCursor(text: string | undefined): RefundPosition | null {
  if (text === undefined) return null;
  const [kind, milliseconds, id = '', ...rest] = decodeCursor(text);
  const isRight =
    kind === REFUNDS &&
    isCursorInteger(milliseconds) &&
    milliseconds.length <= MAX_DIGITS &&
    /^re_[0-9a-f]{40}$/.test(id) &&
    rest.length === 0;
  if (!isRight) throw badCursor();
  return { createdAt: new Date(Number(milliseconds)), id };
}
