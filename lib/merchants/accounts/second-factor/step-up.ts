// Step-up: a signed-in user confirms password and second factor again before changing keys, webhooks, limits or money. Such
// requests then pass for five minutes.

import type { Context } from '@/lib/platform/context';
import { transaction } from '@/lib/platform/database/db';
import { ServiceError } from '@/lib/platform/errors/errors';
import { noteSecurity } from '@/lib/platform/security/events';
import { auditAccount } from '@/lib/merchants/accounts/account-audit';
import { checkPassword } from '@/lib/merchants/accounts/password/change-password';
import type { RequestSource } from '@/lib/merchants/accounts/request-source';
import { raiseLogin, type Who } from '@/lib/merchants/accounts/sign-in/logins';
import type { PasskeyAnswer } from './passkey-proof';
import { proveSecondFactor } from './second-factor';

export type Shown =
  { readonly passkey: PasskeyAnswer } | { readonly password: string; readonly code?: string | undefined };

/**
 * Returns the login's new value for the cookie; the former value becomes invalid. A passkey with user verification counts as
 * both. Throws sign_in_failed, second_factor_needed without a code, RATE_LIMITED, not_signed_in.
 */
export async function stepUp(
  context: Context,
  who: Who,
  given: { shown: Shown; from: RequestSource },
): Promise<string> {
  const { userId, loginId } = who;
  const { shown, from } = given;
  const { address } = from;
  if ('password' in shown) await checkPassword(context, userId, { password: shown.password, from });
  const proof = 'passkey' in shown ? shown : factorOf(who, shown.code);
  if (proof !== null && (await proveSecondFactor(context, { userId, loginId, proof, address })) === null) {
    noteSecurity(context, { kind: 'step_up_failed', account: userId, address });
    throw new ServiceError('sign_in_failed', { message: 'The password or code is wrong.' });
  }
  const now = context.clock.now();
  return transaction(context.pool, async (tx) => {
    const token = await raiseLogin(tx, loginId, now);
    if (token === null) throw new ServiceError('not_signed_in');
    const by = proof === null ? 'password' : 'second factor';
    await auditAccount(tx, { userId, action: 'step_up', details: { by }, address, now });
    return token;
  });
}

function factorOf(who: Who, code: string | undefined): { code: string } | null {
  if (!who.hasTotp && !who.hasPasskeys) return null;
  if (code === undefined || code === '') throw new ServiceError('second_factor_needed');
  return { code };
}
