// Quarantine: when a worker step fails on a row of one tenant, it stores the row's error and retries the row alone later. The
// step continues with all other rows. Operators see the list under Jobs, in a metric and by mail (lib/worker/quarantine). An
// outage of the database is no row's error: the quarantine write fails too, and so does the step.

import type { Context } from '@/lib/platform/context';
import type { Db } from './db';
import { errorText } from '@/lib/platform/errors/error-text';
import type { Environment } from '@/lib/platform/ids';

/**
 * `session`: settling it. `transfer`, `outgoing_transfer`, `unconfirmed_transfer`: storing it. `account`: reading a session's accounts on its chain. `address`:
 * comparing it with the chain. `refund`, `payout`, `cold_transfer`, `delivery`, `mail`: processing it. `pause`, `notice`: mailing a store's members about
 * it. `wallet`: comparing the refund wallet of a network with the chain; refunds that need it wait. `month`: closing a store's
 * statement of a month. `payout_address`: announcing it to the store's owners. `payout_schedule`: requesting its payouts. `payout_rate`: mailing the
 * owners about it. `old_record`: removing it after its retention.
 */
export type QuarantineKind =
  | 'session'
  | 'transfer'
  | 'outgoing_transfer'
  | 'unconfirmed_transfer'
  | 'account'
  | 'address'
  | 'refund'
  | 'payout'
  | 'cold_transfer'
  | 'delivery'
  | 'mail'
  | 'pause'
  | 'wallet'
  | 'notice'
  | 'month'
  | 'payout_address'
  | 'payout_schedule'
  | 'payout_rate'
  | 'old_record';

export type Subject = {
  readonly kind: QuarantineKind;
  readonly id: string;
  readonly storeId?: string;
  readonly environment?: Environment;
  readonly network?: string;
  /** The session whose payments are not all known until this is resolved. It does not expire meanwhile. */
  readonly sessionId?: string;
  /** Facts that are stored nowhere else. */
  readonly facts?: object;
  /** The longest pause between two retries, if it differs from the usual one of its kind. */
  readonly longestPauseSeconds?: number;
};

/** Retries start at 5, 10, 20 … seconds after each failure and end at one an hour. */
const FIRST_RETRY_SECONDS = 5;
const LONGEST_PAUSE_SECONDS = 3600;
/** A payment may hold an account nonce of the wallet, and an account may hold a payment, so they are retried every minute. */
const LONGEST_PAUSES: Partial<Record<QuarantineKind, number>> = {
  refund: 60,
  payout: 60,
  cold_transfer: 60,
  account: 60,
};

const PUT = {
  name: 'quarantine-put',
  text: `INSERT INTO quarantine AS q (kind, subject_id, store_id, environment, network, session_id, step, error, facts,
             attempts, first_at, last_at, next_run_at)
           SELECT $1::text, $2::text, coalesce($3::text, s.store_id), coalesce($4::"Environment", s.environment), $5, $12, $6, $7,
             $8::json, $9::int, $10::timestamptz, $10::timestamptz, $10::timestamptz + $11::float8 * interval '1 second'
           FROM (SELECT) AS one LEFT JOIN sessions s ON s.id = coalesce($12::text, $2::text)
         ON CONFLICT (kind, subject_id) DO UPDATE SET step = EXCLUDED.step, epoch = q.epoch + 1, resolved_at = NULL,
           decision = NULL,
           error = CASE WHEN $9::int = 0 AND q.resolved_at IS NULL THEN q.error ELSE EXCLUDED.error END,
           facts = coalesce(EXCLUDED.facts, q.facts), last_at = EXCLUDED.last_at,
           attempts = CASE WHEN q.resolved_at IS NULL THEN q.attempts + $9::int ELSE $9::int END,
           first_at = CASE WHEN q.resolved_at IS NULL THEN q.first_at ELSE EXCLUDED.first_at END,
           next_run_at = CASE WHEN $9::int = 0 THEN EXCLUDED.next_run_at ELSE EXCLUDED.last_at + interval '1 second' * least($13::int,
             ${FIRST_RETRY_SECONDS} * 2 ^ CASE WHEN q.resolved_at IS NULL THEN least(q.attempts, 20) ELSE 0 END) END
         WHERE q.decision IS NULL OR coalesce(EXCLUDED.facts, q.facts)::jsonb <> q.facts::jsonb
         RETURNING attempts`,
};

