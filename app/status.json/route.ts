// The public status as JSON.

import { publicEndpoint } from '@/lib/api/adapters/endpoint';

export const dynamic = 'force-dynamic';

export const { GET } = publicEndpoint('/status.json');
