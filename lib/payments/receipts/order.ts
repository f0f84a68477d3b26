// The order part of receipts for payments and refunds: its price, and the conversion into an amount of a token.

import type { Words } from '@/lib/i18n/translate';
import { minorDigits } from '@/lib/money/currencies';
import { centsToText, minorUnitsToText } from '@/lib/money/amounts';

/** An amount as decimal text with all its digits, and its currency or token. */
export type Money = { readonly amount: string; readonly currency: string };

/** The tax that the shop sent with the order. `hundredths`: of a percent of the net amount; null where that is zero. */
export type ReceiptTax = { readonly net: Money; readonly tax: Money; readonly hundredths: number | null };

/** The tax with its rate, in the reader's language. */
export const taxName = ({ hundredths }: ReceiptTax, { t, percent }: Pick<Words, 't' | 'percent'>): string =>
  hundredths === null ? t('tax') : `${t('tax')} (${percent(hundredths)})`;

export type ReceiptOrder = {
  readonly price: Money;
  /** The price in the token, and what one unit of the currency was worth; null when no conversion applied. */
  readonly converted: { readonly due: Money; readonly rate: string } | null;
};

/** Columns of a session; 64-bit amounts as decimal text. */
export type OrderColumns = {
  readonly amount_total: string;
  readonly amount_due: string;
  readonly currency: string;
  readonly currencies: readonly string[];
  readonly exchange_rate: string | null;
};

/** USDT and USDC are not in ISO 4217, but have cents like USD. */
const CENT_DIGITS = 2;

/** The smallest units of a currency, in whole ones. */
export const unitsText = (units: bigint, currency: string): string =>
  minorUnitsToText(units, minorDigits(currency) ?? CENT_DIGITS);

/** The order of a session. A converted price is due in one token, the only one that was offered. */
export function receiptOrder(session: OrderColumns): ReceiptOrder {
  const { amount_total: total, amount_due: due, currency, currencies, exchange_rate: rate } = session;
  const [token] = currencies;
  return {
    price: { amount: unitsText(BigInt(total), currency), currency },
    converted:
      rate === null || token === undefined
        ? null
        : { due: { amount: centsToText(BigInt(due)), currency: token }, rate },
  };
}
