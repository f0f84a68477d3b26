// The public status as JSON, for hosts that run Next alone; server.ts serves it without Next.

import { services } from '@/lib/api/services';
import { answerStatus } from '@/lib/api/public/status';
import { toResponse } from '@/lib/api/adapters/next-adapter';

export const dynamic = 'force-dynamic';

export async function GET(request: Request): Promise<Response> {
  // The host in front of Next names the client; Next itself exposes no peer address.
  const address = request.headers.get('x-forwarded-for')?.split(',').at(-1)?.trim() ?? '';
  return toResponse(await answerStatus(services(), address));
}
