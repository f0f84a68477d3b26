// Until which block a transaction with the newest blockhash may land, by all endpoints.

import { ChainError } from '@/lib/networks/chain';
import type { SendEndpoints } from '@/lib/networks/sending/endpoints';
import type { SolanaNode } from '@/lib/networks/families/solana/node';
import { lamports } from './shapes';

/** Blocks for which a blockhash is valid. */
const LIFETIME = 150;
/** Blocks by which an endpoint may be ahead of the others. It delays the proof that a payment never lands by as much. */
const MAX_AHEAD = 2000;

/**
 * The height after which the current blockhash is certainly invalid. It uses the highest reported height; otherwise a payment
 * could be declared lapsed while it may still land. A height far above the others' is wrong: the payment would never lapse.
 * Throws a ChainError that names the endpoints and their heights.
 */
export async function lastValidHeight(endpoints: SendEndpoints<SolanaNode>, reported: number): Promise<number> {
  const call = { method: 'getBlockHeight', params: [{ commitment: 'confirmed' }], shape: lamports };
  const read = async ({ name, rpc }: SolanaNode) => ({ name, height: await rpc.call(call) });
  const heights = await endpoints.all(read);
  const [highest, ...others] = heights.toSorted((one, other) => other.height - one.height);
  if (!highest || heights.length < endpoints.needed) {
    throw new ChainError(
      'unavailable',
      `${heights.length} endpoints report the height of the newest block, not ${endpoints.needed}`,
    );
  }
  // Needs a second report even if one endpoint suffices for a final outcome: nothing else would ever correct the first.
  const second = others[Math.min(Math.max(2, endpoints.needed), heights.length) - 2] ?? highest;
  const last = Math.max(reported, highest.height + LIFETIME);
  if (last - Math.min(reported, second.height + LIFETIME) <= MAX_AHEAD) return last;
  const heightsText = `${highest.name} reports block height ${highest.height}, ${second.name} reports ${second.height}`;
  throw new ChainError(
    'contradiction',
    `${heightsText}, and the blockhash is reported valid until ${reported}: one of them is wrong or behind`,
  );
}
