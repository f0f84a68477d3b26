// Signs up a merchant. The answer is the same whether or not the address has an account; only its mailbox learns which. The
// mailed link sets the password, so a person who signs up with another's address knows nothing that opens the account.

import { checkEmail } from '@/lib/merchants/accounts/users';
import type { Context } from '@/lib/platform/context';
import { transaction } from '@/lib/platform/database/db';
import { queueMail } from '@/lib/merchants/mail/queue';
import { recordAudit } from '@/lib/merchants/audit/record';
import { queueConfirmation } from './confirm';
import { attemptGroup } from './sign-in/attempt-group';
import type { RequestSource } from './request-source';
import { checkName } from './name';
import { takeAttempt } from './sign-in/throttle';

export type SignUp = {
  readonly email: string;
  readonly name?: string | undefined;
  readonly locale?: string | undefined;
  readonly from: RequestSource;
};

/** Throws INVALID_PARAMETER for invalid input, RATE_LIMITED for an address that signs up too often. */
export async function signUp(context: Context, given: SignUp): Promise<void> {
  const { pool, clock, config } = context;
  const email = checkEmail(given.email);
  const name = checkName(given.name ?? '');
  const group = attemptGroup(config, given.from.address);
  if (group !== '') await takeAttempt(context, 'address', `sign-up ${group}`);
  await takeAttempt(context, 'mail', `sign-up ${email}`);
  const now = clock.now();
  await transaction(pool, async (tx) => {
    const { rows } = await tx.query<{ id: string; is_new: boolean }>(
      `INSERT INTO users AS u (id, email, role, name, locale, created_at)
       VALUES (gen_random_uuid(), $1, 'merchant', $2, $3, $4)
       ON CONFLICT (email) DO UPDATE SET name = COALESCE(NULLIF(excluded.name, ''), u.name)
         WHERE u.email_confirmed_at IS NULL AND u.disabled_at IS NULL
       RETURNING id, (xmax = 0) AS is_new`,
      [email, name, given.locale ?? null, now],
    );
    const [user] = rows;
    if (!user) {
      const link = `${config.PUBLIC_URL}/login`;
      await queueMail(tx, context, { to: email, kind: 'Exists', values: { link }, locale: given.locale ?? null, now });
      return;
    }
    await queueConfirmation(tx, context, user.id);
    await recordAudit(tx, {
      actor: `user:${user.id}`,
      storeId: null,
      action: 'account.sign_up',
      target: user.id,
      details: { again: !user.is_new },
      address: given.from.address,
      now,
    });
  });
}
