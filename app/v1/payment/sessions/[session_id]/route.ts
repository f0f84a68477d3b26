// GET /v1/payment/sessions/{session_id}

import { endpoint } from '@/lib/api/adapters/endpoint';

export const { DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT } = endpoint('/v1/payment/sessions/{session_id}');
