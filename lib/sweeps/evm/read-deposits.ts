// Reads the addresses of a batch from the chain. A node that cannot answer about one of them must not hold back the others.

import { RpcError } from '@/lib/networks/endpoints/json-rpc/faults';
import { postpone } from '@/lib/sweeps/postpone';
import type { Candidate } from '@/lib/sweeps/rules';
import type { EvmRun, Ready } from './run';

/** Seconds until an address is read again about which no node answered. */
const UNREAD_PAUSE = 600;

/** By one request for all, and only after a refusal by one for each. Postpones what cannot be read. */
export async function readDeposits(run: EvmRun, batch: readonly Candidate[], contract: string): Promise<Ready> {
  const { chain } = run.evm;
  const read = async (some: readonly Candidate[]): Promise<Ready> => {
    const addresses = some.map(({ address }) => address);
    const states = await chain.deposits(addresses, contract);
    return some.flatMap((candidate, at) => (states[at] ? [[candidate, states[at]] as const] : []));
  };
  try {
    return await read(batch);
  } catch (error) {
    if (!(error instanceof RpcError) || error.throttled) throw error;
  }
  const found: Ready[number][] = [];
  for (const candidate of batch) {
    try {
      found.push(...(await read([candidate])));
    } catch (error) {
      if (!(error instanceof RpcError) || error.throttled) throw error;
      await postpone(run, [candidate], UNREAD_PAUSE, null);
    }
  }
  return found;
}
