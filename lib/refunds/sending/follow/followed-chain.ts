// The row of the chain that a network's endpoints serve.

import { ChainError } from '@/lib/networks/chain';
import type { Context } from '@/lib/platform/context';
import type { SendingContext } from '@/lib/refunds/sending/sending-context';

/** The row of the chain behind the endpoints, or null when the chain is unknown or not the one that is followed. */
export async function followedChain(
  { pool }: Pick<Context, 'pool'>,
  { environment, network, genesis }: Pick<SendingContext, 'environment' | 'network' | 'genesis'>,
): Promise<number | null> {
  let found: string;
  try {
    found = await genesis();
  } catch (error) {
    if (error instanceof ChainError) return null;
    throw error;
  }
  const { rows } = await pool.query<{ id: number }>({
    name: 'refund-chain',
    text: `SELECT id FROM chains WHERE environment = $1::"Environment" AND network = $2 AND genesis = $3
             AND retired_at IS NULL`,
    values: [environment, network, found],
  });
  return rows[0]?.id ?? null;
}
