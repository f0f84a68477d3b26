// The names of the cookies that pages set in addition to the sign-in. Over https they carry a prefix, so that neither another
// host of the domain nor a page without TLS can set them.

/** `__Host-` requires the path `/`; the other two belong to the payment pages only. */
const PREFIXES = {
  lang: '__Host-',
  theme: '__Host-',
  code: '__Host-',
  method: '__Secure-',
  payer: '__Secure-',
} as const;

export type PageCookie = keyof typeof PREFIXES;

/** `isTls`: whether PUBLIC_URL is https. Browsers refuse the prefixes on plain http, which `npm start` uses. */
export const pageCookieName = (cookie: PageCookie, isTls: boolean): string =>
  isTls ? `${PREFIXES[cookie]}${cookie}` : cookie;

export const isTlsUrl = (url: string): boolean => url.startsWith('https:');
