// One bounded run of the worker's steps, for hosts without long-running processes.

import { publicEndpoint } from '@/lib/api/adapters/endpoint';

export const dynamic = 'force-dynamic';

export const { DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT } = publicEndpoint('/api/cron');
