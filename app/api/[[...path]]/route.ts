// Every path below /api that has no route file of its own: NOT_FOUND in the API's error envelope.

import { noEndpoint } from '@/lib/api/adapters/endpoint';

export const { DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT } = noEndpoint();