type Put = {
  readonly db: Db;
  readonly now: Date;
  readonly step: string;
  readonly error: string;
  readonly isFailure: boolean;
};

async function put({ db, now, step, error, isFailure }: Put, subject: Subject): Promise<number> {
  const { kind, id, storeId, environment, network, sessionId, facts } = subject;
  const { rows } = await db.query<{ attempts: number }>({
    ...PUT,
    values: [
      ...[kind, id, storeId ?? null, environment ?? null, network ?? null, step, error],
      ...[
        facts ? JSON.stringify(facts) : null,
        isFailure ? 1 : 0,
        now,
        isFailure ? FIRST_RETRY_SECONDS : 0,
        sessionId ?? null,
        subject.longestPauseSeconds ?? LONGEST_PAUSES[kind] ?? LONGEST_PAUSE_SECONDS,
      ],
    ],
  });
  return rows[0]?.attempts ?? 0;
}

type Deps = Pick<Context, 'clock' | 'log'> & { readonly db: Db };

/** Stores that a step failed on a row. Throws when that cannot be stored. */
export async function quarantine(
  { db, clock, log }: Deps,
  step: string,
  subject: Subject,
  error: unknown,
): Promise<void> {
  const text = errorText(error);
  const attempts = await put({ db, now: clock.now(), step, error: text, isFailure: true }, subject);
  const { kind, id, storeId, environment, network } = subject;
  const about = { kind, id, storeId, environment, network, step, attempts };
  log.error({ err: error, ...about }, 'a row is in quarantine: everything else goes on without it');
}

/** In the caller's transaction, records that a row must be processed alone afterwards. */
export async function queueAlone(tx: Db, step: string, subject: Subject, now: Date): Promise<void> {
  await put({ db: tx, now, step, error: 'waits for its first attempt by itself', isFailure: false }, subject);
}

/** Works on one subject after the other and quarantines those that throw. Returns the others. */
export async function eachAlone<One extends Subject>(
  context: Pick<Context, 'pool' | 'clock' | 'log'>,
  step: string,
  subjects: readonly One[],
  work: (subject: One) => Promise<unknown>,
): Promise<One[]> {
  const done: One[] = [];
  for (const subject of subjects) {
    try {
      await work(subject);
      done.push(subject);
    } catch (error) {
      await quarantine({ ...context, db: context.pool }, step, subject, error);
    }
  }
  return done;
}

/** Quarantines the collected failures. */
export async function quarantineFailed<Item>(
  deps: Deps,
  step: string,
  failed: readonly { readonly item: Item; readonly error: unknown }[],
  subjectOf: (item: Item) => Subject,
): Promise<void> {
  for (const { item, error } of failed) await quarantine(deps, step, subjectOf(item), error);
}

type Ended = {
  readonly kind: QuarantineKind;
  readonly ids: readonly string[];
  readonly now: Date;
  /** Excludes those that failed again meanwhile. */
  readonly isDueOnly?: boolean;
};

/** Ends the quarantine of rows that were processed without an error. */
export async function endQuarantine(db: Db, { kind, ids, now, isDueOnly = false }: Ended): Promise<void> {
  if (ids.length === 0) return;
  await db.query({
    name: 'quarantine-end',
    text: `UPDATE quarantine SET resolved_at = $3::timestamptz
           WHERE kind = $1 AND subject_id = ANY($2) AND resolved_at IS NULL AND (NOT $4::boolean OR next_run_at <= $3)`,
    values: [kind, ids, now, isDueOnly],
  });
}

/** SQL: whether a row is not in quarantine, or is due for a retry. `id` and `now` are expressions; `id` is text. */
export const isDueAlone = (kind: QuarantineKind, id: string, now: string): string =>
  `NOT EXISTS (SELECT FROM quarantine q WHERE q.kind = '${kind}' AND q.subject_id = ${id} AND q.resolved_at IS NULL
     AND q.next_run_at > ${now})`;

/** SQL: whether a row is not in quarantine at all, for rows that another step retries. */
export const isNotQuarantined = (kind: QuarantineKind, id: string): string =>
  `NOT EXISTS (SELECT FROM quarantine q WHERE q.kind = '${kind}' AND q.subject_id = ${id} AND q.resolved_at IS NULL)`;
