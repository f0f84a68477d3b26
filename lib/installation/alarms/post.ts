// A step of the worker: posts the mailed alarms of a run to the alarm webhook in one request. It is signed like merchants'
// webhooks and passes the same guard. A failing receiver is retried for a day and delays nothing else.

import { randomUUID } from 'node:crypto';
import { unixSeconds } from '@/lib/platform/clock';
import type { Context } from '@/lib/platform/context';
import { mailWords } from '@/lib/merchants/mail/texts';
import { callReceiver, type CallOptions } from '@/lib/webhooks/delivery/dial';
import { signedHeaders } from '@/lib/webhooks/events/message';
import { ALARM_KINDS, KNOWN_KINDS, type AlarmKind, type Severity } from './kinds';
import { paragraphOf } from './notify';
import { alarmText, alarmTitle } from './alarm-text';

const RETRY_SECONDS = 60;
const GIVEN_UP_AFTER_HOURS = 24;
const DEADLINE_MILLISECONDS = 10_000;
const MAX_AT_ONCE = 100;
const TYPE = 'alarms';

type Posted = {
  readonly id: string;
  readonly kind: AlarmKind;
  readonly subject: string;
  readonly severity: Severity;
  readonly count: number;
  readonly notificationCount: number;
  readonly openedAt: Date;
  readonly closedAt: Date | null;
};

/** The step. `overrides` can replace the receiver in tests. */
export const postAlarms =
  (overrides: Partial<CallOptions> = {}) =>
  async (context: Context): Promise<{ more: boolean }> => {
    const { ALARM_WEBHOOK_URL: url, ALARM_WEBHOOK_SECRET: secret, WEBHOOKS_TO_LOOPBACK } = context.config;
    if (url === undefined || secret === undefined) return { more: false };
    const alarms = await take(context);
    if (alarms.length === 0) return { more: false };
    const eventId = `alm_${randomUUID()}`;
    const body = JSON.stringify(bodyOf(context, eventId, alarms));
    const headers = (): Record<string, string> =>
      signedHeaders(
        { eventId, type: TYPE, body, secret, previousSecret: null },
        { timestamp: unixSeconds(context.clock.now()), nonce: randomUUID() },
      );
    const reach = { toLoopback: WEBHOOKS_TO_LOOPBACK };
    const outcome = await callReceiver(
      { url, headers, body },
      { reach, deadlineMilliseconds: DEADLINE_MILLISECONDS, ...overrides },
    );
    if (outcome.kind === 'answered' && outcome.status >= 200 && outcome.status < 300) await done(context, alarms);
    // The address may hold a token, and so may the receiver's answer.
    else
      context.log.warn(
        { outcome: outcome.kind, status: 'status' in outcome ? outcome.status : null },
        'the alarm webhook did not accept the alarms',
      );
    return { more: false };
  };

/** The pause until the next attempt serves as the lease. */
async function take({ pool, clock }: Context): Promise<readonly Posted[]> {
  const now = clock.now();
  const { rows } = await pool.query<Posted>({
    name: 'alarms-take-posts',
    text: `WITH taken AS (
           UPDATE alarms SET post_at = CASE WHEN notified_at > $1::timestamptz - interval '${GIVEN_UP_AFTER_HOURS} hours'
             THEN $1::timestamptz + interval '${RETRY_SECONDS} seconds' END
           WHERE id IN (SELECT id FROM alarms WHERE post_at <= $1 AND kind = ANY($2) ORDER BY id LIMIT ${MAX_AT_ONCE} FOR UPDATE SKIP LOCKED)
           RETURNING id, kind, subject, severity, count, notification_count AS "notificationCount", opened_at AS "openedAt", closed_at AS "closedAt")
           SELECT * FROM taken ORDER BY id`,
    values: [now, KNOWN_KINDS],
  });
  return rows;
}

/** An alarm that was notified again meanwhile is posted again. */
async function done({ pool }: Context, alarms: readonly Posted[]): Promise<void> {
  await pool.query({
    name: 'alarms-posted',
    text: `UPDATE alarms a SET post_at = NULL FROM unnest($1::bigint[], $2::int[]) AS p (id, notification_count)
           WHERE a.id = p.id AND a.notification_count = p.notification_count`,
    values: [alarms.map(({ id }) => id), alarms.map(({ notificationCount }) => notificationCount)],
  });
}

/** The format that docs/operate.md#alarms documents. */
function bodyOf({ clock, config }: Context, id: string, alarms: readonly Posted[]) {
  const t = mailWords('en');
  const worded = alarms.map((one) => ({ ...one, isOver: one.closedAt !== null }));
  return {
    id,
    type: TYPE,
    created_at: unixSeconds(clock.now()),
    text: worded.map((one) => paragraphOf(t, config.PUBLIC_URL, one)).join('\n\n'),
    alarms: worded.map((one) => ({
      id: one.id,
      kind: one.kind,
      subject: one.subject,
      severity: one.severity,
      state: one.isOver ? 'over' : 'open',
      count: one.count,
      title: alarmTitle(t, one),
      text: alarmText(t, one.kind),
      link: `${config.PUBLIC_URL}${ALARM_KINDS[one.kind].path}`,
      opened_at: unixSeconds(one.openedAt),
      closed_at: one.closedAt && unixSeconds(one.closedAt),
    })),
  };
}
