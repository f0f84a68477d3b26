// The rules of a create request over several fields or the environment: sums, currencies, return URLs. Pure.

import { minorDigits } from '@/lib/money/currencies';
import { ServiceError } from '@/lib/platform/errors/errors';
import type { Environment } from '@/lib/platform/ids';
import { convertToCents, isStablecoin, type Stablecoin } from '@/lib/money/amounts';
import { rateText, type Quote, type RateBasis } from '@/lib/money/rates/quote';
import { LARGEST_AMOUNT, quantityOf, type CreateSessionRequest } from './schema';

/** The price of a valid request. */
export type Price = {
  /** Upper case, as the merchant sent it. */
  readonly currency: string;
  readonly amountTotal: bigint;
  /** Cents of the token that the customer pays. */
  readonly amountDue: bigint;
  /** The tokens that the customer may choose from; one where a conversion applies. */
  readonly currencies: readonly string[];
  /** The locked rate as merchants see it, and its sources; null when no conversion applies. */
  readonly conversion: { readonly exchangeRate: string; readonly basis: RateBasis } | null;
};

/** Checks the whole request and returns its currency in upper case. Throws ServiceError for the first broken rule. */
export function checkRequest(request: CreateSessionRequest, environment: Environment): string {
  const currency = request.currency.toUpperCase();
  checkSums(request, currency);
  checkReturnUrl(request.success_url, 'success_url', environment);
  checkReturnUrl(request.cancel_url, 'cancel_url', environment);
  if (isKnownCurrency(request.currency)) return currency;
  throw new ServiceError('INVALID_CURRENCY', {
    param: 'currency',
    message: 'The currency must be an active ISO 4217 code, USDT or USDC.',
  });
}

/** Whether a price may be in this currency, in any letter case. */
export function isKnownCurrency(text: string): boolean {
  const currency = text.toUpperCase();
  // toUpperCase turns some letters of other alphabets into Latin ones, so the input must be Latin.
  return /^[A-Za-z]+$/.test(text) && (isAtPar(currency) || minorDigits(currency) !== null);
}

/** USD, USDT and USDC count one for one, all in cents. */
export const isAtPar = (currency: string): boolean => currency === 'USD' || isStablecoin(currency);

/** The price of a request in a currency that counts as a dollar. */
export function priceAtPar(request: CreateSessionRequest, currency: string, store: PricingStore): Price {
  const amount = BigInt(request.amount);
  return {
    currency,
    amountTotal: amount,
    amountDue: amount,
    currencies: tokensAtPar(currency, store),
    conversion: null,
  };
}

type PricingStore = { readonly usdCurrencies: readonly string[]; readonly allowedPairs: readonly string[] };

/**
 * The tokens that pay a price in a currency that counts as a dollar. If the operator allows none of the store's own, they stay, and no
 * network offers them.
 */
export function tokensAtPar(currency: string, { usdCurrencies, allowedPairs }: PricingStore): readonly string[] {
  if (isStablecoin(currency)) return [currency];
  if (allowedPairs.length === 0) return usdCurrencies;
  const allowed = usdCurrencies.filter((token) => allowedPairs.some((pair) => pair.endsWith(`-${token}`)));
  return allowed.length > 0 ? allowed : usdCurrencies;
}

/** The price of a request in any other currency, at this rate. Throws INVALID_AMOUNT when it is too large in the token. */
export function priceAtRate(
  request: CreateSessionRequest,
  currency: string,
  { token, quote }: { token: Stablecoin; quote: Quote },
): Price {
  const digits = minorDigits(currency);
  if (digits === null) throw new RangeError(`${currency} has no minor digits`);
  const amountTotal = BigInt(request.amount);
  const amountDue = convertToCents({ amount: amountTotal, minorDigits: digits, rate: quote.rate });
  if (amountDue > BigInt(LARGEST_AMOUNT)) {
    throw new ServiceError('INVALID_AMOUNT', { param: 'amount', message: `The amount is too large in ${token}.` });
  }
  const conversion = { exchangeRate: rateText(quote), basis: quote.basis };
  return { currency, amountTotal, amountDue, currencies: [token], conversion };
}

function checkSums(request: CreateSessionRequest, currency: string): void {
  const items = request.line_items;
  const extra = BigInt(request.tax_amount ?? 0) + BigInt(request.shipping_amount ?? 0);
  const other = items?.findIndex(({ price_data }) => price_data.currency.toUpperCase() !== currency) ?? -1;
  if (other >= 0) throw new ServiceError('CURRENCY_MISMATCH', { param: `line_items[${other}].price_data.currency` });
  const sum = (items ?? []).reduce(
    (total, item) => total + BigInt(item.price_data.unit_amount) * BigInt(quantityOf(item)),
    extra,
  );
  const amount = BigInt(request.amount);
  const matches = items === undefined ? sum <= amount : sum === amount;
  if (matches) return;
  const message =
    items === undefined
      ? `tax_amount and shipping_amount add up to ${sum}, more than the amount ${amount}.`
      : `line_items, tax_amount and shipping_amount add up to ${sum}, but the amount is ${amount}.`;
  throw new ServiceError('AMOUNT_MISMATCH', { param: 'amount', message });
}

/** Absolute https, also http in the test environment, and no credentials. */
function checkReturnUrl(text: string | undefined, param: string, environment: Environment): void {
  if (text === undefined) return;
  const url = URL.canParse(text) ? new URL(text) : null;
  const schemes = environment === 'test' ? ['https:', 'http:'] : ['https:'];
  // The URL parser accepts spaces, control characters and missing slashes; this pattern does not.
  const isPlain = /^https?:\/\/[^\s\\\u0000-\u001f]+$/i.test(text);
  if (url && isPlain && schemes.includes(url.protocol) && url.username === '' && url.password === '') return;
  const kinds = environment === 'test' ? 'https or http' : 'https';
  throw new ServiceError('INVALID_PARAMETER', {
    param,
    message: `${param} must be an absolute ${kinds} address without credentials.`,
  });
}
