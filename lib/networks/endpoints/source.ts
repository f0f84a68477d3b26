// Identifies an endpoint's URL in the database. Operators reorder and replace endpoints, so a position in the settings does not
// identify the endpoint that reported something.

import { sha256 } from '@/lib/platform/crypto';

/** Enough to distinguish two URLs without revealing their keys. */
const DIGITS = 16;

export const endpointSource = (url: string): string => sha256(url).toString('hex').slice(0, DIGITS);
