// Which tokens the refund wallet lacks. Where sweeps fill that wallet, their deposits need not wait for a larger batch.

import { isBelowLow } from '@/lib/cold-storage/decide';
import { readFunds } from '@/lib/cold-storage/funds';
import type { NetworkSpec } from '@/lib/networks/networks';
import { isSameChain, walletLevels } from '@/lib/networks/wallet-levels';
import type { Context } from '@/lib/platform/context';

/**
 * Minutes between a batch of a token and the next one that goes early. Its money is on its way meanwhile, or not read yet, and what the wallet
 * lacks may never come from deposits: then batches stay large enough to be cheap.
 */
const PAUSE = 15;

/**
 * The tokens for which a refund or payout waits, and those below their low-water mark: the alarm `wallet_low` has the same condition. Not
 * those of which a batch began in the last minutes.
 */
export async function lackedTokens(
  { pool, clock, config }: Pick<Context, 'pool' | 'clock' | 'config'>,
  spec: NetworkSpec,
): Promise<ReadonlySet<string>> {
  const { environment, network } = spec;
  // A cold transfer on hold needs no tokens: it takes them out of the wallet.
  const { rows } = await pool.query<{ currency: string | null; is_on_its_way: boolean }>({
    name: 'sweep-lacked-tokens',
    text: `SELECT currency, false AS is_on_its_way FROM refunds
             WHERE hold = 'no_tokens' AND status = 'processing' AND environment = $1::"Environment" AND network = $2
           UNION SELECT currency, false FROM payouts
             WHERE hold = 'no_tokens' AND status = 'processing' AND environment = $1::"Environment" AND network = $2
           UNION SELECT currency, true FROM sweeps
             WHERE environment = $1::"Environment" AND network = $2 AND status <> 'canceled'
               AND created_at > $3::timestamptz - interval '${PAUSE} minutes'`,
    values: [environment, network, clock.now()],
  });
  const named = (isOnItsWay: boolean): Set<string | null> =>
    new Set(rows.filter((one) => one.is_on_its_way === isOnItsWay).map(({ currency }) => currency));
  const [waited, onItsWay] = [named(false), named(true)];
  const lacked = new Set<string>();
  for (const currency of Object.keys(spec.tokens)) {
    if (onItsWay.has(currency)) continue;
    if (waited.has(currency) || (await isMarkPassed({ pool, clock, config }, spec, currency))) lacked.add(currency);
  }
  return lacked;
}

async function isMarkPassed(
  { pool, clock, config }: Pick<Context, 'pool' | 'clock' | 'config'>,
  spec: NetworkSpec,
  currency: string,
): Promise<boolean> {
  const level = walletLevels(config.REFUND_WALLET_LEVELS).find(
    (one) => isSameChain(one.spec, spec) && one.currency === currency,
  );
  return level !== undefined && isBelowLow(level, await readFunds(pool, level, clock.now()));
}
