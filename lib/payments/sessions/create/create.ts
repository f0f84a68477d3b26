// Creates a payment session: checks, prices, and writes it in one statement together with the nonce, the claimed receiving
// address and the idempotency key. A price in another currency needs the rate first, which is read at most once a second.
// Called by the API's create route, and without a key by the store's own pages (by-store).

import { checkSpent, type Caller, type SpentRow } from '@/lib/merchants/api-keys/nonces';
import { offers } from '@/lib/networks/registry';
import { fromUnixSeconds, unixSeconds } from '@/lib/platform/clock';
import type { Context } from '@/lib/platform/context';
import { sameBytes } from '@/lib/platform/crypto';
import { SqlState, sqlState, violatedConstraint } from '@/lib/platform/database/db';
import { ServiceError } from '@/lib/platform/errors/errors';
import { newSessionId } from '@/lib/platform/ids';
import { isStablecoin } from '@/lib/money/amounts';
import { lockRate } from '@/lib/money/rates/lock';
import {
  createStatement,
  earlierStatement,
  type CreateOutcome,
  type Earlier,
  type Idempotency,
  type NewSession,
  type SessionStore,
} from './statement';
import { pairName } from '@/lib/payments/sessions/settle/judge';
import { checkLimits } from './limits';
import { checkRequest, isAtPar, isNetworkOf, priceAtPar, priceAtRate, type Price } from './rules';
import type { SessionBudget } from '@/prisma/generated/enums';
import type { CreateSessionRequest } from './schema';
import { sessionView, type SessionFacts } from '@/lib/payments/sessions/view';

const ORDER_ID_CONSTRAINT = 'sessions_store_id_environment_order_id_key';
/** Seconds after which the worker has surely put addresses into an empty pool. */
const POOL_REFILL_SECONDS = 1;

/** How a request wants its session, besides what it says in its body. */
export type CreateOptions = {
  readonly idempotency: Idempotency | null;
  /** The only network that the session offers; every one that has its token unless given. */
  readonly network?: string | undefined;
  /** Whose daily volume the session counts for; the store's unless given. */
  readonly budget?: SessionBudget | undefined;
  /** The shape of the answer; a PaymentSession unless given. */
  readonly view?: (session: SessionFacts, publicUrl: string) => Record<string, unknown>;
};

/** Who asks: a signed call, or the store's own pages (by-store). */
export type SessionMaker = {
  readonly store: SessionStore;
  /** Runs the one statement that writes the session, or does nothing. Throws when the maker may not act. */
  readonly write: (session: NewSession) => Promise<CreateOutcome>;
  /** What became of an earlier request with this key; a maker without keys is never asked. */
  readonly earlier: (idempotency: Idempotency) => Promise<Earlier>;
};

/**
 * Creates the session and returns the answer's JSON text (or, for a repeated Idempotency-Key with the same request, the
 * first answer). Throws ServiceError; nothing is kept of a refused request.
 */
export const createSession = (
  context: Context,
  caller: Caller,
  request: CreateSessionRequest,
  options: CreateOptions,
): Promise<string> => createSessionFor(context, byKey(context, caller), request, options);

/** As `createSession`, whoever asks. */
export async function createSessionFor(
  context: Context,
  maker: SessionMaker,
  request: CreateSessionRequest,
  options: CreateOptions,
): Promise<string> {
  const { store } = maker;
  const { idempotency } = options;
  const currency = checkRequest(request, store.environment);
  let price: Price;
  try {
    price = isAtPar(currency)
      ? priceAtPar(request, currency, store)
      : await convertedPrice(context, store, request, currency);
  } catch (error) {
    if (!(error instanceof ServiceError) || idempotency === null) throw error;
    return earlierOr(maker, idempotency, error);
  }
  const session = draft(context, store, { request, price, options });
  const outcome = await write(maker, session);
  if (outcome.earlier_answer !== null) return replay(outcome, idempotency);
  if (outcome.made) return session.answer;
  checkLimits(outcome, context.clock.now());
  // Never an address that nobody watches: better to refuse than to lose a payment.
  context.log.error({ store: store.storeId, offered: outcome.offered }, 'no network or no receiving address to offer');
  throw new ServiceError('SERVICE_UNAVAILABLE', {
    retryAfter: POOL_REFILL_SECONDS,
    ...whyNever(context.config, store),
  });
}

