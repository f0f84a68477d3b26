// What stands for an endpoint's address in the database. Operators reorder and replace endpoints, so a place in the settings does not
// say which endpoint reported something.

import { sha256 } from '@/lib/platform/crypto';

/** Enough to tell two addresses apart, and nothing of the key in them. */
const DIGITS = 16;

export const endpointSource = (url: string): string => sha256(url).toString('hex').slice(0, DIGITS);
