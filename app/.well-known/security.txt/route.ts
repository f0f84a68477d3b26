// The contact for reporting a vulnerability (RFC 9116); 404 unless SECURITY_CONTACT is set.

import { systemClock } from '@/lib/platform/clock';
import { config } from '@/lib/platform/config/config';
import { SAFE_HEADERS } from '@/lib/platform/http';
import { securityTxt } from '@/lib/platform/security/security-txt';

export const dynamic = 'force-dynamic';

export function GET(): Response {
  const { SECURITY_CONTACT: contact, PUBLIC_URL: publicUrl } = config();
  if (contact === undefined) return new Response(null, { status: 404, headers: SAFE_HEADERS });
  const text = securityTxt({ contact, publicUrl, now: systemClock.now() });
  return new Response(text, { headers: { ...SAFE_HEADERS, 'Content-Type': 'text/plain; charset=utf-8' } });
}