/** Where no network of the environment is configured, trying again helps nobody: the merchant has to ask the operator. */
function whyNever(config: Context['config'], { environment }: SessionStore): { message?: string } {
  if (offers(config).some(({ spec }) => spec.environment === environment)) return {};
  return {
    message: `This installation has no ${environment} network yet. Its operator has to set one up before ${environment} payments work.`,
  };
}

const byKey = ({ pool }: Context, caller: Caller): SessionMaker => ({
  store: caller.key,
  write: async (session) => {
    const { rows } = await pool.query<CreateOutcome & SpentRow>(createStatement(caller, session));
    const outcome = rows[0] as CreateOutcome & SpentRow;
    checkSpent(outcome, caller);
    return outcome;
  },
  earlier: async (idempotency) => {
    const { rows } = await pool.query<Earlier & SpentRow>(earlierStatement(caller, idempotency));
    const earlier = rows[0] as Earlier & SpentRow;
    checkSpent(earlier, caller);
    return earlier;
  },
});

/** The price at the rate of this moment. Throws INVALID_CURRENCY, EXCHANGE_RATE_UNAVAILABLE or INVALID_AMOUNT. */
async function convertedPrice(
  context: Context,
  store: SessionStore,
  request: CreateSessionRequest,
  currency: string,
): Promise<Price> {
  const { settlementCurrency: token, spreadBasisPoints } = store;
  if (!isStablecoin(token)) throw new Error(`store ${store.storeId} settles in something that is no token`);
  const quote = await lockRate(context, { currency, token, spreadBasisPoints });
  return priceAtRate(request, currency, { token, quote });
}

/** A request that was answered before gets that answer, whatever rates are now; any other fails as it did. */
async function earlierOr(maker: SessionMaker, idempotency: Idempotency, fault: ServiceError): Promise<string> {
  const earlier = await maker.earlier(idempotency);
  if (earlier.earlier_answer === null) throw fault;
  return replay(earlier, idempotency);
}

type Draft = {
  readonly request: CreateSessionRequest;
  readonly price: Price;
  readonly options: CreateOptions;
};

function draft({ clock, config }: Context, store: SessionStore, { request, price, options }: Draft): NewSession {
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
    ...offeredFor(config, store, price.currencies, network),
  };
}

/** The networks that are offered, and the pairs that count there: of the other token too if the store accepts it. */
function offeredFor(
  config: Context['config'],
  store: SessionStore,
  currencies: readonly string[],
  network: string | undefined,
): Pick<NewSession, 'networks' | 'pairs'> {
  const networks = networksFor(config, store, currencies).filter(
    (offered) => network === undefined || offered === network,
  );
  const pairs = offers(config)
    .filter(({ spec }) => spec.environment === store.environment && networks.includes(spec.network))
    .flatMap(({ spec, currencies: there }) =>
      there
        .filter((currency) => store.acceptsOtherToken || currencies.includes(currency))
        .map((currency) => pairName({ network: spec.network, currency })),
    );
  return { networks, pairs };
}

/**
 * The networks of the store on which at least one of the tokens is offered. Throws INVALID_CURRENCY when there are some, but
 * none that the store takes payments on: no waiting will change that.
 */
function networksFor(config: Context['config'], store: SessionStore, currencies: readonly string[]): string[] {
  const all = offers(config)
    .filter(({ spec }) => spec.environment === store.environment)
    .filter((offer) => currencies.some((currency) => offer.currencies.includes(currency)))
    .map(({ spec }) => spec.network);
  const own = all.filter((network) => isNetworkOf(store, network));
  if (own.length > 0 || all.length === 0) return own;
  const message = `None of the networks that the store is set to offers ${currencies.join(' or ')}.`;
  throw new ServiceError('INVALID_CURRENCY', { param: 'currency', message });
}

async function write(maker: SessionMaker, session: NewSession): Promise<CreateOutcome> {
  for (let again = session.idempotency !== null; ; again = false) {
    try {
      return await maker.write(session);
    } catch (error) {
      if (sqlState(error) !== SqlState.uniqueViolation) throw error;
      // The same request at the same moment was first: looking once more finds its answer.
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
