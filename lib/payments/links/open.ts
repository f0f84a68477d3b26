// Opens a session when a customer presses the button of a payment link, through the same use case as the signed API. The order id
// derives from the form's name and the amount, so that the database allows one session per form and price, however often it is sent.

import type { Context } from '@/lib/platform/context';
import { sha256 } from '@/lib/platform/crypto';
import { ServiceError, type ErrorCode } from '@/lib/platform/errors/errors';
import type { Locale } from '@/lib/i18n/locales';
import { openRateLimit } from '@/lib/platform/rate-limit/token-bucket';
import { createSessionByStore, findSessionOfOrder, type SessionSide } from '@/lib/payments/sessions/by-store';
import type { CreateSessionRequest } from '@/lib/payments/sessions/create/schema';
import { readTypedAmount } from './amount';
import type { PaymentLink } from './link';
import { readLink } from './page';
import { clientOf, isWithinShares, MAX_UNPAID_PER_CLIENT, paySeconds, capacityOf } from './capacity';

/**
 * Why there is no session. `closed`: by the state of the link. `amount`: invalid. `limit`: above the store's current limit. `shop`: the
 * store's settings do not allow a payment. `busy`: it may work in a minute.
 */
export type OpenRefusal = 'closed' | 'amount' | 'limit' | 'shop' | 'busy';
/** Those that the link's page shows, passed in its URL. */
export const SHOWN_REFUSALS = ['limit', 'shop', 'busy'] as const satisfies readonly OpenRefusal[];
export type ShownRefusal = (typeof SHOWN_REFUSALS)[number];
export type Opened = { readonly sessionId: string } | { readonly refusal: OpenRefusal };

export type FormSubmission = {
  readonly linkId: string;
  /** The name of the form (page.ts). */
  readonly name: string;
  /** The amount that the customer typed, if the link has no price. */
  readonly typed: string;
  /** The language of the page on which it was typed; null when it is not known. */
  readonly locale: Locale | null;
  /** The IP address of the request. */
  readonly from: string;
};

/** Null when there is no such link. */
export async function openPaymentLink(
  context: Context,
  { linkId, name, typed, locale, from }: FormSubmission,
): Promise<Opened | null> {
  const shown = await readLink(context.pool, linkId);
  if (!shown) return null;
  const { link } = shown;
  const units = priceOf(link, typed, locale);
  if (units === null) return { refusal: 'amount' };
  const orderId = `${link.id}-${sha256(`${name} ${units}`).toString('hex').slice(0, NAME_LENGTH)}`;
  const earlier = await findSessionOfOrder(context.pool, link, orderId);
  // Also when the link was switched off since: this customer opened it before.
  if (earlier) return { sessionId: earlier.id };
  if (shown.state !== 'open') return { refusal: 'closed' };
  const client = clientOf(link, from);
  if (isRateLimited(context, link, client)) return { refusal: 'busy' };
  try {
    return { sessionId: await make(context, { link, from, client }, requestOf(context, link, { units, orderId })) };
  } catch (error) {
    const isRefused = error instanceof LinkFull || error instanceof ServiceError;
    if (!isRefused) throw error;
    // A concurrent copy of this form may have taken the last place.
    const first = await findSessionOfOrder(context.pool, link, orderId);
    if (first) return { sessionId: first.id };
    const refusal = error instanceof LinkFull ? error.why : REFUSALS[error.code];
    if (!refusal) throw error;
    return { refusal };
  }
}

/** Hexadecimal digits of the hash of form name and price: 64 bits are enough within one link. */
const NAME_LENGTH = 16;
/** Sessions of one link: each claims a deposit address, and anyone can press the button. */
const ofLink = openRateLimit({ rate: 2, burst: 60 });
/** Presses of one client on one link. A refused press takes a token too, so one client cannot exhaust the limit of the link. */
const ofClient = openRateLimit({ rate: 0.2, burst: 2 * MAX_UNPAID_PER_CLIENT });

function isRateLimited({ clock }: Context, link: PaymentLink, client: Buffer): boolean {
  const now = clock.now().getTime();
  return ofClient(client.toString('hex'), now) > 0 || ofLink(link.id, now) > 0;
}

function priceOf(
  { amount, currency, leastAmount, mostAmount }: PaymentLink,
  typed: string,
  locale: Locale | null,
): bigint | null {
  if (amount !== null) return amount;
  const read = readTypedAmount(typed, { currency, least: leastAmount, most: mostAmount, locale });
  return 'units' in read ? read.units : null;
}

function make(
  context: Context,
  { link, from, client }: { link: PaymentLink; from: string; client: Buffer },
  request: CreateSessionRequest,
): Promise<string> {
  const now = context.clock.now();
  const side: SessionSide = {
    storeId: link.storeId,
    environment: link.environment,
    budget: 'links',
    check: async (tx) => {
      const room = await capacityOf(tx, { link, client, now, holdSeconds: context.config.EXPIRY_HOLD_SECONDS });
      if (room !== 'free') throw new LinkFull(room === 'closed' ? 'closed' : 'busy');
    },
    record: async (tx, sessionId) => {
      await tx.query({
        name: 'payment-link-session',
        text: 'INSERT INTO payment_link_sessions (session_id, link_id, client, opened_at) VALUES ($1, $2, $3, $4)',
        values: [sessionId, link.id, client, now],
      });
      const shared = { link, from, now, holdSeconds: context.config.EXPIRY_HOLD_SECONDS };
      if (!(await isWithinShares(tx, shared))) throw new LinkFull('limit');
    },
  };
  return createSessionByStore(context, side, request);
}

/** The link has no room for one more session. */
class LinkFull extends Error {
  constructor(readonly why: OpenRefusal) {
    super(`the payment link is ${why}`);
  }
}

function requestOf(
  { config }: Context,
  link: PaymentLink,
  { units, orderId }: { units: bigint; orderId: string },
): CreateSessionRequest {
  const page = `${config.PUBLIC_URL}/link/${link.id}`;
  // The API accepts only https URLs for live sessions.
  const mayLeadBack = link.environment === 'test' || page.startsWith('https:');
  return {
    amount: Number(units),
    currency: link.currency,
    order_id: orderId,
    description: link.title,
    metadata: { payment_link: link.id },
    expires_in: paySeconds(link),
    // An expired session leads back to the link for a new one.
    ...(mayLeadBack && { cancel_url: page }),
  };
}

const REFUSALS: Partial<Record<ErrorCode, OpenRefusal>> = {
  store_not_active: 'closed',
  STORE_NOT_FOUND: 'closed',
  INVALID_AMOUNT: 'limit',
  SESSION_LIMIT_EXCEEDED: 'limit',
  DAILY_VOLUME_EXCEEDED: 'limit',
  // The networks of the store do not offer the currency of the link.
  INVALID_CURRENCY: 'shop',
  EXCHANGE_RATE_UNAVAILABLE: 'busy',
  SERVICE_UNAVAILABLE: 'busy',
};
