// Amounts that people type on the page of a payment link: decimal text in whole units of the currency, with a point or a comma and the
// digits of any script. The text is parsed exactly or refused with the reason. The page language determines which sign is the decimal sign;
// an ambiguous text is refused. Pure.

import { minorDigits } from '@/lib/money/currencies';
import { LOCALE_FACTS, type Locale } from '@/lib/i18n/locales';
import { minorUnitsToText } from '@/lib/money/amounts';

/** `many_decimals`: more than the currency has. `too_small` and `too_large`: outside the limits of the link or the service. */
type AmountFault = 'empty' | 'unreadable' | 'many_decimals' | 'too_small' | 'too_large';
/**
 * `ambiguous`: the sign may be a decimal sign or a grouping sign. `readings` are both amounts, the smaller one first, as texts
 * with one reading each in the same language.
 */
export type AmountFaulty =
  { readonly fault: AmountFault } | { readonly fault: 'ambiguous'; readonly readings: readonly [string, string] };
export type TypedAmount = { readonly units: bigint } | AmountFaulty;

/** The largest session amount in minor units (lib/payments/sessions/create/schema). */
export const LARGEST_UNITS = 10n ** 15n;
/** No amount is longer, spaces included; a longer text is not parsed. */
export const LONGEST_TYPED = 40;

/** The context of a typed amount. */
export type AmountReading = {
  readonly currency: string;
  /** The limits that the link sets, in minor units. */
  readonly least: bigint | null;
  readonly most: bigint | null;
  /** The language of the page on which it was typed; null when it is not known. */
  readonly locale: Locale | null;
};

/** Minor units of the typed text. */
export function readTypedAmount(typed: string, { currency, least, most, locale }: AmountReading): TypedAmount {
  const text = western(typed.trim());
  if (text === '') return { fault: 'empty' };
  const found = typed.length <= LONGEST_TYPED ? /^(\d{1,20})(?:([.,\u066b])(\d{0,20}))?$/.exec(text) : null;
  if (!found) return { fault: 'unreadable' };
  const [, whole = '', sign = '', decimals = ''] = found;
  const digits = currencyDigits(currency);
  if (decimals.length > digits) return { fault: 'many_decimals' };
  const own = locale === null ? null : decimalSign(locale);
  if (sign !== own && mayGroup(whole, sign, decimals))
    return { fault: 'ambiguous', readings: [`${whole}${own ?? sign}${decimals}`, `${whole}${decimals}`] };
  const units = BigInt(whole + decimals.padEnd(digits, '0'));
  if (units < (least ?? 1n) || units === 0n) return { fault: 'too_small' };
  if (units > (most ?? LARGEST_UNITS) || units > LARGEST_UNITS) return { fault: 'too_large' };
  return { units };
}

/** Whether the sign is in the position of a grouping sign. The Arabic decimal sign never groups. */
const mayGroup = (whole: string, sign: string, decimals: string): boolean =>
  /^[.,]$/.test(sign) && /^[1-9]\d{0,2}$/.test(whole) && decimals.length === 3;

/** The decimal sign of a language, as its amounts are shown. */
export const decimalSign = (locale: Locale): string =>
  new Intl.NumberFormat(LOCALE_FACTS[locale].format).formatToParts(0.5).find(({ type }) => type === 'decimal')?.value ??
  '.';

/** Minor units as decimal text with all digits of the currency. */
export const amountText = (units: bigint, currency: string): string =>
  minorUnitsToText(units, currencyDigits(currency));

/** USDT and USDC are priced in cents like the dollar. */
const CENT_DIGITS = 2;
/** Minor digits of a currency that a session may be in. */
export const currencyDigits = (currency: string): number => minorDigits(currency) ?? CENT_DIGITS;

/** The zeros of the scripts of our languages; each is followed by its nine other digits. */
const ZEROS = [0x0660, 0x06f0, 0x0966, 0x09e6, 0x0e50, 0xff10];

/** The same text with ASCII digits and decimal signs. */
function western(text: string): string {
  return text
    .replaceAll(/\p{Nd}/gu, (digit) => {
      const code = digit.codePointAt(0) ?? 0;
      const zero = ZEROS.find((first) => code >= first && code < first + 10);
      return zero === undefined ? digit : String(code - zero);
    })
    .replaceAll('\uff0e', '.');
}
