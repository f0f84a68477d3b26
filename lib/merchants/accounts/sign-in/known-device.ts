// The cookie of a browser that has signed in to an account before (OWASP: device cookies). Its attempts have a separate
// counter, so strangers who guess passwords lock out themselves and never the owner, wherever the owner is. It does not sign
// in.

import { openSecret, sealSecret } from '@/lib/platform/crypto';
import type { Config } from '@/lib/platform/config/config';
import { randomText } from '@/lib/platform/ids';
import { readCookie } from './cookie';
import { cookieNames, setCookie } from './cookie-names';

/** `id`: the counter's name, one for each account and browser. */
export type KnownDevice = { readonly userId: string; readonly id: string };

/** Half a year: people rarely return after longer, and a lockout lasts a quarter of an hour. */
const KEPT_SECONDS = 180 * 86_400;
const PURPOSE = 'known device';

/** The device of a Cookie header; null when there is none that we made. */
export function knownDevice(config: Config, cookieHeader: string | undefined): KnownDevice | null {
  const value = readCookie(cookieHeader ?? '', cookieNames(config).knownDevice.name);
  const [userId, id] = value === null ? [] : (opened(config, value)?.split(' ') ?? []);
  return userId === undefined || id === undefined ? null : { userId, id };
}

/**
 * A Set-Cookie header for a browser on which this user signed in. A browser that the user used before stays the same device.
 */
export function knownDeviceCookie(config: Config, userId: string, former: KnownDevice | null): string {
  const id = former?.userId === userId ? former.id : randomText();
  const value = sealSecret(config.MASTER_KEYS, `${userId} ${id}`, PURPOSE).toString('base64url');
  return setCookie(config, { cookie: 'knownDevice', value, seconds: KEPT_SECONDS });
}

/** Short input, an unknown key version and altered bytes throw errors of many classes, which all mean the same. */
function opened({ MASTER_KEYS }: Config, value: string): string | null {
  try {
    return openSecret(MASTER_KEYS, Buffer.from(value, 'base64url'), PURPOSE);
  } catch {
    return null;
  }
}
