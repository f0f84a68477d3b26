// Creates a payment session: validates and prices it, and writes it in one statement with the nonce, the claimed deposit address and
// the idempotency key. A price in another currency needs the rate first, which is read at most once a second. Callers are the API's
// create route and, without a key, the store's own pages (by-store).

import { checkSpent, type Caller, type SpentRow } from '@/lib/merchants/api-keys/nonces';
import { offers } from '@/lib/networks/registry';
import { fromUnixSeconds, unixSeconds } from '@/lib/platform/clock';
import type { Context } from '@/lib/platform/context';
import { sameBytes } from '@/lib/platform/crypto';
import { noteChange } from '@/lib/platform/database/changes';
import { SqlState, sqlState, violatedConstraint } from '@/lib/platform/database/db';
import { ServiceError } from '@/lib/platform/errors/errors';
import { newSessionId } from '@/lib/platform/ids';
import { isStablecoin } from '@/lib/money/amounts';
import { lockRate } from '@/lib/money/rates/lock';
import { createInGroup } from './groups';
import {
  earlierStatement,
  type CreateOutcome,
  type Earlier,
  type Idempotency,
  type NewSession,
  type SessionStore,
} from './statement';
import { storeFor } from './country';
import { checkLimits } from './limits';
import { offeredFor } from './offered';
import { checkRequest, isAtPar, priceAtPar, priceAtRate, type Price } from './rules';
import type { SessionBudget } from '@/prisma/generated/enums';
import type { CreateSessionRequest } from './schema';
import { sessionView, type SessionFacts } from '@/lib/payments/sessions/view';

const ORDER_ID_CONSTRAINT = 'sessions_store_id_environment_order_id_key';
/** Seconds within which the worker refills an empty address pool. */
const POOL_REFILL_SECONDS = 1;

/** Options of a session that are not part of the request body. */
export type CreateOptions = {
  readonly idempotency: Idempotency | null;
  /** The only network that the session offers; by default, every network with its token. */
  readonly network?: string | undefined;
  /** The daily volume that the session counts towards; the store's by default. */
  readonly budget?: SessionBudget | undefined;
  /** The shape of the response; a PaymentSession by default. */
  readonly view?: (session: SessionFacts, publicUrl: string) => Record<string, unknown>;
};

/** The creator of a session: a signed API call, or the store's own pages (by-store). */
export type SessionMaker = {
  readonly store: SessionStore;
  /** Of the API request; null for the store's own pages. */
  readonly requestId: string | null;
  readonly traceparent?: string | null;
  /** Runs the statement that writes the session or nothing. Throws when the creator is not authorized. */
  readonly write: (session: NewSession) => Promise<CreateOutcome>;
  /** The result of an earlier request with this key; never called for a creator without keys. */
  readonly earlier: (idempotency: Idempotency) => Promise<Earlier>;
};

/**
 * Creates the session and returns the JSON text of the response. A repeated Idempotency-Key with the same request returns the first
 * response. Throws ServiceError; a refused request stores nothing.
 */
export const createSession = (
  context: Context,
  caller: Caller,
  request: CreateSessionRequest,
  options: CreateOptions,
): Promise<string> => createSessionFor(context, byKey(context, caller), request, options);

/** Like `createSession`, for any creator. */
export async function createSessionFor(
  context: Context,
  maker: SessionMaker,
  request: CreateSessionRequest,
  options: CreateOptions,
): Promise<string> {
  const { idempotency } = options;
  const currency = checkRequest(request, maker.store.environment);
  let store: SessionStore;
  let price: Price;
  try {
    store = storeFor(context.config, maker.store, {
      country: request.customer_country?.toUpperCase() ?? null,
      currency,
    });
    price = isAtPar(currency)
      ? priceAtPar(request, currency, store)
      : await convertedPrice(context, store, request, currency);
  } catch (error) {
    if (!(error instanceof ServiceError) || idempotency === null) throw error;
    return replayOr(maker, idempotency, error);
  }
  const session = draft(context, store, { request, price, options, maker });
  const outcome = await write(maker, session);
  if (outcome.earlier_answer !== null) return replay(outcome, idempotency);
  if (outcome.made) {
    const made = { store: store.storeId, session: session.id, order_id: request.order_id, request_id: maker.requestId };
    noteChange(context.pool, { of: 'session', to: 'pending', ...made, traceparent: maker.traceparent ?? null });
    return session.answer;
  }
  checkLimits(outcome, context.clock.now());
  // Refuse rather than offer an address that no worker watches: its payment would be lost.
  context.log.error({ store: store.storeId, offered: outcome.offered }, 'no network or no deposit address to offer');
  throw new ServiceError('SERVICE_UNAVAILABLE', {
    retryAfter: POOL_REFILL_SECONDS,
    ...missingNetworkMessage(context.config, store),
  });
}

