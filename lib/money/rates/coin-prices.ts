// Stores the last agreed price of each network's coin, which values the network cost of a refund in cents. The agreement rule is that of
// all rates (quote.ts). A price stays until the next agreement, because refunds should not wait for a new one.

import { COIN_SYMBOLS } from '@/lib/networks/coins';
import type { Context } from '@/lib/platform/context';
import { decimalToText } from '@/lib/money/amounts';
import { readKnown, rulesOf } from './lock';
import { quote } from './quote';

/** Stores the price of every coin on which the sources agree now, in dollars at the USDT peg. */
export async function storeCoinPrices(context: Pick<Context, 'pool' | 'config' | 'clock'>): Promise<void> {
  const { clock, config, pool } = context;
  const now = clock.now();
  const { observations } = await readKnown(context, COIN_SYMBOLS);
  const agreed = COIN_SYMBOLS.flatMap((coin) => {
    const offer = quote(observations, {
      currency: coin,
      token: 'USDT',
      spreadBasisPoints: 0,
      now,
      rules: rulesOf(config),
    });
    return 'refused' in offer ? [] : [{ coin, price: decimalToText(offer.rate) }];
  });
  if (agreed.length === 0) return;
  await pool.query({
    name: 'coin-prices-keep',
    text: `INSERT INTO coin_prices AS c (coin, price, agreed_at)
           SELECT coin, price, $3 FROM unnest($1::text[], $2::numeric[]) AS agreed (coin, price)
           ON CONFLICT (coin) DO UPDATE SET price = EXCLUDED.price, agreed_at = EXCLUDED.agreed_at`,
    values: [agreed.map(({ coin }) => coin), agreed.map(({ price }) => price), now],
  });
}
