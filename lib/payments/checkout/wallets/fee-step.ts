// The worker's step that requests a network's current fee, so that customers see it before they choose. The fee is for display only:
// while no endpoint responds, the last value stays until it is too old to show (network-facts.ts). At each interval one worker sends
// the request.

import { ChainError, type NetworkFamily } from '@/lib/networks/chain';
import type { FollowedChain, SendingOptions } from '@/lib/networks/registry';
import { openUsualFee } from '@/lib/networks/families/clients';
import type { Step } from '@/lib/platform/context';

/**
 * Prices on EVM networks move by the minute. Votes set those of TRON, and Solana's rent hardly ever changes; a third of
 * the display time (network-facts.ts) is often enough.
 */
const EVERY_SECONDS: Record<NetworkFamily, number> = { evm: 55, tron: 300, solana: 300 };
/** Clocks of workers may differ by this much. A later time was written before a clock was set back. */
const AHEAD_SECONDS = 10;

/** The step of one chain. */
export const feeStep = (chain: FollowedChain, options: SendingOptions): Step =>
  feeStepWith(chain, openUsualFee(options));

/** The same with a given reader, which returns smallest units of the network's coin. */
export const feeStepWith =
  (
    { environment, network, spec }: Pick<FollowedChain, 'environment' | 'network' | 'spec'>,
    read: () => Promise<bigint>,
  ): Step =>
  async ({ pool, clock }) => {
    const { rowCount: turns } = await pool.query({
      name: 'network_fee_turn',
      text: `INSERT INTO network_fees AS f (environment, network, requested_at) VALUES ($1::"Environment", $2, $3::timestamptz)
             ON CONFLICT (environment, network) DO UPDATE SET requested_at = EXCLUDED.requested_at
               WHERE f.requested_at NOT BETWEEN $3::timestamptz - $4::int * interval '1 second'
                 AND $3::timestamptz + interval '${AHEAD_SECONDS} seconds'`,
      values: [environment, network, clock.now(), EVERY_SECONDS[spec.family]],
    });
    if (turns === 0) return { more: false };
    const amount = await read().catch((error: unknown) => {
      // The status page reports endpoints in trouble.
      if (error instanceof ChainError) return null;
      throw error;
    });
    if (amount === null) return { more: false };
    await pool.query({
      name: 'network_fee_keep',
      text: `UPDATE network_fees SET amount = $3, read_at = $4 WHERE environment = $1::"Environment" AND network = $2`,
      values: [environment, network, amount.toString(), clock.now()],
    });
    return { more: false };
  };
