// Passwords at rest: Argon2id with the parameters that OWASP's Password Storage Cheat Sheet names first among equals
// (19 MiB, 2 passes, 1 lane). The text is brought to one Unicode form first, so that every keyboard types the same one.

import { hash, verify } from '@node-rs/argon2';

/** `algorithm` 2 is Argon2id; the package's enumeration exists in its types only. */
const ARGON2ID = { algorithm: 2, memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;
/** More than anybody types; whatever is longer is refused before it costs anything, and never cut. */
export const LONGEST_PASSWORD = 256;
export const SHORTEST_PASSWORD = 10;

/** The hash of a password as text that carries its own parameters and salt. Throws RangeError for one of unfit length. */
export function hashPassword(password: string): Promise<string> {
  if (password.length < SHORTEST_PASSWORD || password.length > LONGEST_PASSWORD) {
    throw new RangeError(`a password has ${SHORTEST_PASSWORD} to ${LONGEST_PASSWORD} characters`);
  }
  return hash(password.normalize('NFKC'), ARGON2ID);
}

/**
 * Whether the password belongs to the hash. Give null for a user that does not exist: it answers false after the same work,
 * so that the time taken does not tell who has an account.
 */
export async function verifyPassword(passwordHash: string | null, password: string): Promise<boolean> {
  if (password.length > LONGEST_PASSWORD) return false;
  const matches = await verify(passwordHash ?? NOBODY, password.normalize('NFKC'));
  return matches && passwordHash !== null;
}

/** A hash with the same parameters whose password nobody has: 32 random bytes, thrown away. */
const NOBODY = '$argon2id$v=19$m=19456,t=2,p=1$t201zaBZeFogDxlU3CN5Ww$ctTA95Rp/NNlG7IM0BTA1w9bpOmBNsUJt4JimGS4b40';
