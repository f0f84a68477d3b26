// Notifies operators of due alarms: one mail to each operator for all alarms of a run, queued in the transaction that records
// the notification. That transaction also marks what to post to the alarm webhook.

import type { Context } from '@/lib/platform/context';
import { transaction, type Tx } from '@/lib/platform/database/db';
import { queueMail } from '@/lib/merchants/mail/queue';
import { mailWords } from '@/lib/merchants/mail/texts';
import { ALARM_KINDS, KNOWN_KINDS, SEVERITIES, type AlarmKind, type Severity } from './kinds';
import { alarmText, alarmTitle, type Words } from './alarm-text';

/** An unacknowledged critical alarm is mailed again every hour, up to this many times in all. */
const AGAIN_SECONDS = 3600;
const MAX_NOTIFICATIONS = 12;
const MAX_AT_ONCE = 100;

type Due = {
  readonly id: string;
  readonly kind: AlarmKind;
  readonly subject: string;
  readonly count: number;
  readonly severity: Severity;
  readonly isOver: boolean;
};

export const notifyOperators = (context: Context, now: Date): Promise<void> =>
  transaction(context.pool, async (tx) => {
    const due = await takeDue(tx, now, context.config.ALARM_WEBHOOK_URL !== undefined);
    if (due.length === 0) return;
    const notified = due.map(({ kind, subject, count, severity, isOver }) => ({
      kind,
      subject,
      count,
      severity,
      isOver,
    }));
    context.log.error({ alarms: notified }, 'alarms: the operators are mailed');
    await mailOperators(context, tx, due, now);
  });

/** The most severe first. An acknowledged alarm is mailed only when it is over. */
async function takeDue(tx: Tx, now: Date, isPosted: boolean): Promise<readonly Due[]> {
  const { rows } = await tx.query<Due>({
    name: 'alarms-due',
    text: `UPDATE alarms SET notification_count = notification_count + 1, notified_at = $1, post_at = CASE WHEN $2 THEN $1::timestamptz END,
             next_notification_at = CASE WHEN severity = 'critical' AND closed_at IS NULL AND notification_count + 1 < ${MAX_NOTIFICATIONS}
               THEN $1::timestamptz + interval '${AGAIN_SECONDS} seconds' END
           WHERE id IN (SELECT id FROM alarms WHERE next_notification_at <= $1 AND (acknowledged_at IS NULL OR closed_at IS NOT NULL)
             AND kind = ANY($3) ORDER BY id LIMIT ${MAX_AT_ONCE} FOR UPDATE SKIP LOCKED)
           RETURNING id, kind, subject, count, severity, closed_at IS NOT NULL AS "isOver"`,
    values: [now, isPosted, KNOWN_KINDS],
  });
  return rows.toSorted(
    (one, other) =>
      Number(one.isOver) - Number(other.isOver) ||
      SEVERITIES.indexOf(one.severity) - SEVERITIES.indexOf(other.severity) ||
      Number(one.id) - Number(other.id),
  );
}

/** Every operator who can sign in. */
async function mailOperators(context: Context, tx: Tx, due: readonly Due[], now: Date): Promise<void> {
  const { rows } = await tx.query<{ email: string; locale: string | null }>({
    name: 'alarm-operators',
    text: `SELECT email, locale FROM users WHERE role = 'operator' AND disabled_at IS NULL ORDER BY email`,
    values: [],
  });
  const { PUBLIC_URL } = context.config;
  for (const { email, locale } of rows) {
    const t = mailWords(locale);
    const [first] = due;
    const values = {
      severity: first ? stateOf(t, first) : '',
      title: first ? alarmTitle(t, first) : '',
      more: String(due.length - 1),
      list: due.map((one) => paragraphOf(t, PUBLIC_URL, one)).join('\n\n'),
      link: `${PUBLIC_URL}/operator/alarms`,
    };
    await queueMail(tx, context, { to: email, kind: 'Alarms', values, locale, now });
  }
}

const stateOf = (t: Words, { severity, isOver }: Pick<Due, 'severity' | 'isOver'>): string =>
  t(isOver ? 'alarmResolved' : `alarmSeverity_${severity}`);

/** The title, what to do, and the link. For an alarm that is over only the title. */
export function paragraphOf(t: Words, origin: string, one: Omit<Due, 'id'>): string {
  const head = `[${stateOf(t, one)}] ${alarmTitle(t, one)}`;
  return one.isOver ? head : `${head}\n${alarmText(t, one.kind)}\n${origin}${ALARM_KINDS[one.kind].path}`;
}
