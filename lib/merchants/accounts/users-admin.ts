// What operators do about users: search, disable and enable them, and make operators. Operators cannot do it to themselves, and
// one operator who can sign in always remains.

import { recordAudit } from '@/lib/merchants/audit/record';
import type { Context } from '@/lib/platform/context';
import { transaction, type Db, type Tx } from '@/lib/platform/database/db';
import { prismaOn } from '@/lib/platform/database/prisma';
import { ServiceError } from '@/lib/platform/errors/errors';
import { queueMail } from '@/lib/merchants/mail/queue';
import { isOwnSandbox } from '@/lib/platform/config/own-sandbox';
import type { UserRole } from '@/prisma/generated/enums';
import { openFactorSetup } from './second-factor/factor-setup';
import { makeLink } from './links';
import { endLogins } from './sign-in/logins';

export type UserRow = {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  readonly role: UserRole;
  readonly createdAt: Date;
  readonly emailConfirmedAt: Date | null;
  readonly disabledAt: Date | null;
  readonly isProtected: boolean;
  readonly stores: number;
  readonly lastSeenAt: Date | null;
};

type Operator = { readonly userId: string; readonly by: string; readonly address: string };

/** An arbitrary number that no other lock uses. It lets only one of two operators who disable each other succeed. */
const LOCK = 7_001_003;

/** Whether user `u` has a second factor. */
const IS_PROTECTED = '(u.totp_confirmed_at IS NOT NULL OR EXISTS (SELECT FROM passkeys p WHERE p.user_id = u.id))';

/** Users by e-mail address, starting at `after`. `search`: how the address begins. */
export async function listUsers(
  db: Db,
  query: { search: string; after: string | null; limit: number },
): Promise<{ users: UserRow[]; next: string | null }> {
  const { rows } = await db.query<UserRow>({
    name: 'list-users',
    text: `SELECT id, email, name, role::text AS role, created_at AS "createdAt", email_confirmed_at AS "emailConfirmedAt",
                  disabled_at AS "disabledAt",
                  ${IS_PROTECTED} AS "isProtected",
                  (SELECT count(*)::int FROM members m WHERE m.user_id = u.id) AS stores,
                  (SELECT max(last_seen_at) FROM logins l WHERE l.user_id = u.id) AS "lastSeenAt"
           FROM users u WHERE starts_with(email, $1) AND ($2::text IS NULL OR email > $2) ORDER BY email LIMIT $3`,
    values: [query.search.toLowerCase(), query.after, query.limit + 1],
  });
  const users = rows.slice(0, query.limit);
  return { users, next: rows.length > query.limit ? (users.at(-1)?.email ?? null) : null };
}

/** Disables a user and signs them out everywhere at once. Throws NOT_YOURSELF or NOT_FOUND. */
export const disableUser = (context: Context, operator: Operator, userId: string): Promise<void> =>
  change(context, operator, { userId, action: 'user.disable' }, async (tx, now) => {
    const was = await isOperatorAtWork(tx, userId);
    const { rowCount } = await tx.query('UPDATE users SET disabled_at = coalesce(disabled_at, $2) WHERE id = $1', [
      userId,
      now,
    ]);
    await endLogins(tx, { userId, now });
    if (was) await notifyOperators(tx, context, { operator, userId, now, kind: 'OperatorGone' });
    return rowCount;
  });

export const enableUser = (context: Context, operator: Operator, userId: string): Promise<void> =>
  change(context, operator, { userId, action: 'user.enable' }, async (tx, now) => {
    const was = await isOperatorAtWork(tx, userId);
    // An enabled operator counts as newly promoted by the enabling operator. Otherwise one person could enable a second
    // approver.
    const { rowCount } = await tx.query(
      `UPDATE users SET disabled_at = NULL,
         role_granted_by = CASE WHEN role = 'operator' AND disabled_at IS NOT NULL THEN coalesce(role_granted_by, $2) ELSE role_granted_by END,
         role_granted_at = CASE WHEN role = 'operator' AND disabled_at IS NOT NULL THEN $3 ELSE role_granted_at END
       WHERE id = $1`,
      [userId, operator.userId, now],
    );
    const is = await isOperatorAtWork(tx, userId);
    if (is && !was) await notifyOperators(tx, context, { operator, userId, now, kind: 'OperatorMade' });
    return rowCount;
  });

/** A link that a person hands over takes longer than one in a mail. */
const HANDED_OVER_LINK_MINUTES = 24 * 60;

/**
 * Creates the link that confirms an address, for the operator to hand to its owner when no mail server is set up. The link also
 * sets the password: the present one may belong to a stranger who signed up with the address. Returns the link, shown only
 * once. Throws NOT_FOUND for a user whose address is confirmed.
 */
export async function makeConfirmLink(context: Context, operator: Operator, userId: string): Promise<string> {
  let link = '';
  await change(context, operator, { userId, action: 'user.confirm' }, async (tx, now) => {
    const { rows } = await tx.query<{ email: string }>(
      'SELECT email FROM users WHERE id = $1 AND email_confirmed_at IS NULL AND disabled_at IS NULL FOR UPDATE',
      [userId],
    );
    const [user] = rows;
    if (!user) return 0;
    link = await makeLink(tx, context.config, {
      purpose: 'reset',
      userId,
      email: user.email,
      minutes: HANDED_OVER_LINK_MINUTES,
      now,
    });
    return 1;
  });
  return link;
}

