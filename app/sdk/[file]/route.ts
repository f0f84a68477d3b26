// The SDK for merchants' servers: `npm install https://pay.example.com/sdk/stabletill-sdk.tgz`. A JSON file next to the
// tarball holds its version and hash.

import { config } from '@/lib/platform/config/config';
import { DESCRIPTION, readDescription, readTarball, TARBALL } from '@/app/sdk/package';

export const dynamic = 'force-dynamic';

/** Short, because a release of the service replaces the tarball. */
const FRESH_SECONDS = 300;

type Props = { readonly params: Promise<{ file: string }> };

export async function GET(request: Request, { params }: Props): Promise<Response> {
  const { file } = await params;
  if (file !== TARBALL && file !== DESCRIPTION) return new Response('Not found\n', { status: 404 });
  const description = await readDescription();
  const headers = {
    'Cache-Control': `public, max-age=${FRESH_SECONDS}`,
    'X-Content-Type-Options': 'nosniff',
    ETag: `"${description.integrity}"`,
  };
  if (request.headers.get('if-none-match') === headers.ETag) return new Response(null, { status: 304, headers });
  if (file === DESCRIPTION)
    return Response.json({ ...description, tarball: `${config().PUBLIC_URL}/sdk/${TARBALL}` }, { headers });
  const tarball = new Uint8Array(await readTarball());
  return new Response(tarball, { headers: { ...headers, 'Content-Type': 'application/gzip' } });
}
