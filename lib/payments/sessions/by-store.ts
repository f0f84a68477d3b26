// Sessions that the store's own pages create and cancel: payment links and the till. The same use cases as the signed API, without
// key and nonce. The caller has authorized the request; related records are written in the transaction of the session.

import { isStoreOpen } from '@/lib/merchants/stores/store-status';
import type { Context } from '@/lib/platform/context';
import { transaction, type Db, type Tx } from '@/lib/platform/database/db';
import { ServiceError } from '@/lib/platform/errors/errors';
import type { Environment } from '@/lib/platform/ids';
import type { SessionBudget, SessionStatus, StoreStatus } from '@/prisma/generated/enums';
import { cancelIn } from './cancel';
import { createSessionFor, type SessionMaker } from './create/create';
import { createByStoreStatement, type CreateOutcome, type SessionStore } from './create/statement';
import type { CreateSessionRequest } from './create/schema';
import type { SessionFacts } from './view';

/** The owner of the sessions. */
export type SessionScope = { readonly storeId: string; readonly environment: Environment };

export type SessionSide = SessionScope & {
  /** The daily volume that the session counts towards; the store's by default. */
  readonly budget?: SessionBudget;
  /** Runs first in the session's transaction and throws when the session may no longer be created. */
  readonly check?: (tx: Tx) => Promise<void>;
  /** Runs in the same transaction as the session. */
  readonly record: (tx: Tx, sessionId: string) => Promise<void>;
};

/**
 * Creates a session and returns its id. Throws what `createSession` throws, STORE_NOT_FOUND, and store_not_active when the store is
 * not active; nothing is stored then.
 */
export async function createSessionByStore(
  context: Context,
  side: SessionSide,
  request: CreateSessionRequest,
): Promise<string> {
  const maker: SessionMaker = {
    store: await readSessionStore(context.pool, side),
    requestId: null,
    write: (session) =>
      transaction(context.pool, async (tx) => {
        await side.check?.(tx);
        const { rows } = await tx.query<CreateOutcome>(createByStoreStatement(maker.store, session));
        const outcome = rows[0] as CreateOutcome;
        if (!outcome.alive) throw new ServiceError('store_not_active');
        if (outcome.made) await side.record(tx, session.id);
        return outcome;
      }),
    earlier: () => Promise.reject(new Error('a session of the store’s own pages has no Idempotency-Key')),
  };
  const answer = await createSessionFor(context, maker, request, {
    idempotency: null,
    budget: side.budget,
    view: idOf,
  });
  return (JSON.parse(answer) as { id: string }).id;
}

const idOf = ({ id }: SessionFacts): { id: string } => ({ id });

/** Cancels a session of the store. Throws what `cancelSession` throws. */
export const cancelSessionByStore = (
  { pool, clock, log }: Pick<Context, 'pool' | 'clock' | 'log'>,
  { record, ...of }: Omit<SessionSide, 'check'>,
  sessionId: string,
): Promise<SessionFacts> =>
  transaction(pool, async (tx) => {
    const session = await cancelIn(tx, of, { sessionId, now: clock.now(), log });
    await record(tx, session.id);
    return session;
  });

/** A session by its order id; null when there is none. */
export async function findSessionOfOrder(
  db: Db,
  { storeId, environment }: SessionScope,
  orderId: string,
): Promise<OrderedSession | null> {
  const { rows } = await db.query<{ id: string; amount_total: string; currency: string; status: SessionStatus }>({
    name: 'session-of-order',
    text: `SELECT id, amount_total, currency, status FROM sessions
           WHERE store_id = $1 AND environment = $2::"Environment" AND order_id = $3`,
    values: [storeId, environment, orderId],
  });
  const [row] = rows;
  return row ? { id: row.id, amountTotal: BigInt(row.amount_total), currency: row.currency, status: row.status } : null;
}

export type OrderedSession = {
  readonly id: string;
  /** Minor units of `currency`. */
  readonly amountTotal: bigint;
  readonly currency: string;
  readonly status: SessionStatus;
};

async function readSessionStore(db: Db, { storeId, environment }: SessionScope): Promise<SessionStore> {
  const { rows } = await db.query<SessionStoreRow & { status: StoreStatus }>({
    name: 'session-store',
    text: `SELECT st.status, ${SESSION_STORE_COLUMNS} FROM stores st WHERE st.id = $1`,
    values: [storeId],
  });
  const [row] = rows;
  if (!row) throw new ServiceError('STORE_NOT_FOUND');
  if (!isStoreOpen(row.status, environment)) throw new ServiceError('store_not_active');
  return sessionStore({ storeId, environment }, row);
}

/** The columns that `sessionStore` reads, of the stores called `st`. */
export const SESSION_STORE_COLUMNS = `st.usd_currencies, st.networks, st.allowed_pairs, st.country_rules, st.accepts_other_token, st.settlement_currency,
  st.spread_basis_points`;

export type SessionStoreRow = {
  usd_currencies: string[];
  networks: string[];
  allowed_pairs: string[];
  country_rules: string;
  accepts_other_token: boolean;
  settlement_currency: string;
  spread_basis_points: number;
};

export const sessionStore = ({ storeId, environment }: SessionScope, row: SessionStoreRow): SessionStore => ({
  storeId,
  environment,
  usdCurrencies: row.usd_currencies,
  networks: row.networks,
  allowedPairs: row.allowed_pairs,
  countryRules: row.country_rules,
  acceptsOtherToken: row.accepts_other_token,
  settlementCurrency: row.settlement_currency,
  spreadBasisPoints: row.spread_basis_points,
});
