// The public keys of proofs of reserves.

import { publicEndpoint } from '@/lib/api/adapters/endpoint';

export const dynamic = 'force-dynamic';

export const { GET } = publicEndpoint('/reserves-keys.json');
