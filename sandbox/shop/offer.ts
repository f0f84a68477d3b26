// The demo shop's offer: one mug, at a price in each of a few currencies, and the allowed values of its form.

import { DEFAULT_LOCALE, isLocale, LOCALE_FACTS, type Locale } from '@/lib/i18n/locales';
import { Refusal } from '../http';
import type { Item } from './orders';
import { text } from './text';

/** In the currency's hundredths, the one that the page shows first. */
export const PRICES = { USD: 1250n, EUR: 1150n, GBP: 990n, BRL: 6900n, CAD: 1700n, INR: 99_000n } as const;
type Currency = keyof typeof PRICES;
export const MAX_MUGS = 5;
/** The languages that the form offers; the hosted page has more. */
export const LANGUAGES: readonly Locale[] = [DEFAULT_LOCALE, 'es', 'pt', 'id', 'vi', 'tr', 'ru', 'ar', 'zh', 'zh-Hant'];

export const languageName = (locale: Locale): string => LOCALE_FACTS[locale].name;

export type Purchase = { readonly item: Item; readonly language: Locale | null };

/** The submitted order; one mug in dollars by default. Throws a Refusal for anything not offered. */
export function readPurchase(form: URLSearchParams): Purchase {
  const currency = form.get('currency') || 'USD';
  const quantity = Number(form.get('quantity') || '1');
  const language = form.get('language') || null;
  const isOffered =
    Object.hasOwn(PRICES, currency) && Number.isInteger(quantity) && quantity >= 1 && quantity <= MAX_MUGS;
  if (!isOffered || (language !== null && !isLocale(language))) throw new Refusal(400, text('fault.offer'));
  return { item: { cents: PRICES[currency as Currency], currency, quantity }, language };
}
