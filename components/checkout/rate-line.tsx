// The order's price and the rate that it was turned into tokens at: `44.80 EUR · 1 EUR = 1.1531 USDT`.

import { getWords } from '@/lib/i18n/translate';
import type { CheckoutFacts } from '@/lib/sessions/checkout-facts';
import { orderPrice } from './summary';

export async function RateLine({ facts, token }: { readonly facts: CheckoutFacts; readonly token: string }) {
  const words = await getWords();
  const { currency, exchange_rate: rate, expires_at } = facts;
  return (
    <p className="rate">
      <bdi>{orderPrice(facts, words)}</bdi>
      {rate !== null && currency !== token && (
        <>
          {' · '}
          <bdi dir="ltr">{`1 ${currency} = ${words.rate(rate)} ${token}`}</bdi>
          {' · '}
          {words.t('rateFixed', { time: words.hour(expires_at) })}
        </>
      )}
    </p>
  );
}
