// Opens the sign-in form for browsers without scripts: sets the token that the form must carry, and redirects back.

import { newFormTokenCookie } from '@/lib/merchants/accounts/sign-in/form-token';
import { safePath } from '@/lib/merchants/accounts/sign-in/return-path';
import { services } from '@/lib/api/services';

export const dynamic = 'force-dynamic';

export function GET(request: Request): Response {
  const { config } = services();
  const next = safePath(new URL(request.url).searchParams.get('callbackUrl'), config.PUBLIC_URL);
  const query = new URLSearchParams({ callbackUrl: next, plain: '1' }).toString();
  const headers = {
    Location: `/login?${query}`,
    'Set-Cookie': newFormTokenCookie(config),
    'Cache-Control': 'no-store',
  };
  return new Response(null, { status: 303, headers });
}
