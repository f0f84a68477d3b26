// Saves the refund address that the page above has shown for comparison.

import type { NextRequest } from 'next/server';
import { answerRefundAddress } from '@/lib/api/public/refund-address';
import { services } from '@/lib/api/services';
import { toResponse } from '@/lib/api/adapters/next-adapter';
import { isTlsUrl, pageCookieName } from '@/lib/platform/security/page-cookies';

type Route = { readonly params: Promise<{ session_id: string }> };

export async function POST(request: NextRequest, { params }: Route): Promise<Response> {
  const { session_id: sessionId } = await params;
  const name = pageCookieName('payer', isTlsUrl(services().config.PUBLIC_URL));
  const payerToken = request.cookies.get(name)?.value;
  return toResponse(await answerRefundAddress(services(), { place: { sessionId }, request, payerToken }));
}
