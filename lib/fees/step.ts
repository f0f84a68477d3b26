// The worker's step that asks a network what a payment costs its payer, so that customers read it before they choose. Nothing is
// decided by it: while no endpoint answers the last word stands until it is too old to be shown (lib/checkout/network-facts).

import { ChainError } from '@/lib/chains/chain';
import type { FollowedChain, SendingOptions } from '@/lib/chains/registry';
import { openUsualFee } from '@/lib/chains/usual-fee';
import type { Step } from '@/lib/context';

/** The step of one chain. */
export const feeStep = (chain: FollowedChain, options: SendingOptions): Step =>
  feeStepWith(chain, openUsualFee(options));

/** The same with a given reader, which tells smallest units of the network's coin. */
export const feeStepWith =
  ({ environment, network }: Pick<FollowedChain, 'environment' | 'network'>, read: () => Promise<bigint>): Step =>
  async ({ pool, clock }) => {
    const amount = await read().catch((error: unknown) => {
      // The status page tells of endpoints in trouble.
      if (error instanceof ChainError) return null;
      throw error;
    });
    if (amount === null) return { more: false };
    await pool.query({
      name: 'network_fee_keep',
      text: `INSERT INTO network_fees (environment, network, amount, read_at) VALUES ($1::"Environment", $2, $3, $4)
             ON CONFLICT (environment, network) DO UPDATE SET amount = EXCLUDED.amount, read_at = EXCLUDED.read_at`,
      values: [environment, network, amount.toString(), clock.now()],
    });
    return { more: false };
  };
