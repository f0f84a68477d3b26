// A step of the worker: mails the members of a store who may act that the service has paused its endpoint, once for each pause.
// The transaction that marks the pause queues the mails, so that each member is mailed exactly once. A pause that fails is
// quarantined.

import type { Context } from '@/lib/platform/context';
import { transaction, type Tx } from '@/lib/platform/database/db';
import type { Environment } from '@/lib/platform/ids';
import { queueMail } from '@/lib/merchants/mail/queue';
import { eachAlone, isDueAlone } from '@/lib/platform/database/quarantine';
import type { MemberRole, PauseReason } from '@/prisma/generated/enums';
import { MEMBER_ROLES, PERMISSIONS } from '@/lib/merchants/members/roles';

/** Pauses that one run processes. */
const MAX_AT_ONCE = 50;
/** More members than a store gives access to its webhooks. It bounds the mails of one transaction. */
const MAX_MEMBERS = 50;

const may: readonly MemberRole[] = PERMISSIONS['webhook.change'].members;
const WHO_MAY = MEMBER_ROLES.filter((role) => may.includes(role));

type Pause = {
  readonly id: string;
  readonly storeId: string;
  readonly store: string;
  readonly environment: Environment;
  readonly reason: PauseReason;
  readonly isOpen: boolean;
};

export async function notifyPaused(context: Context): Promise<{ more: boolean }> {
  const { rows } = await context.pool.query<{ id: string; storeId: string; environment: Environment }>(
    `SELECT id, store_id AS "storeId", environment FROM webhook_pauses p WHERE noticed_at IS NULL AND reason <> 'requested'
       AND ${isDueAlone('pause', 'p.id::text', '$1')} ORDER BY id LIMIT ${MAX_AT_ONCE}`,
    [context.clock.now()],
  );
  const pauses = rows.map((row) => ({ kind: 'pause', ...row }) as const);
  await eachAlone(context, 'tell of paused endpoints', pauses, ({ id }) => notifyOne(context, id));
  return { more: pauses.length === MAX_AT_ONCE };
}

/** Skips a pause that another worker processed meanwhile. */
const notifyOne = (context: Context, id: string): Promise<void> =>
  transaction(context.pool, async (tx) => {
    const now = context.clock.now();
    const { rows } = await tx.query<Pause>(
      `UPDATE webhook_pauses p SET noticed_at = $1 FROM stores s
       WHERE s.id = p.store_id AND p.id = $2 AND p.noticed_at IS NULL
       RETURNING p.id, p.store_id AS "storeId", s.name AS store, p.environment, p.reason, p.resumed_at IS NULL AS "isOpen"`,
      [now, id],
    );
    // Skips a closed pause: a member has already resolved it.
    if (rows[0]?.isOpen) await mailMembers(context, tx, rows[0], now);
  });

async function mailMembers(context: Context, tx: Tx, pause: Pause, now: Date): Promise<void> {
  const { rows } = await tx.query<{ email: string; locale: string | null }>(
    `SELECT u.email, u.locale FROM members m JOIN users u ON u.id = m.user_id
     WHERE m.store_id = $1 AND m.role::text = ANY ($2) ORDER BY m.created_at, m.user_id LIMIT ${MAX_MEMBERS}`,
    [pause.storeId, WHO_MAY],
  );
  const kind = pause.reason === 'gone' ? 'WebhookGone' : 'WebhookFailing';
  const link = `${context.config.PUBLIC_URL}/dashboard/${pause.storeId}/${pause.environment}/webhooks`;
  for (const { email, locale } of rows)
    await queueMail(tx, context, { to: email, kind, values: { store: pause.store, link }, locale, now });
  context.log.warn(
    { storeId: pause.storeId, environment: pause.environment, reason: pause.reason, told: rows.length },
    'an endpoint was paused; the members who may act are notified',
  );
}
