// Rules for the text and web addresses that merchants enter about their stores. Each returns the value to store, or throws
// INVALID_PARAMETER with the field's name.

import { ServiceError } from '@/lib/platform/errors/errors';
import { looksLikeLink } from '@/lib/platform/link-text';

const LONGEST_URL = 2048;

/** Visible text of 1 to `longest` characters. Outer spaces are removed and Unicode is composed. */
export function checkText(param: string, value: string, longest: number): string {
  const text = value.normalize('NFC').trim();
  // Control characters and bidirectional controls could make a name look like another one.
  if (text === '' || [...text].length > longest || /[\p{Cc}\p{Cs}\u2028-\u202e\u2066-\u2069]/u.test(text)) {
    throw new ServiceError('INVALID_PARAMETER', {
      param,
      message: `${param} must be 1 to ${longest} visible characters.`,
    });
  }
  return text;
}

/** Invisible characters. The two joiners are part of names in Persian and Hindi, and of emoji. */
const INVISIBLE = /(?![\u200c\u200d])\p{Cf}/u;

/** A store's name. This service's mails show it, so it must not contain a link. */
export function checkStoreName(param: string, value: string, longest: number): string {
  const name = checkText(param, value, longest);
  if (looksLikeLink(name) || INVISIBLE.test(name)) {
    throw new ServiceError('INVALID_PARAMETER', {
      param,
      message: `${param} must not hold a web address, an e-mail address or invisible characters. The website has its own field.`,
    });
  }
  return name;
}

/** An absolute https or http address without credentials, in its normal form. */
export function checkWebsite(param: string, value: string): string {
  const url = value.length <= LONGEST_URL && URL.canParse(value) ? new URL(value) : null;
  if (!url || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') {
    throw new ServiceError('INVALID_PARAMETER', { param, message: `${param} must be an https address.` });
  }
  return url.href;
}
