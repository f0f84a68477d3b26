// The order's price and its exchange rate into tokens: `44.80 EUR · 1 EUR = 1.1531 USDT`.

import { LOCALE_FACTS } from '@/lib/i18n/locales';
import { getWords } from '@/lib/i18n/translate';
import type { CheckoutFacts } from '@/lib/payments/checkout/facts';
import './elements';
import { orderPrice } from './summary';

type Props = { readonly facts: CheckoutFacts; readonly token: string; readonly amount: string };

export async function RateLine({ facts, token, amount }: Props) {
  const words = await getWords();
  const { currency, exchange_rate: rate, expires_at } = facts;
  const price = orderPrice(facts, words);
  // For a price in the token itself, the amount above already shows it.
  if (price === `${amount} ${token}`) return null;
  return (
    <p className="rate">
      <bdi>{price}</bdi>
      {rate !== null && currency !== token && (
        <>
          {' · '}
          <bdi dir="ltr">{`1 ${currency} = ${words.rate(rate)} ${token}`}</bdi>
          {' · '}
          <local-hour
            data-at={expires_at}
            data-hour={words.hour(expires_at)}
            data-format={LOCALE_FACTS[words.locale].format}
          >
            {words.t('rateFixed', { time: words.hour(expires_at) })}
          </local-hour>
        </>
      )}
    </p>
  );
}
