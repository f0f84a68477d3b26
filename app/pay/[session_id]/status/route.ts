// The public status of a session, for hosts that run Next alone; server.ts serves it without Next.

import { answerPublicStatus } from '@/lib/api/public/session-status';
import { services } from '@/lib/api/services';
import { toResponse } from '@/lib/api/adapters/next-adapter';

type Route = { readonly params: Promise<{ session_id: string }> };

export async function GET(request: Request, { params }: Route): Promise<Response> {
  const { session_id } = await params;
  // The host in front of Next names the client; Next itself exposes no peer address.
  const address = request.headers.get('x-forwarded-for')?.split(',').at(-1)?.trim() ?? '';
  return toResponse(await answerPublicStatus(services(), session_id, address));
}