/** When the environment has no configured network, a retry cannot help: the merchant has to ask the operator. */
function missingNetworkMessage(config: Context['config'], { environment }: SessionStore): { message?: string } {
  if (offers(config).some(({ spec }) => spec.environment === environment)) return {};
  return {
    message: `This installation has no ${environment} network yet. Its operator has to set one up before ${environment} payments work.`,
  };
}

const byKey = ({ pool }: Context, caller: Caller): SessionMaker => ({
  store: caller.key,
  requestId: caller.requestId ?? null,
  traceparent: caller.traceparent ?? null,
  write: (session) => createInGroup(pool, { caller, session }),
  earlier: async (idempotency) => {
    const { rows } = await pool.query<Earlier & SpentRow>(earlierStatement(caller, idempotency));
    const earlier = rows[0] as Earlier & SpentRow;
    checkSpent(earlier, caller);
    return earlier;
  },
});

/** The price at the current rate. Throws INVALID_CURRENCY, EXCHANGE_RATE_UNAVAILABLE or INVALID_AMOUNT. */
async function convertedPrice(
  context: Context,
  store: SessionStore,
  request: CreateSessionRequest,
  currency: string,
): Promise<Price> {
  const { settlementCurrency: token, spreadBasisPoints } = store;
  if (!isStablecoin(token)) throw new Error(`store ${store.storeId} settles in a currency that is no token`);
  const quote = await lockRate(context, { currency, token, spreadBasisPoints });
  return priceAtRate(request, currency, { token, quote });
}

/** A repeated request gets its first response, whatever the rates are now. Any other request fails with the given error. */
async function replayOr(maker: SessionMaker, idempotency: Idempotency, fault: ServiceError): Promise<string> {
  const earlier = await maker.earlier(idempotency);
  if (earlier.earlier_answer === null) throw fault;
  return replay(earlier, idempotency);
}

type Draft = {
  readonly request: CreateSessionRequest;
  readonly price: Price;
  readonly options: CreateOptions;
  readonly maker: Pick<SessionMaker, 'requestId' | 'traceparent'>;
};

function draft({ clock, config }: Context, store: SessionStore, { request, price, options, maker }: Draft): NewSession {
  const { idempotency, network, budget, view = sessionView } = options;
  const created = unixSeconds(clock.now());
  const id = newSessionId(store.environment);
  const facts: SessionFacts = {
    id,
    orderId: request.order_id,
    status: 'pending',
    amountTotal: price.amountTotal,
    amountDue: price.amountDue,
    currency: price.currency,
    currencies: price.currencies,
    exchangeRate: price.conversion?.exchangeRate ?? null,
    createdAt: fromUnixSeconds(created),
    expiresAt: fromUnixSeconds(created + request.expires_in),
    lineItems: request.line_items ?? null,
    taxAmount: big(request.tax_amount),
    shippingAmount: big(request.shipping_amount),
    metadata: request.metadata ?? null,
  };
  const answer = JSON.stringify(view(facts, config.PUBLIC_URL));
  return {
    id,
    request,
    price,
    createdAt: facts.createdAt,
    expiresAt: facts.expiresAt,
    answer,
    idempotency,
    budget,
    requestId: maker.requestId,
    traceparent: maker.traceparent ?? null,
    ...offeredFor(config, store, price.currencies, network),
  };
}

async function write(maker: SessionMaker, session: NewSession): Promise<CreateOutcome> {
  for (let again = session.idempotency !== null; ; again = false) {
    try {
      return await maker.write(session);
    } catch (error) {
      if (sqlState(error) !== SqlState.uniqueViolation) throw error;
      // A concurrent copy of the request was first. The second attempt returns its response.
      if (again) continue;
      if (violatedConstraint(error) === ORDER_ID_CONSTRAINT)
        throw new ServiceError('DUPLICATE_ORDER_ID', { param: 'order_id', cause: error });
      throw error;
    }
  }
}

function replay(outcome: Earlier, idempotency: Idempotency | null): string {
  const { earlier_hash: hash, earlier_answer: answer } = outcome;
  if (hash && answer !== null && idempotency && sameBytes(hash, idempotency.requestHash)) return answer;
  throw new ServiceError('IDEMPOTENCY_KEY_REUSED', { param: 'Idempotency-Key' });
}

const big = (value: number | undefined): bigint | null => (value === undefined ? null : BigInt(value));
