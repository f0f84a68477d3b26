// A store's logo by its hash, immutable. Whatever the bytes are, a browser may only display them as a picture.

import { pool } from '@/lib/platform/database/db';
import { readLogo } from '@/lib/merchants/branding/logo';

type Route = { readonly params: Promise<{ hash: string }> };

const SAFE = {
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
  'Cross-Origin-Resource-Policy': 'same-origin',
};

export async function GET(_request: Request, { params }: Route): Promise<Response> {
  const { hash } = await params;
  const logo = await readLogo(pool(), hash);
  if (!logo) return new Response(null, { status: 404, headers: { ...SAFE, 'Cache-Control': 'no-store' } });
  return new Response(new Uint8Array(logo.bytes), {
    headers: { ...SAFE, 'Content-Type': logo.type, 'Cache-Control': 'public, max-age=31536000, immutable' },
  });
}
