// Where a user goes after signing in: always a path of this service, whatever was requested. Pure.

/** Request header in which proxy.ts passes a page its own path, so that signing in can lead back to it. */
export const PATH_HEADER = 'x-page-path';

/** The path without an origin, or the dashboard's path when it would lead elsewhere. */
export function safePath(wish: string | null | undefined, publicUrl: string, otherwise = '/dashboard'): string {
  if (typeof wish !== 'string' || wish.length > 2000) return otherwise;
  // Browsers read a backslash as a slash and drop tabs and newlines, so a text with any of them is not what it seems.
  if (/[\\\p{C}\s]/u.test(wish)) return otherwise;
  const text = wish.startsWith(`${publicUrl}/`) ? wish.slice(publicUrl.length) : wish;
  if (!text.startsWith('/') || text.startsWith('//')) return otherwise;
  const url = URL.canParse(text, publicUrl) ? new URL(text, publicUrl) : null;
  if (url === null || url.origin !== publicUrl || url.pathname.startsWith('//')) return otherwise;
  // Paths that sign in, sign out or change something are not valid destinations.
  if (url.pathname === '/api' || url.pathname.startsWith('/api/')) return otherwise;
  return `${url.pathname}${url.search}${url.hash}`;
}
