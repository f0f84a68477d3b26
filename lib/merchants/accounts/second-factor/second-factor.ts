// Verifies the second factor of a user who has given the password: an authenticator code, a recovery code, or a passkey.
// Guessing is throttled by user, from every source.

import type { Context } from '@/lib/platform/context';
import { provePasskey, type PasskeyAnswer } from './passkey-proof';
import { spendRecoveryCode } from './recovery-codes';
import { resetAttempts, takeAttempt } from '@/lib/merchants/accounts/sign-in/throttle';
import { spendTotp } from './totp';

export type Proof = { readonly code: string } | { readonly passkey: PasskeyAnswer };
export type Proven = 'totp' | 'recovery_code' | 'passkey';

/**
 * The factor that was proven, or null when it is not valid. Throws RATE_LIMITED. `loginId`: the login that a passkey was
 * requested for.
 */
export async function proveSecondFactor(
  context: Context,
  of: { userId: string; loginId: string; proof: Proof; address: string },
): Promise<Proven | null> {
  const { userId, proof, address } = of;
  await takeAttempt(context, 'code', userId, { account: userId, address });
  const proven = await prove(context, of);
  if (proven === null) return null;
  await resetAttempts(context.pool, 'code', userId);
  if (proven === 'recovery_code') context.log.info({ userId }, 'a recovery code was used');
  return proven;

  async function prove(deps: Context, { loginId }: { loginId: string }): Promise<Proven | null> {
    if ('passkey' in proof) {
      const owner = await provePasskey(deps, proof.passkey, loginId);
      return owner?.userId === userId ? 'passkey' : null;
    }
    const given = { userId, code: proof.code.trim(), now: deps.clock.now() };
    if (/^\d{3} ?\d{3}$/.test(given.code)) {
      const code = given.code.replace(' ', '');
      return (await spendTotp(deps.pool, deps, { ...given, code })) ? 'totp' : null;
    }
    return (await spendRecoveryCode(deps.pool, given)) ? 'recovery_code' : null;
  }
}
