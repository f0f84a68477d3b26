// The cookie of a signed-in browser: a token encrypted by next-auth that carries only the value by which the login is found. A
// cookie that is unreadable, forged or expired counts as signed out.

import { hkdfSync } from 'node:crypto';
import { decode, encode, type JWTDecodeParams } from 'next-auth/jwt';
import type { Config } from '@/lib/platform/config/config';
import type { Context } from '@/lib/platform/context';
import { sealingVersion } from '@/lib/platform/crypto';
import { cookieNames, setCookie } from './cookie-names';
import { ABSOLUTE_SECONDS, findLogin, isToken, type Who } from './logins';

/** The user of a Cookie header; null when signed out. The login, the user and their roles are read each time. */
export async function signedInUser(context: Context, cookieHeader: string | null | undefined): Promise<Who | null> {
  const token = await tokenOf(context, cookieHeader);
  return token === null ? null : findLogin(context, token);
}

/** The login's value in a Cookie header; null when there is none that we made. */
export async function tokenOf(
  { config }: Pick<Context, 'config'>,
  cookieHeader: string | null | undefined,
): Promise<string | null> {
  const sealed = readCookie(cookieHeader ?? '', cookieNames(config).sessionToken.name);
  if (sealed === null) return null;
  const payload = await decodeToken(config, sealed);
  const token = payload?.token;
  return isToken(token) ? token : null;
}

/**
 * How our tokens begin: the only algorithm that next-auth seals with, and no wrapped key. The library would accept others too.
 */
const SEALED = `${Buffer.from('{"alg":"dir","enc":"A256GCM"}').toString('base64url')}..`;

/** A token of ours, opened with the master key that made it; null for any other. */
export async function decodeToken(config: Config, sealed: string): Promise<Record<string, unknown> | null> {
  if (!sealed.startsWith(SEALED)) return null;
  for (const version of config.MASTER_KEYS.keys()) {
    const payload = await opened({ token: sealed, secret: cookieSecret(config, version) });
    if (payload) return payload;
  }
  return null;
}

/** The library rejects with errors of many classes, which all mean the same. */
const opened = (params: JWTDecodeParams): Promise<Record<string, unknown> | null> =>
  decode(params).then(
    (payload) => (typeof payload === 'object' ? payload : null),
    () => null,
  );

/** A Set-Cookie header with a new value of the login, sealed as next-auth seals the first one. */
export async function loginCookie(config: Config, token: string): Promise<string> {
  const value = await encode({ token: { token }, secret: cookieSecret(config), maxAge: COOKIE_SECONDS });
  return setCookie(config, { cookie: 'sessionToken', value, seconds: COOKIE_SECONDS });
}

/** next-auth's encryption key, derived from a master key. */
export function cookieSecret({ MASTER_KEYS }: Pick<Config, 'MASTER_KEYS'>, version = sealingVersion(MASTER_KEYS)) {
  const key = MASTER_KEYS.get(version);
  if (!key) throw new Error(`master key version ${version} is not configured`);
  return Buffer.from(hkdfSync('sha256', key, '', 'stabletill login cookie', 32)).toString('base64');
}

/** Lifetime of the cookie in seconds; the login itself may end earlier. */
export const COOKIE_SECONDS = ABSOLUTE_SECONDS;

/** The value of a cookie that was sent exactly once. A second one of the same name was planted. */
export function readCookie(header: string, name: string): string | null {
  const values = header.split(';').flatMap((part) => {
    const [given, ...rest] = part.split('=');
    return given?.trim() === name ? [rest.join('=').trim()] : [];
  });
  return values.length === 1 ? (values[0] ?? null) : null;
}
