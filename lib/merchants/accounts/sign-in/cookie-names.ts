// The names and attributes of the sign-in cookies. The names reveal nothing about the user, so pages may check whether a cookie
// is present.

import type { Config } from '@/lib/platform/config/config';

/** Cookies of next-auth and, the last, our own. Browsers restrict `__Host-` to this host, https and every path. */
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
