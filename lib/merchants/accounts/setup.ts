// Creates the first operator. A start without any operator prints a link that makes one, once. The link ends as soon as there
// is an operator.

import { hashPassword } from '@/lib/merchants/accounts/password/password';
import { checkEmail, checkNewPassword } from '@/lib/merchants/accounts/users';
import type { Context } from '@/lib/platform/context';
import { sqlState, SqlState, transaction, type Db, type Tx } from '@/lib/platform/database/db';
import { ServiceError } from '@/lib/platform/errors/errors';
import { recordAudit } from '@/lib/merchants/audit/record';
import type { RequestSource } from './request-source';
import { factorSetupUntil } from './second-factor/factor-setup';
import { attemptGroup } from './sign-in/attempt-group';
import { makeLink, readLink, spendLink } from './links';
import { checkName } from './name';
import { takeAttempt } from './sign-in/throttle';

/** An arbitrary number that no other lock uses. Of two replicas that start at once, only one link stays valid. */
const LOCK = 7_001_002;

/** The address of the link; null when there is an operator. A new link voids the earlier ones. */
export function openSetup({ pool, clock, config }: Context): Promise<string | null> {
  return transaction(pool, async (tx) => {
    await tx.query('SELECT pg_advisory_xact_lock($1)', [LOCK]);
    if (await hasOperator(tx)) return null;
    return makeLink(tx, config, { purpose: 'setup', now: clock.now() });
  });
}

/** Creates the first operator. Throws link_invalid, also when there already is one, RATE_LIMITED and INVALID_PARAMETER. */
export async function setUp(
  context: Context,
  given: { token: string; email: string; password: string; name?: string | undefined; from: RequestSource },
): Promise<void> {
  const { pool, clock, config } = context;
  const now = clock.now();
  // Hashing costs memory and time, so it runs only for holders of the link.
  if (!(await readLink(pool, 'setup', given.token, now))) throw new ServiceError('link_invalid');
  const group = attemptGroup(config, given.from.address);
  if (group !== '') await takeAttempt(context, 'address', `setup ${group}`);
  const { email, name } = await checkOperator(given);
  const hash = await hashPassword(given.password);
  try {
    await transaction(pool, async (tx) => {
      await tx.query('SELECT pg_advisory_xact_lock($1)', [LOCK]);
      await spendLink(tx, 'setup', given.token, now);
      if (await hasOperator(tx)) throw new ServiceError('link_invalid');
      await insertOperator(tx, { email, name, hash, address: given.from.address, now });
    });
  } catch (error) {
    if (sqlState(error) !== SqlState.uniqueViolation) throw error;
    const message = 'This e-mail address has an account already. Use another one.';
    throw new ServiceError('INVALID_PARAMETER', { param: 'email', message, cause: error });
  }
}

export type NewOperator = { readonly email: string; readonly password: string; readonly name?: string | undefined };

/** The address and name in their stored form. Throws INVALID_PARAMETER. */
export async function checkOperator(given: NewOperator): Promise<{ readonly email: string; readonly name: string }> {
  const email = checkEmail(given.email);
  await checkNewPassword(given.password, email);
  return { email, name: checkName(given.name ?? '') };
}

/**
 * Creates the first operator from the set-up file of the server's administrator; a no-op when there is an operator. Returns
 * whether it created one. Throws INVALID_PARAMETER.
 */
export async function setUpFromFile(
  { pool, clock }: Pick<Context, 'pool' | 'clock'>,
  given: NewOperator,
): Promise<boolean> {
  const { email, name } = await checkOperator(given);
  const hash = await hashPassword(given.password);
  return transaction(pool, async (tx) => {
    await tx.query('SELECT pg_advisory_xact_lock($1)', [LOCK]);
    if (await hasOperator(tx)) return false;
    await insertOperator(tx, { email, name, hash, address: '', now: clock.now() });
    return true;
  });
}

type Inserted = {
  readonly email: string;
  readonly name: string;
  readonly hash: string;
  readonly address: string;
  readonly now: Date;
};

async function insertOperator(tx: Tx, { email, name, hash, address, now }: Inserted): Promise<void> {
  const { rows } = await tx.query<{ id: string }>(
    `INSERT INTO users (id, email, password_hash, role, name, created_at, email_confirmed_at, factor_setup_until)
     VALUES (gen_random_uuid(), $1, $2, 'operator', $3, $4, $4, $5) RETURNING id`,
    [email, hash, name, now, factorSetupUntil(now)],
  );
  const target = rows[0]?.id ?? '';
  await recordAudit(tx, { actor: 'setup', storeId: null, action: 'account.set_up', target, address, now });
}

async function hasOperator(db: Db): Promise<boolean> {
  const { rowCount } = await db.query("SELECT 1 FROM users WHERE role = 'operator' LIMIT 1");
  return rowCount === 1;
}
