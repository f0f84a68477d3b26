// The script that opens the hosted page in a pop-up or a frame of a shop, as built from components/embed.

import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';

export const dynamic = 'force-dynamic';

/** Short, so that shops get a fixed script within minutes. */
const FRESH_SECONDS = 300;

let script: Promise<{ text: string; tag: string }> | undefined;

export async function GET(request: Request): Promise<Response> {
  const { text, tag } = await (script ??= load());
  const headers = {
    'Content-Type': 'text/javascript; charset=utf-8',
    'X-Content-Type-Options': 'nosniff',
    // Any shop may load it; it can do nothing that the shop could not.
    'Cross-Origin-Resource-Policy': 'cross-origin',
    'Access-Control-Allow-Origin': '*',
    'Cache-Control': `public, max-age=${FRESH_SECONDS}`,
    ETag: tag,
  };
  if (request.headers.get('if-none-match') === tag) return new Response(null, { status: 304, headers });
  return new Response(text, { headers });
}

async function load() {
  const text = await readFile(path.join(process.cwd(), 'dist', 'embed.js'), 'utf8');
  return { text, tag: `"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"` };
}
