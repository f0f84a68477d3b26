// Identifiers (decisions: Environments and keys). Random parts carry at least 128 bits from the system's generator.

import { randomBytes } from 'node:crypto';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** Random bytes at or above this would favour some characters, so they are drawn again. */
const UNBIASED = 256 - (256 % ALPHABET.length);
/** 22 characters of 62 carry 130 bits. */
const RANDOM_LENGTH = 22;

export type Environment = 'live' | 'test';

/** Random text of letters and digits; 22 characters carry 130 bits. */
export function randomText(length = RANDOM_LENGTH): string {
  let text = '';
  while (text.length < length) {
    for (const byte of randomBytes(length + 8)) {
      if (byte < UNBIASED && text.length < length) text += ALPHABET[byte % ALPHABET.length];
    }
  }
  return text;
}

export const newSessionId = (environment: Environment): string => `cs_${environment}_${randomText()}`;
export const newRequestId = (): string => `req_${randomText()}`;
export const newStoreId = (): string => `st_${randomText()}`;
export const newApiKey = (environment: Environment): string => `ak_${environment}_${randomText(32)}`;
export const newApiSecret = (environment: Environment): string => `as_${environment}_${randomText(43)}`;
export const newWebhookSecret = (): string => `whsec_${randomText(43)}`;

/** Grammar of a session id, so that nothing else reaches the database as one. */
export const isSessionId = (text: string): boolean => /^cs_(live|test)_[0-9A-Za-z]{16,64}$/.test(text);

let lastNanoseconds = 0n;

/**
 * `evt_` and the time in nanoseconds (19 digits), greater than every one this process gave before. Two processes can
 * meet on one only by drawing the same microsecond and filler; the events table's key then refuses the second.
 */
export function newEventId(now: Date): string {
  const filler = BigInt(randomBytes(4).readUInt32BE() % 1_000_000);
  const drawn = BigInt(now.getTime()) * 1_000_000n + filler;
  lastNanoseconds = drawn > lastNanoseconds ? drawn : lastNanoseconds + 1n;
  return `evt_${lastNanoseconds}`;
}
