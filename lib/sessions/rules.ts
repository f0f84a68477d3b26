// The rules of a create request that concern several fields, or the environment: sums, currencies, addresses for the way
// back. Pure. Sources: spec (Create session), decisions (Request bodies, Payment sessions).

import { ServiceError } from '@/lib/errors';
import type { Environment } from '@/lib/ids';
import { isStablecoin } from '@/lib/money';
import type { CreateSessionRequest } from './schema';

/** What a valid request asks for, in terms of money. */
export type Price = {
  /** Upper case, as the merchant sent it. */
  readonly currency: string;
  readonly amountTotal: bigint;
  /** Cents of the token that the customer pays. */
  readonly amountDue: bigint;
  /** The tokens that the customer may choose from. */
  readonly currencies: readonly string[];
};

/** Checks the request as a whole and prices it. Throws ServiceError with the code and parameter of the broken rule. */
export function priceOf(
  request: CreateSessionRequest,
  store: { environment: Environment; usdCurrencies: readonly string[] },
): Price {
  const currency = request.currency.toUpperCase();
  checkSums(request, currency);
  checkReturnUrl(request.success_url, 'success_url', store.environment);
  checkReturnUrl(request.cancel_url, 'cancel_url', store.environment);
  const currencies = currenciesFor(currency, store.usdCurrencies);
  const amountTotal = BigInt(request.amount);
  // USD, USDT and USDC count one for one, all in cents (spec: PaymentSession).
  return { currency, amountTotal, amountDue: amountTotal, currencies };
}

function currenciesFor(currency: string, usdCurrencies: readonly string[]): readonly string[] {
  if (isStablecoin(currency)) return [currency];
  if (currency === 'USD') return usdCurrencies;
  // Decisions: a currency that no rate source quotes is refused; without a source that is every other one.
  throw new ServiceError('INVALID_CURRENCY', { param: 'currency', message: 'The currency must be USD, USDT or USDC.' });
}

function checkSums(request: CreateSessionRequest, currency: string): void {
  const items = request.line_items;
  const extra = BigInt(request.tax_amount ?? 0) + BigInt(request.shipping_amount ?? 0);
  const other = items?.findIndex(({ price_data }) => price_data.currency.toUpperCase() !== currency) ?? -1;
  if (other >= 0) throw new ServiceError('CURRENCY_MISMATCH', { param: `line_items[${other}].price_data.currency` });
  const sum = (items ?? []).reduce(
    (total, { price_data, quantity }) => total + BigInt(price_data.unit_amount) * BigInt(quantity),
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

/** Absolute https, also http in the test environment, and no credentials (decisions: Request bodies, limits). */
function checkReturnUrl(text: string | undefined, param: string, environment: Environment): void {
  if (text === undefined) return;
  const url = URL.canParse(text) ? new URL(text) : null;
  const schemes = environment === 'test' ? ['https:', 'http:'] : ['https:'];
  // The parser forgives what a strict reader would not: spaces, control characters, missing slashes.
  const isPlain = /^https?:\/\/[^\s\\\u0000-\u001f]+$/i.test(text);
  if (url && isPlain && schemes.includes(url.protocol) && url.username === '' && url.password === '') return;
  const kinds = environment === 'test' ? 'https or http' : 'https';
  throw new ServiceError('INVALID_PARAMETER', {
    param,
    message: `${param} must be an absolute ${kinds} address without credentials.`,
  });
}
