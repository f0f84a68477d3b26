// The names of the cookies of signing in. They tell nothing of who is signed in, so that pages may ask whether one is there.

import type { Config } from '@/lib/config';

/** Cookies of next-auth and, the last, our own. Browsers keep `__Host-` for this host, https and every path alone. */
export function cookieNames({ PUBLIC_URL }: Pick<Config, 'PUBLIC_URL'>) {
  const isSecure = PUBLIC_URL.startsWith('https:');
  const prefix = isSecure ? '__Host-stabletill' : 'stabletill';
  const options = { httpOnly: true, sameSite: 'lax', path: '/', secure: isSecure } as const;
  return {
    sessionToken: { name: `${prefix}-login`, options },
    csrfToken: { name: `${prefix}-csrf`, options },
    callbackUrl: { name: `${prefix}-return`, options },
    knownDevice: { name: `${prefix}-device`, options },
  };
}
