// The secret of a mail link, from the page's address.

import { readLink, type Purpose } from '@/lib/merchants/accounts/links';
import { services } from '@/lib/api/services';

export type LinkParams = Promise<{ token?: string | string[] }>;

/**
 * Null when the link is invalid or expired: the page then says so instead of showing a form. The form's own request
 * checks the link again.
 */
export async function linkToken(searchParams: LinkParams, purpose: Purpose): Promise<string | null> {
  const { token } = await searchParams;
  if (typeof token !== 'string') return null;
  const { pool, clock } = services();
  return (await readLink(pool, purpose, token, clock.now())) ? token : null;
}
