// Keeps the address for refunds that the page above has shown back.

import { answerGiveAddress } from '@/lib/api/give-address';
import { services } from '@/lib/api/services';
import { toResponse } from '@/lib/api/web-door';

type Route = { readonly params: Promise<{ session_id: string }> };

export async function POST(request: Request, { params }: Route): Promise<Response> {
  const { session_id: sessionId } = await params;
  return toResponse(await answerGiveAddress(services(), { place: { sessionId }, request }));
}
