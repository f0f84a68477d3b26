// Whether this is a sandbox on one's own machine, as `npm start` makes it: the only place where mails are shown to everybody and
// the demo's operator needs no second factor and no colleague of long standing. A sandbox at a public address is none.

import type { Config } from './config';

/** True for a sandbox that is reached at this machine's own address, and for nothing else. */
export const isOwnSandbox = ({ SANDBOX_ORIGIN, PUBLIC_URL }: Pick<Config, 'SANDBOX_ORIGIN' | 'PUBLIC_URL'>): boolean =>
  SANDBOX_ORIGIN !== undefined && /^(127\.0\.0\.1|localhost|\[::1\])$/.test(new URL(PUBLIC_URL).hostname);