/** Opens an hour in which an operator without a second factor may set one up. Throws NOT_YOURSELF or NOT_FOUND. */
export const allowFactor = (context: Context, operator: Operator, userId: string): Promise<void> =>
  change(context, operator, { userId, action: 'user.allow_factor' }, async (tx, now) =>
    (await openFactorSetup(tx, userId, now)) ? 1 : 0,
  );

/**
 * Makes a user an operator, or a merchant again. A member of stores cannot become an operator. Neither can a user without a
 * second factor, except in a sandbox on the developer's own machine. Throws INVALID_PARAMETER for those, NOT_YOURSELF or
 * NOT_FOUND.
 */
export const changeUserRole = (
  context: Context,
  operator: Operator,
  of: { userId: string; role: UserRole },
): Promise<void> =>
  change(context, operator, { userId: of.userId, action: 'user.role', details: { to: of.role } }, async (tx, now) => {
    const isPromotion = of.role === 'operator';
    const was = await isOperatorAtWork(tx, of.userId);
    if (isPromotion) await checkPromotion(tx, context, of.userId);
    const { rowCount } = await tx.query(
      // The first grantor stays, so that a second promotion by an accomplice does not make two operators independent.
      `UPDATE users SET role = $2::"UserRole", role_granted_by = coalesce(role_granted_by, $3), role_granted_at = coalesce($4, role_granted_at) WHERE id = $1`,
      [of.userId, of.role, isPromotion ? operator.userId : null, isPromotion ? now : null],
    );
    // Their sign-in may now require other factors.
    await endLogins(tx, { userId: of.userId, now });
    const kind = isPromotion ? 'OperatorMade' : 'OperatorGone';
    const is = await isOperatorAtWork(tx, of.userId);
    if (was !== is) await notifyOperators(tx, context, { operator, userId: of.userId, now, kind });
    return rowCount;
  });

const isOperatorAtWork = async (tx: Tx, userId: string): Promise<boolean> =>
  (await countOperators(tx, { id: userId })) === 1;

/** The operators who can sign in, all or one of them. */
const countOperators = async (tx: Tx, which: { id?: string }): Promise<number> =>
  (await prismaOn(tx)).user.count({ where: { ...which, role: 'operator', disabledAt: null } });

/** Operators disabled for longer count as having left. */
const STILL_NOTIFIED = "interval '30 days'";

type Told = { operator: Operator; userId: string; now: Date; kind: 'OperatorMade' | 'OperatorGone' };

/**
 * Mails every operator: also the actor, recently disabled ones and the affected user. The set of operators then never changes
 * unseen, even when the login of the only operator is stolen.
 */
async function notifyOperators(
  tx: Tx,
  { config }: Pick<Context, 'config'>,
  { operator, userId, now, kind }: Told,
): Promise<void> {
  const { rows } = await tx.query<{ to: string; locale: string | null; actor: string; email: string }>(
    `SELECT o.email AS to, o.locale, actor.email AS actor, about.email
     FROM users o, users actor, users about
     WHERE (o.role = 'operator' AND (o.disabled_at IS NULL OR o.disabled_at > $3::timestamptz - ${STILL_NOTIFIED})
            OR o.id = about.id) AND actor.id = $1 AND about.id = $2 ORDER BY o.email`,
    [operator.userId, userId, now],
  );
  const link = `${config.PUBLIC_URL}/operator/audit`;
  for (const { to, locale, actor, email } of rows)
    await queueMail(tx, { config }, { to, kind, values: { email, actor, link }, locale, now });
}

async function checkPromotion(tx: Tx, { config }: Pick<Context, 'config'>, userId: string): Promise<void> {
  // Locked by a separate statement: only a later statement sees a membership that was committed during the wait.
  await tx.query('SELECT FROM users WHERE id = $1 FOR UPDATE', [userId]);
  const { rows } = await tx.query<{ is_member: boolean; is_protected: boolean }>(
    `SELECT EXISTS (SELECT FROM members m WHERE m.user_id = u.id) AS is_member, ${IS_PROTECTED} AS is_protected
     FROM users u WHERE id = $1`,
    [userId],
  );
  const [user] = rows;
  if (user?.is_member) throw refused('This user is a member of stores, and an operator is a member of none.');
  if (user && !user.is_protected && !isOwnSandbox(config))
    throw refused('This user has no second factor. They set up an authenticator or a passkey first.');
}

const refused = (message: string): ServiceError => new ServiceError('INVALID_PARAMETER', { param: 'role', message });

async function change(
  { pool, clock }: Context,
  operator: Operator,
  of: { userId: string; action: string; details?: { to: string } },
  work: (tx: Tx, now: Date) => Promise<number | null>,
): Promise<void> {
  if (of.userId === operator.userId) throw new ServiceError('NOT_YOURSELF');
  const now = clock.now();
  await transaction(pool, async (tx) => {
    await tx.query('SELECT pg_advisory_xact_lock($1)', [LOCK]);
    if ((await work(tx, now)) !== 1) throw new ServiceError('NOT_FOUND', { message: 'There is no such user.' });
    if ((await countOperators(tx, {})) === 0)
      throw new ServiceError('NOT_YOURSELF', { message: 'There would be no operator left.' });
    const { by: actor, address } = operator;
    const { userId: target, action, details = {} } = of;
    await recordAudit(tx, { actor, storeId: null, action, target, details, address, now });
  });
}
