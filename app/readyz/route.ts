// Whether this process can do all its work, for load balancers and orchestrators.

import { publicEndpoint } from '@/lib/api/adapters/endpoint';

export const dynamic = 'force-dynamic';

export const { DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT } = publicEndpoint('/readyz');
