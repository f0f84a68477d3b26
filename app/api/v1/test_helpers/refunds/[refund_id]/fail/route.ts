// POST /api/v1/test_helpers/refunds/{refund_id}/fail

import { endpoint } from '@/lib/api/adapters/endpoint';

export const { DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT } = endpoint(
  '/api/v1/test_helpers/refunds/{refund_id}/fail',
);
