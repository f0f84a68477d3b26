// The first operator: a start that finds no operator prints a link that makes one, once. It is gone as soon as there is one.

import { hashPassword } from '@/lib/merchants/accounts/password/password';
import { checkEmail, checkNewPassword } from '@/lib/merchants/accounts/users';
import type { Context } from '@/lib/platform/context';
import { sqlState, SqlState, transaction, type Db, type Tx } from '@/lib/platform/database/db';
import { ServiceError } from '@/lib/platform/errors/errors';
import { recordAudit } from '@/lib/merchants/audit/record';
import type { From } from './from';
import { factorSetupUntil } from './second-factor/factor-setup';
import { countedGroup } from './sign-in/group';
import { makeLink, readLink, spendLink } from './links';
import { checkName } from './name';
import { takeAttempt } from './sign-in/throttle';

/** Any number that nothing else locks: two replicas that start at once make one link between them valid. */
const LOCK = 7_001_002;

/** The address of the link; null when there is an operator. A new one voids those printed before. */
export function openSetup({ pool, clock, config }: Context): Promise<string | null> {
  return transaction(pool, async (tx) => {
    await tx.query('SELECT pg_advisory_xact_lock($1)', [LOCK]);
    if (await hasOperator(tx)) return null;
    return makeLink(tx, config, { purpose: 'setup', now: clock.now() });
  });
}

/** Makes the first operator. Throws link_invalid, also when there is one by now, RATE_LIMITED and INVALID_PARAMETER. */
export async function setUp(
  context: Context,
  given: { token: string; email: string; password: string; name?: string | undefined; from: From },
): Promise<void> {
  const { pool, clock, config } = context;
  const now = clock.now();
  // Hashing costs memory and time, which nobody gets who has no link.
  if (!(await readLink(pool, 'setup', given.token, now))) throw new ServiceError('link_invalid');
  const group = countedGroup(config, given.from.address);
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

/** The address and name as they are kept. Throws INVALID_PARAMETER. */
export async function checkOperator(given: NewOperator): Promise<{ readonly email: string; readonly name: string }> {
  const email = checkEmail(given.email);
  await checkNewPassword(given.password, email);
  return { email, name: checkName(given.name ?? '') };
}

/**
 * Makes the first operator for somebody who runs the server and gave a set-up file; nothing when there is an operator. Answers whether
 * it made one. Throws INVALID_PARAMETER.
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
  const { rows } = await db.query("SELECT 1 FROM users WHERE role = 'operator' LIMIT 1");
  return rows.length > 0;
}
