// POST /api/v1/checkout/sessions/create

import { endpoint } from '@/lib/api/adapters/endpoint';

export const { DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT } = endpoint('/api/v1/checkout/sessions/create');
