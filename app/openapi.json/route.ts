// The OpenAPI document.

import { publicEndpoint } from '@/lib/api/adapters/endpoint';

export const dynamic = 'force-dynamic';

export const { GET } = publicEndpoint('/openapi.json');
