// Whether a request that changes something was made by a page of this service (hardening D-01). Browsers say where a request
// comes from in headers that no page can set; the cookie's SameSite is the second wall, not the first.

import type { Config } from '@/lib/platform/config/config';
import { ServiceError } from '@/lib/platform/errors/errors';

/** Throws origin_refused for what another site's page reads: an export it starts would be in the audit log as the merchant's. */
export function checkReader(header: (name: string) => string | null | undefined): void {
  if (header('sec-fetch-site') === 'cross-site') throw new ServiceError('origin_refused');
}

/**
 * Throws origin_refused unless Sec-Fetch-Site says the same origin, or Origin names the public address; neither may say
 * otherwise. A page's plain form says `Origin: null` under our Referrer-Policy, which alone proves nothing.
 */
export function checkOrigin(
  { PUBLIC_URL }: Pick<Config, 'PUBLIC_URL'>,
  header: (name: string) => string | null | undefined,
): void {
  const [site, origin] = [header('sec-fetch-site') ?? null, header('origin') ?? null];
  const isSame = site === 'same-origin' || (site === null && origin === PUBLIC_URL);
  const isForeign = origin !== null && origin !== 'null' && origin !== PUBLIC_URL;
  if (!isSame || isForeign)
    throw new ServiceError('origin_refused', {
      message: `The request was not made by a page of this service. Use it at ${PUBLIC_URL}.`,
    });
}
