// The metrics for Prometheus, for hosts that run Next alone; server.ts answers the same without Next.

import { services } from '@/lib/api/services';
import { answerMetrics } from '@/lib/api/status';
import { toResponse } from '@/lib/api/web-door';

export const dynamic = 'force-dynamic';

export const GET = async (request: Request): Promise<Response> =>
  toResponse(await answerMetrics(services(), request.headers.get('authorization')));
