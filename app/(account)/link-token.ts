// The secret of a mail's link, as the page was opened with it.

import { readLink, type Purpose } from '@/lib/merchants/accounts/links';
import { services } from '@/lib/api/services';

export type LinkParams = Promise<{ token?: string | string[] }>;

/**
 * Null when the link opens nothing (any more): the page then says so instead of showing a form. Whether it opens
 * something when the form is sent is for that request to find out.
 */
export async function linkToken(searchParams: LinkParams, purpose: Purpose): Promise<string | null> {
  const { token } = await searchParams;
  if (typeof token !== 'string') return null;
  const { pool, clock } = services();
  return (await readLink(pool, purpose, token, clock.now())) ? token : null;
}
