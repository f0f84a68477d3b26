// Lists alarms for the console, and acknowledges one: an operator is handling it, so no further mails are sent about it.

import { KNOWN_KINDS, type AlarmKind, type Severity } from '@/lib/installation/alarms/kinds';
import { recordAudit } from '@/lib/merchants/audit/record';
import type { Context } from '@/lib/platform/context';
import { transaction } from '@/lib/platform/database/db';
import { ServiceError } from '@/lib/platform/errors/errors';
import { numberIn, paged, type Page, type Paged, type Retry } from './jobs';

export type AlarmRow = {
  readonly id: string;
  readonly kind: AlarmKind;
  readonly subject: string;
  readonly severity: Severity;
  readonly count: number;
  readonly openedAt: Date;
  readonly closedAt: Date | null;
  /** When operators were last mailed; null before the first time. */
  readonly notifiedAt: Date | null;
  readonly acknowledgedAt: Date | null;
  /** The operator's name or address. */
  readonly acknowledgedBy: string | null;
};

type Deps = Pick<Context, 'pool'>;

const COLUMNS = `a.id, a.kind, a.subject, a.severity, a.count, a.opened_at AS "openedAt", a.closed_at AS "closedAt",
  a.notified_at AS "notifiedAt", a.acknowledged_at AS "acknowledgedAt",
  (SELECT coalesce(nullif(u.name, ''), u.email) FROM users u WHERE 'user:' || u.id = a.acknowledged_by) AS "acknowledgedBy"`;
/** Bounded by the number of kinds, networks and steps. */
const MAX_OPEN = 200;

/**
 * Unacknowledged alarms first, the most severe of them first. An alarm is listed when its first mail is due (`afterSeconds`): a condition
 * that ends sooner, as after a restart, is not listed.
 */
export async function listOpenAlarms({ pool, clock }: Pick<Context, 'pool' | 'clock'>): Promise<readonly AlarmRow[]> {
  const { rows } = await pool.query<AlarmRow>({
    name: 'operator-alarms-open',
    text: `SELECT ${COLUMNS} FROM alarms a WHERE a.closed_at IS NULL AND a.kind = ANY($2)
             AND (a.notified_at IS NOT NULL OR a.acknowledged_at IS NOT NULL OR a.next_notification_at <= $1)
           ORDER BY a.acknowledged_at IS NOT NULL, array_position(ARRAY['critical', 'warning', 'notice'], a.severity), a.id DESC
           LIMIT ${MAX_OPEN}`,
    values: [clock.now(), KNOWN_KINDS],
  });
  return rows;
}

export async function listClosedAlarms({ pool }: Deps, { before, limit }: Page): Promise<Paged<AlarmRow>> {
  const { rows } = await pool.query<AlarmRow>({
    name: 'operator-alarms-closed',
    text: `SELECT ${COLUMNS} FROM alarms a WHERE a.closed_at IS NOT NULL AND a.kind = ANY($3) AND ($1::bigint IS NULL OR a.id < $1)
           ORDER BY a.id DESC LIMIT $2`,
    values: [before, limit + 1, KNOWN_KINDS],
  });
  return paged(rows, limit);
}

/** A no-op when already acknowledged. Throws NOT_FOUND. */
export async function acknowledgeAlarm(
  { pool, clock }: Pick<Context, 'pool' | 'clock'>,
  { id, by, address }: Retry,
): Promise<void> {
  const now = clock.now();
  await transaction(pool, async (tx) => {
    const { rows } = await tx.query<{ kind: string; subject: string; is_new: boolean }>({
      name: 'alarm-acknowledge',
      text: `WITH known AS (SELECT id, acknowledged_at IS NULL AS is_new FROM alarms WHERE id = $1 FOR UPDATE)
             UPDATE alarms a SET acknowledged_at = coalesce(a.acknowledged_at, $2), acknowledged_by = coalesce(a.acknowledged_by, $3)
             FROM known WHERE a.id = known.id RETURNING a.kind, a.subject, known.is_new`,
      values: [numberIn(id), now, by],
    });
    const [alarm] = rows;
    if (!alarm) throw new ServiceError('NOT_FOUND');
    if (!alarm.is_new) return;
    const details = { kind: alarm.kind, subject: alarm.subject };
    await recordAudit(tx, {
      ...{ actor: by, storeId: null, action: 'alarm.acknowledge', target: `alarm/${id}` },
      ...{ details, address, now },
    });
  });
}
