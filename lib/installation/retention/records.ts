// Which rows go after their retention, and the line of each in an archive. A row goes only when it has ended and nothing waits for it.
// The lines name their columns: a mail's text, which is sealed, and what a webhook's URL has after its host, are in no archive.

import { CUSTOMER_RANK } from '@/lib/merchants/mail/queue';
import { isDueAlone } from '@/lib/platform/database/quarantine';
import type { Config } from '@/lib/platform/config/config';

export type OldRecords = {
  /** The table, as archives name it. */
  readonly source: 'deliveries' | 'events' | 'mails';
  readonly setting: 'DELIVERY_RETENTION_DAYS' | 'EVENT_RETENTION_DAYS' | 'MAIL_RETENTION_DAYS';
  /** They never go without an archive. */
  readonly isArchiveNeeded?: true;
  /** The oldest rows that ended before $1, with the time of their end. $2: now. */
  readonly find: string;
  /** The lines of the rows $1. */
  readonly read: string;
  /** Removes those of the rows $1 that ended before $2, and returns their lines. */
  readonly remove: string;
};

/** Rows of one file, and of one deletion: some megabytes, far below the limits of time. */
export const AT_ONCE = 2000;

/** A delivery goes after every other one of its event, so that an event that arrived never looks like one that failed. */
const deliveryMayGo = (before: string): string =>
  `d.finished_at < ${before} AND d.status <> 'pending' AND NOT d.is_notice_due
  AND (SELECT bool_and(coalesce(o.finished_at < ${before}, false)) FROM deliveries o WHERE o.event_id = d.event_id)`;

/** The path, too, may hold a token. */
const HOST = `regexp_replace(a.url, '^(https?://)(?:[^/?#@]*@)?([^/?#]*).*$', '\\1\\2')`;

/** Of the rows `gone` with their attempts `tried`. */
const DELIVERY_LINES = `SELECT line.id, row_to_json(line)::text AS line FROM (
    SELECT d.id, d.event_id, d.store_id, d.environment, d.status, d.lane, d.created_at, d.finished_at, coalesce(t.list, '[]') AS attempts
    FROM gone d LEFT JOIN (
      SELECT a.delivery_id, json_agg(json_build_object('number', a.number, 'host', ${HOST}, 'started_at', a.started_at,
          'finished_at', a.finished_at, 'duration_ms', a.duration_ms, 'status_code', a.status_code, 'error', a.error, 'answer', a.answer,
          'request_headers', a.request_headers) ORDER BY a.number) AS list
      FROM tried a GROUP BY a.delivery_id) t ON t.delivery_id = d.id) AS line
  ORDER BY line.finished_at, line.id`;

const DELIVERIES: OldRecords = {
  source: 'deliveries',
  setting: 'DELIVERY_RETENTION_DAYS',
  find: `SELECT d.id, d.finished_at AS at FROM deliveries d
         WHERE ${deliveryMayGo('$1')} AND ${isDueAlone('old_record', `'deliveries ' || d.id`, '$2')}
         ORDER BY d.finished_at, d.id LIMIT ${AT_ONCE}`,
  read: `WITH gone AS (SELECT * FROM deliveries WHERE id = ANY($1::bigint[])),
           tried AS (SELECT * FROM delivery_attempts WHERE delivery_id = ANY($1::bigint[]))
         ${DELIVERY_LINES}`,
  remove: `WITH gone AS (DELETE FROM deliveries d WHERE d.id = ANY($1::bigint[]) AND ${deliveryMayGo('$2')} RETURNING d.*),
             tried AS (DELETE FROM delivery_attempts a USING gone WHERE a.delivery_id = gone.id RETURNING a.*)
           ${DELIVERY_LINES}`,
};

/** Deliveries go first. A store without events of the time costs one look into an index. */
const eventMayGo = (before: string): string =>
  `e.created_at < ${before} AND (SELECT count(*) FROM (SELECT FROM deliveries d WHERE d.event_id = e.id LIMIT 1) AS waiting) = 0`;
