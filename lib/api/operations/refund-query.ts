// The query parameters of the refunds' list, as list-query has them for the other listings.

import { z } from 'zod';
import { orderId } from '@/lib/platform/request-text';
import { common, refundStatus } from '@/lib/api/list-query';

export const refundsQuerySchema = z.object({
  ...common,
  status: refundStatus.optional(),
  session_id: orderId.optional(),
  order_id: orderId.optional(),
});
