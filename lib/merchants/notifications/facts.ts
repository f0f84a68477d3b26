// The content of mails about payment exceptions and undelivered events: the first one that no mail has mentioned, and the
// number of others. Taking them marks them as mentioned, in the caller's transaction.

import type { Tx } from '@/lib/platform/database/db';
import type { Environment } from '@/lib/platform/ids';
import type { MailValues } from '@/lib/merchants/mail/texts';
import { baseUnitsToCents, centsToText } from '@/lib/money/amounts';
import { slowSchedule } from '@/lib/webhooks/delivery/schedule';

/** A store with more of them gets a mail about the rest an hour later. */
const MAX_TAKEN = 10_000;
type Place = { readonly storeId: string; readonly environment: Environment };
type Facts<Kind extends 'PaymentException' | 'EventUndelivered'> = Omit<MailValues[Kind], 'store' | 'settings'>;

/** Merchants choose order ids. On one line an id cannot imitate another part of the mail. */
const onOneLine = (text: string): string => text.replaceAll(/[\p{C}\p{Z}\s]+/gu, ' ').slice(0, 200);

/** Null when there is none, or all of them are resolved. `at`: the address of the store's pages. */
export async function takeExceptions(tx: Tx, of: Place, at: string): Promise<Facts<'PaymentException'> | null> {
  const { rows } = await tx.query<
    Record<'kind' | 'amount' | 'currency' | 'network' | 'order' | 'session' | 'count', string> & { decimals: number }
  >({
    name: 'take-untold-exceptions',
    text: `WITH taken AS (
             UPDATE payment_exceptions SET is_notice_due = false WHERE id IN (
               SELECT id FROM payment_exceptions WHERE is_notice_due AND environment = 'live' AND environment = $2::"Environment"
                 AND store_id = $1 ORDER BY id LIMIT ${MAX_TAKEN} FOR UPDATE SKIP LOCKED)
             RETURNING id, kind, amount - counted AS amount, transfer_id, session_id, state)
           SELECT c.kind, trunc(c.amount)::text AS amount, t.currency, t.decimals, t.network, s.order_id AS order,
             s.id AS session, (count(*) OVER ())::text AS count
           FROM taken c JOIN transfers t ON t.id = c.transfer_id JOIN sessions s ON s.id = c.session_id
           WHERE c.state = 'open' ORDER BY c.id LIMIT 1`,
    values: [of.storeId, of.environment],
  });
  const row = rows[0];
  if (!row) return null;
  return {
    reason: row.kind,
    amount: `${centsToText(baseUnitsToCents(BigInt(row.amount), row.decimals))} ${row.currency}`,
    network: row.network,
    order: onOneLine(row.order),
    link: `${at}/payments/${row.session}`,
    more: String(Number(row.count) - 1),
  };
}

/** Null when there is none. */
export async function takeDeliveries(tx: Tx, of: Place, at: string): Promise<Facts<'EventUndelivered'> | null> {
  const { rows } = await tx.query<{
    id: string;
    type: string;
    url: string | null;
    answer: string | null;
    slowLane: boolean | null;
    wasRetried: boolean;
    count: string;
  }>({
    name: 'take-untold-deliveries',
    text: `WITH taken AS (
             UPDATE deliveries SET is_notice_due = false WHERE id IN (
               SELECT id FROM deliveries WHERE is_notice_due AND store_id = $1 AND environment = $2::"Environment"
                 ORDER BY id LIMIT ${MAX_TAKEN} FOR UPDATE SKIP LOCKED)
             RETURNING id, event_id, attempts, store_id, environment)
           SELECT d.id, v.type::text AS type, a.url, coalesce(a.status_code::text, a.error) AS answer, e.slow_lane AS "slowLane",
             d.attempts > 1 AS "wasRetried", (count(*) OVER ())::text AS count
           FROM taken d JOIN events v ON v.id = d.event_id
             LEFT JOIN delivery_attempts a ON a.delivery_id = d.id AND a.number = d.attempts
             LEFT JOIN webhook_endpoints e ON e.store_id = d.store_id AND e.environment = d.environment
           ORDER BY d.id LIMIT 1`,
    values: [of.storeId, of.environment],
  });
  const row = rows[0];
  if (!row) return null;
  const { minutes, hours, total } = slowSchedule();
  return {
    environment: of.environment,
    event: row.type,
    // The path of an address may hold a secret.
    host: row.url !== null && URL.canParse(row.url) ? new URL(row.url).host : '—',
    answer: row.answer ?? '—',
    // An answer that is never retried would not be retried for three days either.
    offer: row.slowLane === false && row.wasRetried ? 'yes' : 'no',
    offerLink: `${at}/webhooks#endpoint`,
    ...{ minutes, hours, total: String(total) },
    link: `${at}/webhooks/deliveries/${row.id}`,
    more: String(Number(row.count) - 1),
  };
}
