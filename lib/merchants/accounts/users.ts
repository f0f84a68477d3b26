// People who sign in: operators and merchants. Every spelling of an e-mail address is one account. Only plain ASCII is
// accepted, so that no look-alike of another person's address can be registered.

import { randomUUID } from 'node:crypto';
import type { Context } from '@/lib/platform/context';
import { sqlState, SqlState } from '@/lib/platform/database/db';
import { prismaOn } from '@/lib/platform/database/prisma';
import { ServiceError } from '@/lib/platform/errors/errors';
import type { UserRole } from '@/prisma/generated/enums';
import { isCommonPassword } from './password/common-passwords';
import { hashPassword, LONGEST_PASSWORD, SHORTEST_PASSWORD } from './password/password';

/** The e-mail address already has an account. */
export class EmailTaken extends Error {
  override readonly name = 'EmailTaken';
}

/** RFC 5321: the longest address that fits a mail path. */
const LONGEST_EMAIL = 254;
const LONGEST_LOCAL_PART = 64;
const EMAIL =
  /^[a-z0-9!#$%&'*+/=?^_`{|}~-]{1,64}(\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*@([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]$/;

/** Creates an account. Throws INVALID_PARAMETER for an invalid e-mail or password, EmailTaken when the address has one. */
export async function createUser(
  { pool, clock }: Pick<Context, 'pool' | 'clock'>,
  user: { email: string; password: string; role: UserRole },
): Promise<{ id: string; email: string }> {
  const email = checkEmail(user.email);
  await checkNewPassword(user.password, email);
  const id = randomUUID();
  const passwordHash = await hashPassword(user.password);
  const createdAt = clock.now();
  const prisma = await prismaOn(pool);
  try {
    // Callers of this have verified the address. lib/merchants/accounts/sign-up handles people who sign up themselves.
    await prisma.user.create({
      data: { id, email, passwordHash, role: user.role, createdAt, emailConfirmedAt: createdAt },
      select: { id: true },
    });
  } catch (error) {
    if (sqlState(error) === SqlState.uniqueViolation)
      throw new EmailTaken('this e-mail address has an account', { cause: error });
    throw error;
  }
  return { id, email };
}

/** Throws INVALID_PARAMETER for a password of invalid length, a common one, or the address itself. */
export async function checkNewPassword(password: string, email: string): Promise<void> {
  if (password.length < SHORTEST_PASSWORD || password.length > LONGEST_PASSWORD) {
    const message = `password must have ${SHORTEST_PASSWORD} to ${LONGEST_PASSWORD} characters.`;
    throw new ServiceError('INVALID_PARAMETER', { param: 'password', message });
  }
  if (await isCommonPassword(password, [email, ...email.split('@')])) {
    const message =
      'password is one of those that are guessed first. Use several unrelated words, or let a password manager make one.';
    throw new ServiceError('INVALID_PARAMETER', { param: 'password', message });
  }
}

/** The canonical form of an e-mail address, in lower case; null when it is not accepted. */
export function normalEmail(text: string): string | null {
  const typed = text.trim();
  // Refuse other alphabets and compatibility forms before lower-casing could fold one (the Kelvin sign) into a letter.
  if (!/^[!-~]+$/.test(typed) || typed.length > LONGEST_EMAIL || typed.indexOf('@') > LONGEST_LOCAL_PART) return null;
  const email = typed.toLowerCase();
  return EMAIL.test(email) ? email : null;
}

/** The canonical address. Throws INVALID_PARAMETER. */
export function checkEmail(text: string): string {
  const email = normalEmail(text);
  if (email === null)
    throw new ServiceError('INVALID_PARAMETER', { param: 'email', message: 'email must be an e-mail address.' });
  return email;
}
