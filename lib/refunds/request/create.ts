// Creates a refund of a paid session. One transaction spends the nonce, counts the amount for the session and the day, reserves the store's
// money and inserts the refund. The lock of the session's row serializes the refunds of one session, so that copies of one request create
// one refund.

import { checkSpent, type Caller, type SpentRow } from '@/lib/merchants/api-keys/nonces';
import type { Context } from '@/lib/platform/context';
import { sameBytes } from '@/lib/platform/crypto';
import { noteChange } from '@/lib/platform/database/changes';
import { SqlState, sqlState, transaction, type Tx } from '@/lib/platform/database/db';
import { ServiceError } from '@/lib/platform/errors/errors';
import { isSessionId, type Environment } from '@/lib/platform/ids';
import type { JsonObject } from '@/lib/platform/json/json';
import { jsonText } from '@/lib/platform/json/json-text';
import { readSessionFunds, reserveRefund } from '@/lib/ledger/post-refund';
import { planRefund, type RefundPlan } from '@/lib/ledger/sources';
import { centsToText } from '@/lib/money/amounts';
import { checkDayCount, checkSessionCount, MAX_PER_DAY } from './counts';
import { INSERT_REFUND, LOCK_SESSION_SQL, type LockedRow } from './statement';
import { intentIdOf } from './intent';
import { REFUND_COLUMNS, refundFacts, type RefundRow } from '@/lib/refunds/read';
import { adoptRecovered, recoveredName } from '@/lib/refunds/recovery/adopt';
import { checkPaid, checkRefundable, payableNetworks, refundDay, requestHash, secondsToMidnight } from './rules';
import type { CreateRefundRequest } from './schema';
import { decimalsIn, tokensOn } from './tokens';
import type { RefundFacts } from '@/lib/refunds/view';

/** A request can lose a race for its refund_id once: to the same id for another session, which has a different lock. */
const TRIES = 3;

/** The requester: a signed call, whose nonce is spent with the refund, or the store's members in the dashboard. */
export type RefundMaker = {
  readonly storeId: string;
  readonly environment: Environment;
  /** Of the API request; absent for members. */
  readonly requestId?: string | undefined;
  readonly traceparent?: string | undefined;
  /** Locks the session if it belongs to the store. Throws when the maker may not act. */
  readonly lock: (tx: Tx, sessionId: string | null) => Promise<LockedRow>;
  /** Runs in the refund's transaction; not when the refund was made before. */
  readonly record?: (tx: Tx, refund: RefundFacts) => Promise<void>;
};

/** Creates the refund, or returns the one that the same request made before. Throws ServiceError; then nothing is stored. */
export const createRefund = (context: Context, caller: Caller, request: CreateRefundRequest): Promise<RefundFacts> =>
  createRefundFor(context, byKey(caller), request);

/** As `createRefund`, for any maker (lib/refunds/request/by-store for the dashboard). */
export const createRefundFor = (
  context: Context,
  maker: RefundMaker,
  request: CreateRefundRequest,
): Promise<RefundFacts> => inTransaction(context, (tx) => createIn(context, tx, maker, { request }));

/** Runs a transaction that creates refunds, and repeats it when it lost the race for a refund_id. */
export async function inTransaction<T>({ pool }: Context, work: (tx: Tx) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await transaction(pool, work);
    } catch (error) {
      if (attempt >= TRIES || sqlState(error) !== SqlState.uniqueViolation) throw error;
    }
  }
}

const byKey = (caller: Caller): RefundMaker => ({
  storeId: caller.key.storeId,
  environment: caller.key.environment,
  requestId: caller.requestId,
  traceparent: caller.traceparent,
  lock: async (tx, sessionId) => {
    const { key, nonce } = caller;
    const { rows } = await tx.query<LockedRow & SpentRow>({
      name: 'refund-lock-session',
      text: LOCK_SESSION_SQL,
      values: [key.id, nonce, sessionId, key.storeId, key.environment],
    });
    const locked = rows[0] as LockedRow & SpentRow;
    checkSpent(locked, caller);
    return locked;
  },
});

/** `payer`: the only one that this refund may pay back, and the network on which they paid (lib/refunds/request/split). */
type Requested = {
  readonly request: CreateRefundRequest;
  readonly payer?: { readonly network: string; readonly address: string } | undefined;
};

