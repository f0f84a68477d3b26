// When an operator may set up their first second factor. A stolen password alone must not be enough to add one, so it takes the
// set-up link, another operator, or the server's administrator to open the time for it.

import type { Context } from '@/lib/context';
import type { Tx } from '@/lib/db';
import { ServiceError } from '@/lib/errors';
import { isOwnSandbox } from '@/lib/own-sandbox';
import type { Who } from './logins';

/** Long enough to find a phone, and short enough that a password stolen later opens nothing. */
const SETUP_MILLISECONDS = 3_600_000;

/** Until when a factor may be set up that is allowed now. */
export const factorSetupUntil = (now: Date): Date => new Date(now.getTime() + SETUP_MILLISECONDS);

/** Throws FACTOR_SETUP_CLOSED for an operator without a second factor outside that time. Merchants always pass. */
export async function needFactorSetup({ pool, clock, config }: Context, who: Who): Promise<void> {
  if (who.role !== 'operator' || who.hasTotp || who.hasPasskeys || isOwnSandbox(config)) return;
  const { rowCount } = await pool.query('SELECT FROM users WHERE id = $1 AND factor_setup_until > $2', [
    who.userId,
    clock.now(),
  ]);
  if (rowCount !== 1) throw new ServiceError('FACTOR_SETUP_CLOSED');
}

/** Opens the time for an operator who has no second factor; false when there is no such operator. */
export async function openFactorSetup(tx: Tx, userId: string, now: Date): Promise<boolean> {
  const { rowCount } = await tx.query(
    `UPDATE users u SET factor_setup_until = $2 WHERE id = $1 AND role = 'operator' AND disabled_at IS NULL
       AND totp_confirmed_at IS NULL AND NOT EXISTS (SELECT FROM passkeys p WHERE p.user_id = u.id)`,
    [userId, factorSetupUntil(now)],
  );
  return rowCount === 1;
}
