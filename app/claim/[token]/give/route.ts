// Saves the refund address that the claim page has shown for comparison.

import { answerGiveAddress } from '@/lib/api/public/give-address';
import { services } from '@/lib/api/services';
import { toResponse } from '@/lib/api/adapters/next-adapter';

type Route = { readonly params: Promise<{ token: string }> };

export async function POST(request: Request, { params }: Route): Promise<Response> {
  const { token } = await params;
  return toResponse(await answerGiveAddress(services(), { place: { claimToken: token }, request }));
}
