// The public status of a session, which its page polls.

import { publicEndpoint } from '@/lib/api/adapters/endpoint';

export const dynamic = 'force-dynamic';

export const { GET } = publicEndpoint('/pay/{session_id}/status');
