// The metrics for Prometheus, for hosts that run Next alone; server.ts serves them without Next.

import { services } from '@/lib/api/services';
import { answerMetrics } from '@/lib/api/public/status';
import { toResponse } from '@/lib/api/adapters/next-adapter';

export const dynamic = 'force-dynamic';

export const GET = async (request: Request): Promise<Response> =>
  toResponse(await answerMetrics(services(), request.headers.get('authorization')));
