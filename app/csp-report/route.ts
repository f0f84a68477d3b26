// Browsers' reports about the pages' policy.

import { publicEndpoint } from '@/lib/api/adapters/endpoint';

export const dynamic = 'force-dynamic';

export const { DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT } = publicEndpoint('/csp-report');
