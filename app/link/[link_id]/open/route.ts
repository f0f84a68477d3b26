// Creates the session that the form of a payment link's page requests.

import { answerOpenLink } from '@/lib/api/public/open-link';
import { services } from '@/lib/api/services';
import { toResponse } from '@/lib/api/adapters/next-adapter';

type Route = { readonly params: Promise<{ link_id: string }> };

export async function POST(request: Request, { params }: Route): Promise<Response> {
  const { link_id } = await params;
  return toResponse(await answerOpenLink(services(), link_id, request));
}
