// Stores passwords as Argon2id hashes with the first parameters of OWASP's Password Storage Cheat Sheet (19 MiB, 2 passes, 1
// lane). The text is first normalized to one Unicode form, so that every keyboard types the same one.

import { hash, verify } from '@node-rs/argon2';

/** `algorithm` 2 is Argon2id; the package's enumeration exists in its types only. */
const ARGON2ID = { algorithm: 2, memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;
/** Longer than any typed password. Longer text is refused before hashing, and never truncated. */
export const LONGEST_PASSWORD = 256;
export const SHORTEST_PASSWORD = 10;

/** The hash of a password, as text that carries its parameters and salt. Throws RangeError for an invalid length. */
export function hashPassword(password: string): Promise<string> {
  if (password.length < SHORTEST_PASSWORD || password.length > LONGEST_PASSWORD) {
    throw new RangeError(`a password has ${SHORTEST_PASSWORD} to ${LONGEST_PASSWORD} characters`);
  }
  return hash(password.normalize('NFKC'), ARGON2ID);
}

/**
 * Whether the password matches the hash. Pass null for a user that does not exist: it returns false after the same work, so
 * that the time does not reveal who has an account.
 */
export async function verifyPassword(passwordHash: string | null, password: string): Promise<boolean> {
  if (password.length > LONGEST_PASSWORD) return false;
  const matches = await verify(passwordHash ?? UNKNOWN_USER_HASH, password.normalize('NFKC'));
  return matches && passwordHash !== null;
}

/** A hash with the same parameters of 32 random bytes that were discarded, so no password matches it. */
const UNKNOWN_USER_HASH =
  '$argon2id$v=19$m=19456,t=2,p=1$t201zaBZeFogDxlU3CN5Ww$ctTA95Rp/NNlG7IM0BTA1w9bpOmBNsUJt4JimGS4b40';
