// Whether this process answers, for supervisors.

import { publicEndpoint } from '@/lib/api/adapters/endpoint';

export const dynamic = 'force-dynamic';

export const { DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT } = publicEndpoint('/livez');
