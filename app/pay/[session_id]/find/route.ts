// The payment finder of a session as JSON, for the customer's programs; the hosted page shows the same in words.

import { answerPublicFind } from '@/lib/api/public/find';
import { clientAddress } from '@/lib/api/client-address';
import { services } from '@/lib/api/services';
import { toResponse } from '@/lib/api/adapters/next-adapter';

type Route = { readonly params: Promise<{ session_id: string }> };

export async function GET(request: Request, { params }: Route): Promise<Response> {
  const { session_id: sessionId } = await params;
  const address = clientAddress(request.headers);
  const query = new URL(request.url).search.slice(1);
  return toResponse(await answerPublicFind(services(), { sessionId, query, address }));
}