const OLD_EVENT = `e.store_id = p.store_id AND e.environment = p.environment AND ${isDueAlone('old_record', `'events ' || e.id`, '$2')}`;
const EVENT_LINES = `SELECT line.id, row_to_json(line)::text AS line FROM (
    SELECT e.id, e.store_id, e.environment, e.type, e.object_id, e.body, e.created_at, e.written_in, e.is_test, e.cause FROM gone e) AS line
  ORDER BY line.written_in, line.id`;

const EVENTS: OldRecords = {
  source: 'events',
  setting: 'EVENT_RETENTION_DAYS',
  isArchiveNeeded: true,
  find: `WITH place AS MATERIALIZED (
           SELECT id AS store_id, environment FROM stores, unnest(enum_range(NULL::"Environment")) AS environment),
         month AS MATERIALIZED (
           SELECT date_trunc('month', min(oldest.created_at), 'UTC') AS began FROM place p CROSS JOIN LATERAL (
             SELECT e.created_at FROM events e WHERE ${OLD_EVENT} AND ${eventMayGo('$1')} ORDER BY e.created_at LIMIT 1) AS oldest)
         SELECT found.id, found.created_at AS at FROM month CROSS JOIN place p CROSS JOIN LATERAL (
           SELECT e.id, e.created_at FROM events e
           WHERE ${OLD_EVENT} AND ${eventMayGo(`least($1, month.began + interval '1 month')`)} ORDER BY e.created_at LIMIT ${AT_ONCE}) AS found
         LIMIT ${AT_ONCE}`,
  read: `WITH gone AS (SELECT * FROM events WHERE id = ANY($1::text[])) ${EVENT_LINES}`,
  remove: `WITH gone AS (DELETE FROM events e WHERE e.id = ANY($1::text[]) AND ${eventMayGo('$2')} RETURNING e.*) ${EVENT_LINES}`,
};

/** One that failed stays: an operator sees it under Jobs, and may send it again. Web may write the time of sending, but not that of its creation. */
const mailMayGo = (before: string): string => `m.sent_at < ${before} AND m.created_at < ${before}`;

/** A customer's address is deleted when the mail was sent, and is not exported where it was not. */
const MAIL_LINES = `SELECT line.id, row_to_json(line)::text AS line FROM (
    SELECT m.id, CASE WHEN m.rank = ${CUSTOMER_RANK} THEN '' ELSE m.recipient END AS recipient, m.subject, m.rank, m.attempts,
      m.created_at, m.sent_at FROM gone m) AS line
  ORDER BY line.sent_at, line.id`;

const MAILS: OldRecords = {
  source: 'mails',
  setting: 'MAIL_RETENTION_DAYS',
  find: `SELECT m.id, m.sent_at AS at FROM mails m
         WHERE ${mailMayGo('$1')} AND ${isDueAlone('old_record', `'mails ' || m.id`, '$2')}
         ORDER BY m.sent_at, m.id LIMIT ${AT_ONCE}`,
  read: `WITH gone AS (SELECT * FROM mails WHERE id = ANY($1::bigint[])) ${MAIL_LINES}`,
  remove: `WITH gone AS (DELETE FROM mails m WHERE m.id = ANY($1::bigint[]) AND ${mailMayGo('$2')} RETURNING m.*) ${MAIL_LINES}`,
};

export const OLD_RECORDS: readonly OldRecords[] = [DELIVERIES, EVENTS, MAILS];

/**
 * The time before which rows must have ended to go: the beginning of the UTC month that lies the retention back, so that a month goes as
 * a whole and a small shop gets one file of each. Null: they are kept for ever.
 */
export function endOfRetention({ setting }: OldRecords, config: Config, now: Date): Date | null {
  const days = config[setting];
  if (days === 0) return null;
  const last = new Date(now.getTime() - days * 86_400_000);
  return new Date(Date.UTC(last.getUTCFullYear(), last.getUTCMonth(), 1));
}

/** Such as 2026-08, in UTC. */
export const monthOf = (at: Date): string => at.toISOString().slice(0, 7);
