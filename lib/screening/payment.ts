// Whether a refund or payout may be drafted, by the stored answers of its payee and of everyone who paid its session. Reads and requests
// only: the worker's step asks the sources, so a slow source delays no other payment.

import type { Config } from '@/lib/platform/config/config';
import type { Db } from '@/lib/platform/database/db';
import type { Environment } from '@/lib/platform/ids';
import { screenedNetworks } from './policy';
import { isSender } from './sender-sql';

/** Hours for which the answer about a payee holds. Senders are screened once, for their transaction. */
const PAYEE_HOURS = 24;

export type ScreenedPayment = {
  readonly environment: Environment;
  readonly network: string;
  /** In stored form. */
  readonly payee: string;
  /** The session that a refund belongs to; null for a payout. */
  readonly sessionId: string | null;
};

export type Verdict = 'clear' | 'hit' | 'unknown';

/** Requests the answer about a payee if there is none, or if it is old. The worker asks the sources. */
export async function requestPayee(
  db: Db,
  config: Config,
  { environment, network, payee, now }: Omit<ScreenedPayment, 'sessionId'> & { readonly now: Date },
): Promise<void> {
  if (!screenedNetworks(config, environment, 'payee').includes(network)) return;
  await db.query({
    name: 'screening-request-payee',
    text: `INSERT INTO screenings AS s (environment, network, address, role, requested_at, next_at)
           VALUES ($1::"Environment", $2, $3, 'payee', $4, $4)
           ON CONFLICT (environment, network, address, role, transaction_hash) DO UPDATE
             SET verdict = 'unknown', reason = NULL, requested_at = $4, next_at = $4, attempts = 0, epoch = s.epoch + 1
             WHERE s.verdict = 'clear' AND s.checked_at <= $5`,
    values: [environment, network, payee, now, oldestOf(now)],
  });
}

/** Requests the answers about the senders of a session that nothing was requested for, for example because they paid long ago. */
async function requestSenders(db: Db, sessionId: string, networks: readonly string[], now: Date): Promise<void> {
  await db.query({
    name: 'screening-request-senders',
    text: `INSERT INTO screenings (environment, network, address, role, transaction_hash, store_id, requested_at, next_at)
           SELECT DISTINCT s.environment, t.network, t.payer, 'sender', t.transaction_hash, s.store_id, $3::timestamptz, $3::timestamptz
           FROM transfers t JOIN sessions s ON s.id = t.session_id
           WHERE t.session_id = $1 AND t.network = ANY($2) ON CONFLICT DO NOTHING`,
    values: [sessionId, networks, now],
  });
}

/** Requests every answer that the payment needs. A statement only where something is screened. */
export async function requestOf(
  db: Db,
  config: Config,
  payment: ScreenedPayment & { readonly now: Date },
): Promise<void> {
  const { environment, sessionId, now } = payment;
  await requestPayee(db, config, payment);
  const networks = screenedNetworks(config, environment, 'sender');
  if (sessionId !== null && networks.length > 0) await requestSenders(db, sessionId, networks, now);
}

/**
 * `hit`: the payee or a sender has a hit that is not released, also while its source is switched off. `unknown`: an answer is missing
 * that the settings demand.
 */
export async function paymentVerdict(
  db: Db,
  config: Config,
  { environment, network, payee, sessionId, now }: ScreenedPayment & { readonly now: Date },
): Promise<Verdict> {
  const isPayeeScreened = screenedNetworks(config, environment, 'payee').includes(network);
  const senders = screenedNetworks(config, environment, 'sender');
  const { rows } = await db.query<{ hit: boolean; unknown: boolean }>({
    name: 'screening-of-payment',
    text: `SELECT coalesce(bool_or(verdict = 'hit' AND released_at IS NULL), false) AS hit,
             coalesce(bool_or(screened AND (verdict IS NULL OR verdict = 'unknown' OR checked_at <= oldest)), false) AS unknown
           FROM (
             SELECT $4::boolean AS screened, x.verdict, x.released_at,
               CASE WHEN x.verdict = 'clear' THEN x.checked_at END AS checked_at, $5::timestamptz AS oldest
             FROM (SELECT) AS one LEFT JOIN screenings x ON x.environment = $1::"Environment" AND x.network = $2
               AND x.address = $3 AND x.role = 'payee' AND x.transaction_hash = ''
             UNION ALL
             SELECT t.network = ANY($7), x.verdict, x.released_at, NULL, NULL
             FROM transfers t JOIN sessions s ON s.id = t.session_id
               LEFT JOIN screenings x ON ${isSender({ screening: 'x', transfer: 't', environment: 's.environment' })}
             WHERE t.session_id = $6) AS answers`,
    values: [environment, network, payee, isPayeeScreened, oldestOf(now), sessionId, senders],
  });
  const [row] = rows;
  if (!row) throw new Error('an aggregate returned no row');
  return row.hit ? 'hit' : row.unknown ? 'unknown' : 'clear';
}

const oldestOf = (now: Date): Date => new Date(now.getTime() - PAYEE_HOURS * 3_600_000);
