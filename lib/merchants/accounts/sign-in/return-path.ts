// Where somebody is sent after signing in: a path of this service, whatever was asked for (hardening D-22). Pure.

/** Request header by which proxy.ts tells a page its own path, so that signing in can lead back to it. */
export const PATH_HEADER = 'x-page-path';

/** The place without an origin, or the dashboard's when it would lead anywhere else. */
export function safePath(wish: string | null | undefined, publicUrl: string, otherwise = '/dashboard'): string {
  if (typeof wish !== 'string' || wish.length > 2000) return otherwise;
  // Browsers read a backslash as a slash and drop tabs and newlines, so a text with any of them is not what it looks like.
  if (/[\\\p{C}\s]/u.test(wish)) return otherwise;
  const text = wish.startsWith(`${publicUrl}/`) ? wish.slice(publicUrl.length) : wish;
  if (!text.startsWith('/') || text.startsWith('//')) return otherwise;
  const url = URL.canParse(text, publicUrl) ? new URL(text, publicUrl) : null;
  if (url === null || url.origin !== publicUrl || url.pathname.startsWith('//')) return otherwise;
  // What signs in, out, or changes something is no place to be sent to.
  if (url.pathname === '/api' || url.pathname.startsWith('/api/')) return otherwise;
  return `${url.pathname}${url.search}${url.hash}`;
}
