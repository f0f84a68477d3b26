// The health check for load balancers and supervisors.

import { publicEndpoint } from '@/lib/api/adapters/endpoint';

export const dynamic = 'force-dynamic';

export const { DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT } = publicEndpoint('/health');
