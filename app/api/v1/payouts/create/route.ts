// POST /api/v1/payouts/create

import { endpoint } from '@/lib/api/adapters/endpoint';

export const { DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT } = endpoint('/api/v1/payouts/create');
