// Creates a refund of a paid session: the session's part, the day's part, what is set apart of the store's coins and the refund
// itself become true in one transaction, with the nonce. The session row's lock is what refunds of one session take turns by,
// so copies of one request meet there and get one refund.

import { checkSpent, SPEND_NONCE, SPENT_COLUMNS, type Caller } from '@/lib/auth/nonces';
import { networkSpec } from '@/lib/chains/networks';
import { offers } from '@/lib/chains/registry';
import type { Context } from '@/lib/context';
import { sameBytes } from '@/lib/crypto';
import { SqlState, sqlState, transaction, type Tx } from '@/lib/db';
import { ServiceError } from '@/lib/errors';
import { isSessionId, type Environment } from '@/lib/ids';
import type { JsonObject } from '@/lib/json';
import { jsonText } from '@/lib/json-text';
import { reserveRefund } from '@/lib/ledger/post-refund';
import type { DecimalsOf } from '@/lib/ledger/sources';
import { centsToBaseUnits, centsToText } from '@/lib/money';
import type { SessionStatus } from '@/prisma/generated/enums';
import { intentIdOf } from './intent';
import { REFUND_COLUMNS, refundFacts, type RefundRow } from './read';
import { adoptRecovered, recoveredName } from './recover-adopt';
import { checkRefundable, refundDay, requestHash } from './rules';
import type { CreateRefundRequest } from './schema';
import type { RefundFacts } from './view';

/** The same refund_id can lose to itself once: under another session, whose row is another lock. */
const TRIES = 3;

/** Creates the refund, or answers the one that this very request made before. Throws ServiceError; nothing is kept then. */
export async function createRefund(
  context: Context,
  caller: Caller,
  request: CreateRefundRequest,
): Promise<RefundFacts> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await transaction(context.pool, (tx) => createOnce(context, tx, caller, request));
    } catch (error) {
      if (attempt >= TRIES || sqlState(error) !== SqlState.uniqueViolation) throw error;
    }
  }
}

async function createOnce(
  context: Context,
  tx: Tx,
  caller: Caller,
  request: CreateRefundRequest,
): Promise<RefundFacts> {
  const now = context.clock.now();
  const { key } = caller;
  const { rows } = await tx.query<LockedRow>({ ...LOCK, values: lockValues(caller, request) });
  const locked = rows[0] as LockedRow;
  checkSpent(locked);

  const hash = requestHash(request);
  const existing = await findExisting(tx, caller, request, hash);
  if (existing) return existing;
  if (locked.id === null) {
    throw new ServiceError(locked.elsewhere ? 'session_access_denied' : 'SESSION_NOT_FOUND', { param: 'session_id' });
  }

  const amount = BigInt(request.amount);
  const network = checkRefundable(
    {
      status: locked.status,
      amountDue: BigInt(locked.amount_due),
      amountRefunded: BigInt(locked.amount_refunded),
      closedAt: locked.closed_at,
      network: locked.completed_network,
    },
    {
      amount,
      currency: request.currency,
      now,
      windowDays: locked.refund_window_days,
      tokensOn: tokensOn(context, key.environment),
    },
  );
  const limit = BigInt(locked.refund_day_limit);
  const refund = await insert(tx, { caller, request, network, hash, now, limit });
  const decimalsOf = decimalsIn(context, key.environment);
  const units = centsToBaseUnits(amount, decimalsOf({ network, currency: request.currency }));
  const isReserved = await reserveRefund(
    tx,
    {
      intentId: refund.id,
      storeId: key.storeId,
      environment: key.environment,
      sessionId: locked.id,
      paid: { network, currency: request.currency, amount: units },
    },
    decimalsOf,
  );
  if (!isReserved) throw new ServiceError('INSUFFICIENT_BALANCE', { param: 'amount' });
  return refund;
}

type LockedRow = {
  alive: boolean;
  spent: boolean;
  refund_day_limit: string;
  refund_window_days: number;
  /** Whether the session is another store's. */
  elsewhere: boolean;
} & (
  | {
      id: string;
      status: SessionStatus;
      amount_due: string;
      amount_refunded: string;
      closed_at: Date | null;
      completed_network: string | null;
    }
  | { id: null }
);

const LOCK = {
  name: 'refund-lock-session',
  text: `WITH ${SPEND_NONCE},
           session AS MATERIALIZED (SELECT id, status, amount_due, amount_refunded, closed_at, completed_network FROM sessions
             WHERE id = $3 AND store_id = $4 AND environment = $5::"Environment" FOR UPDATE)
         SELECT ${SPENT_COLUMNS}, st.refund_day_limit, st.refund_window_days, session.*,
           EXISTS (SELECT FROM sessions o WHERE o.id = $3 AND o.environment = $5::"Environment" AND o.store_id <> $4) AS elsewhere
         FROM stores st LEFT JOIN session ON true WHERE st.id = $4`,
};

