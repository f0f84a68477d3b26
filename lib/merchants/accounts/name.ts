// Display names of people: one line of visible text, or nothing.

import { ServiceError } from '@/lib/platform/errors/errors';

const LONGEST = 100;

/** Throws INVALID_PARAMETER for text that would not display as it is. */
export function checkName(text: string): string {
  const name = text.normalize('NFC').trim();
  if ([...name].length > LONGEST || /[\p{Cc}\p{Cs}\u2028-\u202e\u2066-\u2069]/u.test(name))
    throw new ServiceError('INVALID_PARAMETER', {
      param: 'name',
      message: `name must be at most ${LONGEST} visible characters.`,
    });
  return name;
}
