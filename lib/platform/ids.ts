// Identifiers. Random parts carry at least 128 bits from the system's generator.

import { randomBytes } from 'node:crypto';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** Random bytes at or above this would favour some characters, so they are drawn again. */
const UNBIASED = 256 - (256 % ALPHABET.length);
/** 22 characters of 62 carry 130 bits. */
const RANDOM_LENGTH = 22;

export type Environment = 'live' | 'test';

/** Random bytes are drawn in bulk: one system call serves a hundred ids. */
const DRAWN_BYTES = 4096;
let drawn = Buffer.alloc(0);
let used = 0;

function randomByte(): number {
  if (used === drawn.length) [drawn, used] = [randomBytes(DRAWN_BYTES), 0];
  return drawn[used++] as number;
}

/** Random text of letters and digits; 22 characters carry 130 bits. */
export function randomText(length = RANDOM_LENGTH): string {
  let text = '';
  while (text.length < length) {
    const byte = randomByte();
    if (byte < UNBIASED) text += ALPHABET[byte % ALPHABET.length];
  }
  return text;
}

export const newSessionId = (environment: Environment): string => `cs_${environment}_${randomText()}`;
/** Id of a payment link. Anyone who has it may open the link, so it is as hard to guess as a session's id. */
export const newPaymentLinkId = (environment: Environment): string => `pl_${environment}_${randomText()}`;
export const newReceiptNumber = (): string => `rcp_${randomText()}`;
/** The secret of a claim link, where a customer names the address of a refund. 43 characters carry 256 bits. */
export const newClaimToken = (): string => randomText(43);
export const newPayoutAddressId = (): string => `pa_${randomText()}`;
/** The secret of the link that stops a payout address. 43 characters carry 256 bits. */
export const newStopToken = (): string => randomText(43);
export const newRequestId = (): string => `req_${randomText()}`;
export const newStoreId = (): string => `st_${randomText()}`;
export const newApiKey = (environment: Environment): string => `ak_${environment}_${randomText(32)}`;
export const newApiSecret = (environment: Environment): string => `as_${environment}_${randomText(43)}`;
export const newWebhookSecret = (): string => `whsec_${randomText(43)}`;

/** Grammar of a session id. The check keeps all other text from the database. */
export const isSessionId = (text: string): boolean => /^cs_(live|test)_[0-9A-Za-z]{16,64}$/.test(text);

/** Grammar of a payment link's id. */
export const isPaymentLinkId = (text: string): boolean => /^pl_(live|test)_[0-9A-Za-z]{16,64}$/.test(text);

/** Grammar of a payout address's id and of the token that stops it. */
export const isPayoutAddressId = (text: string): boolean => /^pa_[0-9A-Za-z]{22}$/.test(text);
export const isStopToken = (text: string): boolean => /^[0-9A-Za-z]{43}$/.test(text);

/** Grammar of a receipt number and of a claim token. */
export const isReceiptNumber = (text: string): boolean => /^rcp_[0-9A-Za-z]{16,64}$/.test(text);
export const isClaimToken = (text: string): boolean => /^[0-9A-Za-z]{43}$/.test(text);

let lastNanoseconds = 0n;

/**
 * `evt_` and the time in nanoseconds (19 digits), greater than every earlier id of this process. Two processes collide only by
 * drawing the same microsecond and filler; the events table's key then refuses the second.
 */
export function newEventId(now: Date): string {
  const filler = BigInt(randomBytes(4).readUInt32BE() % 1_000_000);
  const nanoseconds = BigInt(now.getTime()) * 1_000_000n + filler;
  lastNanoseconds = nanoseconds > lastNanoseconds ? nanoseconds : lastNanoseconds + 1n;
  return `evt_${lastNanoseconds}`;
}
