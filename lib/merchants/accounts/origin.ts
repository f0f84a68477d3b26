// Whether a page of this service made a state-changing request. Browsers state a request's origin in headers that no page can
// set. The cookie's SameSite is only the second defence.

import type { Config } from '@/lib/platform/config/config';
import { ServiceError } from '@/lib/platform/errors/errors';

/**
 * Throws origin_refused for reads from another site's page. Otherwise the audit log would show an export that it started as the
 * merchant's.
 */
export function checkReader(header: (name: string) => string | null | undefined): void {
  if (header('sec-fetch-site') === 'cross-site') throw new ServiceError('origin_refused');
}

/**
 * Throws origin_refused unless Sec-Fetch-Site says same-origin, or Origin names the public address; neither may contradict. A
 * page's plain form sends `Origin: null` under our Referrer-Policy, which alone proves nothing.
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
