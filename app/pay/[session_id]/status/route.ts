// The public status of a session, for hosts that run Next alone; server.ts answers the same without Next.

import { errorResponse, toServiceError } from '@/lib/api/answer';
import { services } from '@/lib/api/services';
import type { ApiResponse } from '@/lib/http';
import { newRequestId } from '@/lib/ids';
import { publicStatusAnswer, readCheckout } from '@/lib/sessions/checkout-view';

type Route = { readonly params: Promise<{ session_id: string }> };

export async function GET(_request: Request, { params }: Route): Promise<Response> {
  const { session_id } = await params;
  const requestId = newRequestId();
  try {
    return webResponse(publicStatusAnswer(await readCheckout(services(), session_id)), requestId);
  } catch (error) {
    return webResponse(errorResponse(services(), toServiceError(services(), error, requestId), requestId), requestId);
  }
}

const webResponse = ({ status, headers, body }: ApiResponse, requestId: string): Response =>
  new Response(body, { status, headers: { ...headers, 'X-Request-Id': requestId } });