/** Creates one refund, or finds it, in a transaction that may create others of the session too. */
export async function createIn(
  context: Context,
  tx: Tx,
  maker: RefundMaker,
  { request, payer }: Requested,
): Promise<RefundFacts> {
  const now = context.clock.now();
  const { storeId, environment } = maker;
  const locked = await maker.lock(tx, isSessionId(request.session_id) ? request.session_id : null);

  const hash = requestHash(request, payer);
  const existing = await findExisting(tx, maker, { request, hash, payer: payer?.address ?? null });
  if (existing) return existing;
  if (locked.id === null) {
    throw new ServiceError(locked.elsewhere ? 'session_access_denied' : 'SESSION_NOT_FOUND', { param: 'session_id' });
  }

  const plan = await planOf(context, tx, { maker, request, locked, now, payer });
  await checkSessionCount(tx, locked.id, now);
  const limit = BigInt(locked.refund_day_limit);
  const refund = await insert(tx, {
    maker,
    request,
    network: plan.network,
    hash,
    now,
    limit,
    payer: payer?.address ?? null,
  });
  // After charged network costs, a store can have less money than its sessions may refund. The refund then waits for the balance
  // (reserve-late.ts).
  await reserveRefund(tx, { intentId: refund.id, storeId, environment, sessionId: locked.id }, plan.takes);
  await maker.record?.(tx, refund);
  return refund;
}

type Planned = {
  readonly maker: RefundMaker;
  readonly request: CreateRefundRequest;
  readonly locked: LockedRow & { readonly id: string };
  readonly now: Date;
  readonly payer: Requested['payer'];
};

/** Checks the request against its session. Returns where the refund is paid, and which of the session's money it takes. */
async function planOf(
  { config }: Context,
  tx: Tx,
  { maker: { storeId, environment }, request: { amount, currency }, locked, now, payer }: Planned,
): Promise<RefundPlan> {
  const session = {
    status: locked.status,
    amountDue: BigInt(locked.amount_due),
    amountRefunded: BigInt(locked.amount_refunded),
    closedAt: locked.closed_at,
  };
  checkPaid(session);
  const funds = await readSessionFunds(tx, { sessionId: locked.id, storeId });
  const found = { currency, network: locked.completed_network ?? '', funds, tokensOn: tokensOn(config, environment) };
  const networks = payer ? [payer.network] : payableNetworks(found);
  const cents = BigInt(amount);
  checkRefundable(session, { amount: cents, now, windowDays: locked.refund_window_days });
  const plan = planRefund(funds, { cents, currency, networks }, decimalsIn(config, environment));
  if (!plan) throw new ServiceError('INSUFFICIENT_BALANCE', { param: 'amount' });
  return plan;
}

/** Read under the lock: a copy of this request may have held it. Throws REFUND_ID_CONFLICT. */
async function findExisting(
  tx: Tx,
  { storeId, environment }: RefundMaker,
  request: Parameters<typeof adoptRecovered>[2],
): Promise<RefundFacts | null> {
  const { request: body, hash } = request;
  const intentId = intentIdOf({ storeId, environment, refundId: body.refund_id });
  const { rows } = await tx.query<RefundRow & { request_hash: Buffer }>({
    name: 'refund-existing',
    text: `SELECT ${REFUND_COLUMNS}, r.request_hash FROM refunds r
           WHERE (r.store_id = $1 AND r.environment = $2::"Environment" AND r.refund_id = $3) OR r.id = $4`,
    values: [storeId, environment, body.refund_id, intentId],
  });
  const row = rows[0];
  if (!row) return null;
  // The refund was recovered from the signer's journal, without its name.
  if (row.refund_id === recoveredName(intentId)) return adoptRecovered(tx, row, request);
  if (!sameBytes(row.request_hash, hash)) throw new ServiceError('REFUND_ID_CONFLICT', { param: 'refund_id' });
  return refundFacts(row);
}

type Made = {
  readonly maker: RefundMaker;
  readonly request: CreateRefundRequest;
  readonly network: string;
  readonly hash: Buffer;
  readonly now: Date;
  /** Cents that the store may refund a day. */
  readonly limit: bigint;
  readonly payer: string | null;
};

/** Counts the amount for the session and the day, and inserts the refund. Throws DAILY_REFUND_LIMIT_EXCEEDED or RATE_LIMITED. */
async function insert(tx: Tx, { maker, request, network, hash, now, limit, payer }: Made): Promise<RefundFacts> {
  const { storeId, environment } = maker;
  const metadata = request.metadata === undefined ? null : jsonText(request.metadata as JsonObject);
  const { rows } = await tx.query<RefundRow>({
    ...INSERT_REFUND,
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
      MAX_PER_DAY,
      payer,
      maker.requestId ?? null,
      maker.traceparent ?? null,
    ],
  });
  if (rows[0]) {
    const refund = refundFacts(rows[0]);
    noteChange(tx, {
      ...{ of: 'refund', to: refund.status, store: storeId, session: refund.sessionId, order_id: refund.orderId },
      ...{
        refund: refund.id,
        refund_id: refund.refundId,
        request_id: maker.requestId ?? null,
        traceparent: maker.traceparent ?? null,
      },
    });
    return refund;
  }
  await checkDayCount(tx, maker, now);
  throw new ServiceError('DAILY_REFUND_LIMIT_EXCEEDED', {
    param: 'amount',
    retryAfter: secondsToMidnight(now),
    message: `The refunds of this UTC day would be more than the ${centsToText(limit)} that the store may make. Try again after midnight UTC.`,
  });
}
