// Answers a request to the signed API as Next does: with the route file of its path, through the adapter for Next.

import { answerWeb } from '@/lib/api/adapters/next-adapter';
import { findEndpoint, withoutLastSlash } from '@/lib/api/routes';
import type { Services } from '@/lib/api/services';

export function answerAsNext(services: Services, request: Request): Promise<Response> {
  const path = withoutLastSlash(new URL(request.url).pathname);
  return answerWeb(services, request, findEndpoint(path)?.endpoint ?? null);
}
