// The field in which a customer enters the amount, with the link's limits and the error.

import type { Words } from '@/lib/i18n/translate';
import { amountText, LONGEST_TYPED, readTypedAmount, type AmountFaulty } from '@/lib/payments/links/amount';
import type { PaymentLink } from '@/lib/payments/links/link';

type Props = {
  readonly link: PaymentLink;
  readonly typed: string | null;
  /** Whether a valid amount was refused for another reason, which is shown above. */
  readonly isRefused: boolean;
  readonly words: Words;
};

export function AmountField({ link, typed, isRefused, words }: Props) {
  const { t } = words;
  const { currency, leastAmount: least, mostAmount: most } = link;
  const read =
    typed === null || isRefused ? null : readTypedAmount(typed, { currency, least, most, locale: words.locale });
  const error = read && 'fault' in read ? faultText(read, link, words) : null;
  // Does not repeat what the error says.
  const limits = [
    ...(least === null ? [] : [t('linkLeast', limitValues(least, link, words))]),
    ...(most === null ? [] : [t('linkMost', limitValues(most, link, words))]),
  ].filter((text) => text !== error);
  const describedBy = [error !== null && 'link-amount-error', limits.length > 0 && 'link-amount-hint'];
  return (
    <div className="link-amount">
      <label className="label" htmlFor="link-amount">
        {t('linkAmount', { currency })}
      </label>
      <input
        id="link-amount"
        name="amount"
        defaultValue={typed ?? undefined}
        required
        maxLength={LONGEST_TYPED}
        inputMode="decimal"
        autoComplete="off"
        dir="ltr"
        aria-invalid={error !== null || undefined}
        aria-describedby={describedBy.filter(Boolean).join(' ') || undefined}
      />
      {error !== null && (
        <p className="field-error" id="link-amount-error" role="alert">
          {error}
        </p>
      )}
      {limits.length > 0 && (
        <p className="hint" id="link-amount-hint">
          {limits.join(' ')}
        </p>
      )}
    </div>
  );
}

/** A sample amount in minor units that shows how many digits the currency has. */
const EXAMPLE = 1250n;
const LEAST = 1n;

function faultText(read: AmountFaulty, link: PaymentLink, words: Words): string {
  const { t, amount } = words;
  switch (read.fault) {
    case 'ambiguous': {
      const [small, large] = read.readings.map((text) => `${text} ${link.currency}`);
      return t('linkAmbiguous', { amount: small ?? '', other: large ?? '' });
    }
    case 'empty':
    case 'unreadable':
    case 'many_decimals':
      return t('linkExample', { amount: amount(amountText(exampleOf(link), link.currency)) });
    case 'too_small':
      return t('linkLeast', limitValues(link.leastAmount ?? LEAST, link, words));
    case 'too_large':
      return link.mostAmount === null ? t('linkTooMuch') : t('linkMost', limitValues(link.mostAmount, link, words));
  }
}

/** An amount that the link accepts. */
function exampleOf({ leastAmount: least, mostAmount: most }: PaymentLink): bigint {
  if (least !== null && least > EXAMPLE) return least;
  return most !== null && most < EXAMPLE ? most : EXAMPLE;
}

const limitValues = (units: bigint, { currency }: PaymentLink, { amount }: Words) => ({
  amount: amount(amountText(units, currency)),
  currency,
});
