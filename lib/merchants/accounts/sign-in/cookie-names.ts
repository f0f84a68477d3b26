// The cookies of signing in: their names and how they are set. The names tell nothing of who is signed in, so that pages may ask
// whether one is there.

import type { Config } from '@/lib/platform/config/config';

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

/** A Set-Cookie header for one of them. */
export function setCookie(
  config: Pick<Config, 'PUBLIC_URL'>,
  { cookie, value, seconds }: { cookie: keyof ReturnType<typeof cookieNames>; value: string; seconds: number },
): string {
  const { name, options } = cookieNames(config)[cookie];
  const secure = options.secure ? '; Secure' : '';
  return `${name}=${value}; Path=${options.path}; Max-Age=${seconds}; HttpOnly; SameSite=Lax${secure}`;
}
