// Mails the receipt of a payment when the form on its page is sent.

import type { NextRequest } from 'next/server';
import { answerMailReceipt } from '@/lib/api/public/mail-receipt';
import { services } from '@/lib/api/services';
import { toResponse } from '@/lib/api/adapters/next-adapter';
import { getWords } from '@/lib/i18n/translate';
import { isTlsUrl, pageCookieName } from '@/lib/platform/security/page-cookies';

type Route = { readonly params: Promise<{ session_id: string }> };

export async function POST(request: NextRequest, { params }: Route): Promise<Response> {
  const [{ session_id: sessionId }, words] = await Promise.all([params, getWords()]);
  const name = pageCookieName('payer', isTlsUrl(services().config.PUBLIC_URL));
  const payerToken = request.cookies.get(name)?.value;
  return toResponse(await answerMailReceipt(services(), { sessionId, request, payerToken, words }));
}
