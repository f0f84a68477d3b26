// An error as text for operators and the database. It contains no endpoint URL, which may hold a key, and nothing that looks
// like a secret.

import { sqlState, violatedConstraint } from '@/lib/platform/database/db';

const LONGEST = 500;
/** Prefixes of our own secrets (lib/platform/ids), and any text as long as 32 encoded random bytes. */
const SECRETS = /\b(?:ak_|as_|whsec_)\w+|[A-Za-z0-9+/=_-]{43,}/g;

/** One line of at most 500 characters. */
export function errorText(error: unknown): string {
  const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  const details = [sqlState(error), violatedConstraint(error)].filter((part) => part !== null).join(' ');
  return `${details === '' ? '' : `${details} `}${text}`
    .replaceAll(/\b[a-z][a-z0-9+.-]*:\/\/\S+/gi, '…')
    .replaceAll(/\p{Cc}+/gu, ' ')
    .replaceAll(SECRETS, '…')
    .slice(0, LONGEST);
}
