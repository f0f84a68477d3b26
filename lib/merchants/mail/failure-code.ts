// Why a mail server refused a mail, as one code. The server's own text may hold addresses and passwords. Pure.

import { getSystemErrorName } from 'node:util';

/**
 * `ETLS` when the connection could not be encrypted; a system error such as `ECONNREFUSED` when there was no connection; the
 * number that an SMTP server answered (`535`); or nodemailer's own code.
 */
export function mailFailureCode(error: unknown): string {
  const { code, errno, responseCode } = (error ?? {}) as { code?: unknown; errno?: unknown; responseCode?: unknown };
  if (code === 'ETLS') return 'ETLS';
  // nodemailer reports every connection fault as ESOCKET. System errors have a number; the rest is TLS.
  if (code === 'ESOCKET') return typeof errno === 'number' && errno < 0 ? getSystemErrorName(errno) : 'ETLS';
  if (typeof responseCode === 'number') return String(responseCode);
  return typeof code === 'string' && /^[A-Z_]{1,30}$/.test(code) ? code : 'no reason given';
}