const lockValues = ({ key, nonce }: Caller, { session_id }: CreateRefundRequest): unknown[] => [
  key.id,
  nonce,
  isSessionId(session_id) ? session_id : null,
  key.storeId,
  key.environment,
];

/** Looked for after the lock was got: a copy of this request may have held it. Throws REFUND_ID_CONFLICT. */
async function findExisting(
  tx: Tx,
  { key }: Caller,
  request: CreateRefundRequest,
  hash: Buffer,
): Promise<RefundFacts | null> {
  const intentId = intentIdOf({ storeId: key.storeId, environment: key.environment, refundId: request.refund_id });
  const { rows } = await tx.query<RefundRow & { request_hash: Buffer }>({
    name: 'refund-existing',
    text: `SELECT ${REFUND_COLUMNS}, r.request_hash FROM refunds r
           WHERE (r.store_id = $1 AND r.environment = $2::"Environment" AND r.refund_id = $3) OR r.id = $4`,
    values: [key.storeId, key.environment, request.refund_id, intentId],
  });
  const row = rows[0];
  if (!row) return null;
  // Forgotten in a restored database, where it has had no name since.
  if (row.refund_id === recoveredName(intentId)) return adoptRecovered(tx, row, request, hash);
  if (!sameBytes(row.request_hash, hash)) throw new ServiceError('REFUND_ID_CONFLICT', { param: 'refund_id' });
  return refundFacts(row);
}

type Made = {
  readonly caller: Caller;
  readonly request: CreateRefundRequest;
  readonly network: string;
  readonly hash: Buffer;
  readonly now: Date;
  /** Cents that the store may refund a day. */
  readonly limit: bigint;
};

/** Counts the amount for the session and the day, and writes the refund. Throws DAILY_REFUND_LIMIT_EXCEEDED. */
async function insert(tx: Tx, { caller: { key }, request, network, hash, now, limit }: Made): Promise<RefundFacts> {
  const { storeId, environment } = key;
  const metadata = request.metadata === undefined ? null : jsonText(request.metadata as JsonObject);
  const { rows } = await tx.query<RefundRow>({
    ...INSERT,
    values: [
      intentIdOf({ storeId, environment, refundId: request.refund_id }),
      storeId,
      environment,
      request.refund_id,
      request.session_id,
      request.amount,
      request.currency,
      network,
      request.reason ?? null,
      request.description ?? null,
      metadata,
      hash,
      refundDay(now),
      now,
      limit,
    ],
  });
  if (rows[0]) return refundFacts(rows[0]);
  throw new ServiceError('DAILY_REFUND_LIMIT_EXCEEDED', {
    param: 'amount',
    message: `The refunds of this UTC day would be more than the ${centsToText(limit)} that the store may make. Try again after midnight UTC.`,
  });
}

const INSERT = {
  name: 'refund-insert',
  text: `WITH session AS (
           UPDATE sessions SET amount_refunded = amount_refunded + $6 WHERE id = $5 RETURNING order_id),
         day AS (
           INSERT INTO refund_days AS d (store_id, environment, day, amount)
           SELECT $2, $3::"Environment", $13::date, $6 FROM session WHERE $6 <= $15::bigint
           ON CONFLICT (store_id, environment, day) DO UPDATE SET amount = d.amount + excluded.amount
             WHERE d.amount + excluded.amount <= $15::bigint RETURNING 1),
         r AS (
           INSERT INTO refunds (id, store_id, environment, refund_id, session_id, order_id, amount, currency, network, reason,
             description, metadata, request_hash, day, created_at)
           SELECT $1, $2, $3::"Environment", $4, $5, session.order_id, $6, $7, $8, $9, $10, $11::json, $12, $13::date, $14
           FROM session, day RETURNING *),
         change AS (
           INSERT INTO refund_status_changes (intent_id, move, "to", at) SELECT id, 'create', status, $14 FROM r)
         SELECT ${REFUND_COLUMNS} FROM r`,
};

/** The tokens that refunds on a network are paid out in: those that exist there, less what the operator left off. */
const tokensOn =
  ({ config }: Context, environment: Environment) =>
  (network: string): readonly string[] => {
    const offered = offers(config).find(({ spec }) => spec.environment === environment && spec.network === network);
    if (offered) return offered.currencies;
    // Its endpoints are gone from the settings: the refund waits until they are back.
    const tokens = Object.entries(networkSpec(environment, network, config.TEST_CHAINS)?.tokens ?? {});
    return tokens.filter(([, { offByDefault }]) => offByDefault === undefined).map(([currency]) => currency);
  };

const decimalsIn =
  ({ config }: Context, environment: Environment): DecimalsOf =>
  ({ network, currency }) => {
    const token = networkSpec(environment, network, config.TEST_CHAINS)?.tokens[currency];
    if (!token) throw new Error(`${currency} on ${network} is not in the networks table`);
    return token.decimals;
  };
