// The mails of alarms: every operator who can sign in gets one.

import type { Context } from '@/lib/context';
import type { Tx } from '@/lib/db';
import { queueMail } from './queue';

type Alarm = {
  readonly kind: 'Quarantined' | 'SecurityAlarm';
  /** The page that shows what it is about. */
  readonly path: string;
  readonly count: string;
  readonly now: Date;
};

/** Queues the mails. They go out when the transaction commits. */
export async function mailOperators(
  context: Pick<Context, 'config'>,
  tx: Tx,
  { kind, path, count, now }: Alarm,
): Promise<void> {
  const { rows } = await tx.query<{ email: string; locale: string | null }>({
    name: 'alarm-operators',
    text: `SELECT email, locale FROM users WHERE role = 'operator' AND disabled_at IS NULL ORDER BY email`,
    values: [],
  });
  const values = { count, link: `${context.config.PUBLIC_URL}${path}` };
  for (const { email, locale } of rows) await queueMail(tx, context, { to: email, kind, values, locale, now });
}
