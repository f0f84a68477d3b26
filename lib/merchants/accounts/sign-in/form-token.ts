// The CSRF token that next-auth requires in its form, for browsers without scripts. With scripts the page fetches it (GET
// /api/auth/csrf); without them the server renders it into the form. The cookie holds the token and its keyed digest, in
// next-auth's form.

import { randomBytes } from 'node:crypto';
import type { Config } from '@/lib/platform/config/config';
import { sameBytes, sha256 } from '@/lib/platform/crypto';
import { cookieSecret, readCookie } from './cookie';
import { cookieNames } from './cookie-names';

const digestOf = (config: Config, token: string): string => sha256(`${token}${cookieSecret(config)}`).toString('hex');

/** A Set-Cookie header with a new token. It ends when the browser closes. */
export function newFormTokenCookie(config: Config): string {
  const { name, options } = cookieNames(config).csrfToken;
  const token = randomBytes(32).toString('hex');
  const value = encodeURIComponent(`${token}|${digestOf(config, token)}`);
  return `${name}=${value}; Path=${options.path}; HttpOnly; SameSite=Lax${options.secure ? '; Secure' : ''}`;
}

/** The token of a Cookie header; null when neither we nor next-auth made one. */
export function formToken(config: Config, cookieHeader: string | null): string | null {
  const value = readCookie(cookieHeader ?? '', cookieNames(config).csrfToken.name);
  const [, token, digest] = /^([0-9a-f]{64})(?:\||%7C)([0-9a-f]{64})$/.exec(value ?? '') ?? [];
  if (token === undefined || digest === undefined) return null;
  return sameBytes(Buffer.from(digest), Buffer.from(digestOf(config, token))) ? token : null;
}
