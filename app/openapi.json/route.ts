// The OpenAPI document, for hosts that run Next alone; server.ts serves it without Next.

import { answerOpenApi } from '@/lib/api/openapi/serve';
import { services } from '@/lib/api/services';
import { toResponse } from '@/lib/api/adapters/next-adapter';

export const dynamic = 'force-dynamic';

export function GET(request: Request): Response {
  // The host in front of Next names the client; Next itself exposes no peer address.
  const address = request.headers.get('x-forwarded-for')?.split(',').at(-1)?.trim() ?? '';
  return toResponse(answerOpenApi(services(), address));
}
