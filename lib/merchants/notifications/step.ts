// A step of the worker: mails the members of a store about payment exceptions and undelivered events, at most once an hour for
// each kind and environment. A mail describes the first and counts the others. The event and its mail mark are committed
// together. The step never blocks a payment: locked rows wait for the next mail.

import type { Context } from '@/lib/platform/context';
import { isLostRace, transaction, type Tx } from '@/lib/platform/database/db';
import type { Environment } from '@/lib/platform/ids';
import { inSavepoint } from '@/lib/platform/database/isolate';
import { queueMail } from '@/lib/merchants/mail/queue';
import type { MailValues } from '@/lib/merchants/mail/texts';
import { eachAlone, endQuarantine, isDueAlone } from '@/lib/platform/database/quarantine';
import { readersOf, type Reader } from './mail-choices';
import { takeDeliveries, takeExceptions } from './facts';

/** Stores that one run mails for each kind. */
const MAX_AT_ONCE = 50;

type Kind = 'exceptions' | 'deliveries';
type Place = { readonly kind: Kind; readonly storeId: string; readonly environment: Environment };

const WITHOUT_MAIL: Readonly<Record<Kind, string>> = {
  exceptions: `payment_exceptions f WHERE f.is_notice_due AND f.environment = 'live'`,
  deliveries: 'deliveries f WHERE f.is_notice_due',
};

export async function mailNotices(context: Context): Promise<{ more: boolean }> {
  let more = false;
  for (const kind of ['exceptions', 'deliveries'] as const) {
    const places = await placesOf(context, kind);
    const subjects = places.map((place) => ({
      ...{ storeId: place.storeId, environment: place.environment },
      ...{ kind: 'notice' as const, id: `${kind} ${place.storeId} ${place.environment}`, place },
    }));
    const done = await eachAlone(context, 'mail notices', subjects, ({ place }) => mailStore(context, place));
    await endQuarantine(context.pool, { kind: 'notice', ids: done.map(({ id }) => id), now: context.clock.now() });
    more ||= places.length === MAX_AT_ONCE;
  }
  return { more };
}

/** Stores with unmentioned events whose last mail is an hour old; the oldest first. */
async function placesOf({ pool, clock }: Context, kind: Kind): Promise<Place[]> {
  const { rows } = await pool.query<Omit<Place, 'kind'>>({
    name: `notice-places-${kind}`,
    text: `SELECT f.store_id AS "storeId", f.environment FROM ${WITHOUT_MAIL[kind]}
             AND NOT EXISTS (SELECT FROM notice_mails n WHERE n.store_id = f.store_id AND n.environment = f.environment
               AND n.kind = '${kind}' AND n.mailed_at > $1::timestamptz - interval '1 hour')
             AND ${isDueAlone('notice', `'${kind} ' || f.store_id || ' ' || f.environment`, '$1')}
           GROUP BY f.store_id, f.environment ORDER BY min(f.id) LIMIT ${MAX_AT_ONCE}`,
    values: [clock.now()],
  });
  return rows.map((row) => ({ kind, ...row }));
}

const mailStore = (context: Context, place: Place): Promise<void> =>
  transaction(context.pool, async (tx) => {
    const now = context.clock.now();
    if (!(await lockHour(tx, place, now))) return;
    const readers = await readersOf(tx, place.storeId, place.kind);
    const base = `${context.config.PUBLIC_URL}/dashboard/${place.storeId}`;
    const common = { settings: `${base}/members#mails` };
    const at = `${base}/${place.environment}`;
    if (place.kind === 'exceptions') {
      const values = await takeExceptions(tx, place, at);
      if (!values) return;
      await mailAll(context, readers, (reader) =>
        inSavepoint(tx, () =>
          queue(tx, context, 'PaymentException', reader, { ...values, ...common, store: reader.store }, now),
        ),
      );
    } else {
      const values = await takeDeliveries(tx, place, at);
      if (!values) return;
      await mailAll(context, readers, (reader) =>
        inSavepoint(tx, () =>
          queue(tx, context, 'EventUndelivered', reader, { ...values, ...common, store: reader.store }, now),
        ),
      );
    }
    await tx.query({
      name: 'notice-mailed',
      text: `UPDATE notice_mails SET mailed_at = $4 WHERE store_id = $1 AND environment = $2::"Environment" AND kind = $3`,
      values: [place.storeId, place.environment, place.kind, now],
    });
  });

/** Locks the store's hour. False when another worker has mailed meanwhile. */
async function lockHour(tx: Tx, { storeId, environment, kind }: Place, now: Date): Promise<boolean> {
  const { rows } = await tx.query<{ isFree: boolean }>({
    name: 'notice-lock',
    text: `INSERT INTO notice_mails AS n (store_id, environment, kind, mailed_at) VALUES ($1, $2::"Environment", $3, 'epoch')
           ON CONFLICT (store_id, environment, kind) DO UPDATE SET mailed_at = n.mailed_at
           RETURNING n.mailed_at <= $4::timestamptz - interval '1 hour' AS "isFree"`,
    values: [storeId, environment, kind, now],
  });
  return rows[0]?.isFree === true;
}

const queue = <Kind_ extends 'PaymentException' | 'EventUndelivered'>(
  tx: Tx,
  context: Context,
  kind: Kind_,
  { email, locale }: Reader,
  values: MailValues[Kind_],
  now: Date,
): Promise<void> => queueMail(tx, context, { to: email, kind, values, locale, now });

/** A failure for one member does not affect the other members. Throws when no member can be mailed. */
async function mailAll(context: Context, readers: readonly Reader[], mail: (reader: Reader) => Promise<void>) {
  let failed = 0;
  for (const reader of readers)
    try {
      await mail(reader);
    } catch (error) {
      failed++;
      if (isLostRace(error) || failed === readers.length) throw error;
      context.log.error({ err: error }, 'a notice could not be queued for one member');
    }
}
