// Which tokens the refund wallet lacks. Where sweeps fill that wallet, their deposits need not wait for a larger batch.

import { isBelowLow } from '@/lib/cold-storage/decide';
import { readFunds } from '@/lib/cold-storage/funds';
import type { NetworkSpec } from '@/lib/networks/networks';
import { isSameChain, walletLevels } from '@/lib/networks/wallet-levels';
import type { Context } from '@/lib/platform/context';

/** The tokens for which a refund or payout waits, and those below their low-water mark: the alarm `wallet_low` has the same condition. */
export async function lackedTokens(
  { pool, clock, config }: Pick<Context, 'pool' | 'clock' | 'config'>,
  spec: NetworkSpec,
): Promise<ReadonlySet<string>> {
  const { environment, network } = spec;
  // A cold transfer on hold needs no tokens: it takes them out of the wallet.
  const { rows } = await pool.query<{ currency: string }>({
    name: 'sweep-lacked-tokens',
    text: `SELECT currency FROM refunds WHERE hold = 'no_tokens' AND status = 'processing' AND environment = $1::"Environment" AND network = $2
           UNION SELECT currency FROM payouts
           WHERE hold = 'no_tokens' AND status = 'processing' AND environment = $1::"Environment" AND network = $2`,
    values: [environment, network],
  });
  const lacked = new Set(rows.map(({ currency }) => currency));
  for (const level of walletLevels(config.REFUND_WALLET_LEVELS)) {
    if (!isSameChain(level.spec, spec) || lacked.has(level.currency)) continue;
    if (isBelowLow(level, await readFunds(pool, level, clock.now()))) lacked.add(level.currency);
  }
  return lacked;
}
