// Saves the refund address that the claim page has shown for comparison.

import { answerRefundAddress } from '@/lib/api/public/refund-address';
import { services } from '@/lib/api/services';
import { toResponse } from '@/lib/api/adapters/next-adapter';

type Route = { readonly params: Promise<{ token: string }> };

export async function POST(request: Request, { params }: Route): Promise<Response> {
  const { token } = await params;
  return toResponse(await answerRefundAddress(services(), { place: { claimToken: token }, request }));
}
