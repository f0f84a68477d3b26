// The quick-start variant of a create request: how it is recognized, its own fields, its decimal amounts in minor units, and the
// shape of its response. Pure.

import { z } from 'zod';
import { unixSeconds } from '@/lib/platform/clock';
import type { Config } from '@/lib/platform/config/config';
import { minorDigits } from '@/lib/money/currencies';
import { ServiceError } from '@/lib/platform/errors/errors';
import type { Environment } from '@/lib/platform/ids';
import type { JsonObject, JsonValue } from '@/lib/platform/json/json';
import { isStablecoin, parseDecimal, type Stablecoin } from '@/lib/money/amounts';
import { isAtPar } from './rules';
import { storeOffers } from './store-offers';
import { paymentStatus, sessionUrl, statusName, type SessionFacts } from '@/lib/payments/sessions/view';

const PARAMETER = { error: 'INVALID_PARAMETER' };
/** A request with any of these fields is the variant, whatever the value. */
const VARIANT_FIELDS = ['mode', 'payment_method_types', 'payment_method_options'];
/** USDT and USDC are priced in cents like the dollar. */
const CENT_DIGITS = 2;
/** No amount within the limit is longer; a longer text is not parsed. */
const LONGEST_AMOUNT = 24;

/**
 * Whether a create request is the variant. A decimal text as the amount is not enough: it must come with a field of the variant
 * or with the Service-Version header. Otherwise a customer could be charged a hundred times the intended amount.
 */
export const isQuickStart = (body: JsonObject, { hasVersion }: { readonly hasVersion: boolean }): boolean =>
  VARIANT_FIELDS.some((name) => Object.hasOwn(body, name)) || (hasVersion && typeof body.amount === 'string');

const name = z.string(PARAMETER).min(1, PARAMETER).max(20, PARAMETER);
/** The fields that only the variant has. */
export const quickStartSchema = z.object({
  mode: z.literal('payment', PARAMETER).optional(),
  payment_method_types: z
    .array(z.literal('crypto', PARAMETER), PARAMETER)
    .min(1, PARAMETER)
    .max(10, PARAMETER)
    .optional(),
  payment_method_options: z
    .object(
      { crypto: z.object({ network: name.optional(), currency: name.optional() }, PARAMETER).optional() },
      PARAMETER,
    )
    .optional(),
});
export type QuickStartFields = z.output<typeof quickStartSchema>;

/**
 * The same request with its decimal texts in minor units of its currency, for `createSessionSchema` to check. A JSON integer is
 * already in minor units. Any other value becomes null, so that the schema rejects it with the field name. Throws
 * INVALID_CURRENCY.
 */
export function inMinorUnits(body: JsonObject): JsonObject {
  const digits = digitsOf(body.currency);
  const minor = (value: JsonValue | undefined): JsonValue => minorUnits(value, digits);
  const converted: JsonObject = { ...body, amount: minor(body.amount) };
  for (const field of ['tax_amount', 'shipping_amount']) {
    if (Object.hasOwn(body, field)) converted[field] = minor(body[field]);
  }
  if (Array.isArray(body.line_items)) {
    converted.line_items = body.line_items.map((item) => {
      if (!isObject(item) || !isObject(item.price_data)) return item;
      return { ...item, price_data: { ...item.price_data, unit_amount: minor(item.price_data.unit_amount) } };
    });
  }
  return converted;
}

/** The only token and network that the customer may pay with; null where the request does not restrict it. */
export type Choice = { readonly token: Stablecoin | null; readonly network: string | null };

/** The inputs of a choice: the settings, and the environment and store of the key. */
export type Offering = {
  readonly config: Config;
  readonly environment: Environment;
  /** Tokens for a price in dollars, and the token for a converted price, when the request names none. */
  readonly usdCurrencies: readonly string[];
  readonly settlementCurrency: string;
  /** Networks of the store, and the pairs that the operator allows it; an empty list means all. */
  readonly networks: readonly string[];
  readonly allowedPairs: readonly string[];
};

/** Throws INVALID_PARAMETER for a network, a token or a pair of them that this environment or the store does not offer. */
export function readChoice({ payment_method_options }: QuickStartFields, priced: string, offering: Offering): Choice {
  const requested = payment_method_options?.crypto ?? {};
  const token = requested.currency?.toUpperCase() ?? null;
  const network = requested.network?.toLowerCase() ?? null;
  const offered = storeOffers(offering.config, offering);
  if (token !== null && (!isStablecoin(token) || !offered.some(({ currencies }) => currencies.includes(token))))
    throw wrong('currency', 'is not a token that is offered');
  // A price in a token is paid in that token.
  const currency = priced.toUpperCase();
  if (token !== null && isStablecoin(currency) && token !== currency)
    throw wrong('currency', `must be ${currency}, as the price is`);
  if (network === null) return { token, network };
  const there = offered.find(({ spec }) => spec.network === network);
  if (!there) throw wrong('network', 'is not a network that is offered');
  const tokens = token === null ? tokensOf(currency, offering) : [token];
  if (!tokens.some((one) => there.currencies.includes(one)))
    throw wrong('network', `does not offer ${tokens.join(' or ')}`);
  return { token, network };
}

const tokensOf = (currency: string, { usdCurrencies, settlementCurrency }: Offering): readonly string[] => {
  if (isStablecoin(currency)) return [currency];
  return isAtPar(currency) ? usdCurrencies : [settlementCurrency];
};

/** The response to a create and a read in the variant. */
export const quickStartView = (session: SessionFacts, publicUrl: string): Record<string, unknown> => ({
  base: { code: 0, message: 'success' },
  session: {
    session_id: session.id,
    order_id: session.orderId,
    payment_status: paymentStatus(session.status),
    created: unixSeconds(session.createdAt),
    status: statusName(session.status),
    url: sessionUrl(publicUrl, session.id),
    created_at: unixSeconds(session.createdAt),
    expires_at: unixSeconds(session.expiresAt),
  },
});

function digitsOf(currency: JsonValue | undefined): number {
  const code = typeof currency === 'string' && /^[A-Za-z]{3,4}$/.test(currency) ? currency.toUpperCase() : '';
  const digits = isAtPar(code) ? CENT_DIGITS : minorDigits(code);
  if (digits === null) throw new ServiceError('INVALID_CURRENCY', { param: 'currency' });
  return digits;
}

/** Accepts a JSON integer or a plain decimal with at most the currency's digits; otherwise null. Nothing is rounded. */
function minorUnits(value: JsonValue | undefined, digits: number): number | null {
  if (typeof value === 'number') return value;
  if (typeof value !== 'string' || value.length > LONGEST_AMOUNT || !/^(0|[1-9]\d*)(\.\d+)?$/.test(value)) return null;
  const decimal = parseDecimal(value);
  if (decimal === null || decimal.digits > digits) return null;
  const units = decimal.units * 10n ** BigInt(digits - decimal.digits);
  return units <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(units) : null;
}

const wrong = (field: 'network' | 'currency', why: string): ServiceError => {
  const param = `payment_method_options.crypto.${field}`;
  return new ServiceError('INVALID_PARAMETER', { param, message: `${param} ${why}.` });
};

const isObject = (value: JsonValue | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
