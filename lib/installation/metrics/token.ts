// Who may read the metrics: the bearer of METRICS_TOKEN. Without one in the settings, no request may.

import { sameBytes, sha256 } from '@/lib/platform/crypto';
import type { Config } from '@/lib/platform/config/config';

/** `authorization`: the header of the request. Compared in constant time. */
export function isMetricsToken(
  { METRICS_TOKEN: token }: Pick<Config, 'METRICS_TOKEN'>,
  authorization: string | null,
): boolean {
  const given = /^Bearer (.+)$/.exec(authorization ?? '')?.[1] ?? '';
  return token !== undefined && sameBytes(sha256(given), sha256(token));
}
