// Why a mail server took no mail, as one code: the server's own words may hold addresses and passwords. Pure.

import { getSystemErrorName } from 'node:util';

/**
 * `ETLS` where the connection could not be encrypted, a name of the operating system such as `ECONNREFUSED` where there was none, the
 * number that an SMTP server answered (`535`), or nodemailer's own code.
 */
export function mailTrouble(error: unknown): string {
  const { code, errno, responseCode } = (error ?? {}) as { code?: unknown; errno?: unknown; responseCode?: unknown };
  if (code === 'ETLS') return 'ETLS';
  // nodemailer calls every fault of a connection ESOCKET; those of the system have a number, and what is left is TLS.
  if (code === 'ESOCKET') return typeof errno === 'number' && errno < 0 ? getSystemErrorName(errno) : 'ETLS';
  if (typeof responseCode === 'number') return String(responseCode);
  return typeof code === 'string' && /^[A-Z_]{1,30}$/.test(code) ? code : 'no reason given';
}
