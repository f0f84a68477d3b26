// Reads the addresses of a batch from the chain. A node that cannot answer about one of them must not hold back the others.

import { RpcError } from '@/lib/networks/endpoints/json-rpc/faults';
import type { DepositState, SweepChain } from '@/lib/networks/families/evm/sweeping/chain';
import { postpone } from '@/lib/sweeps/postpone';
import type { Candidate } from '@/lib/sweeps/rules';
import type { EvmRun, Ready } from './run';

/** Seconds until an address is read again about which no node answered. */
const UNREAD_PAUSE = 600;

/** The addresses of a batch with their state. Postpones those that cannot be read. */
export async function readDeposits(run: EvmRun, batch: readonly Candidate[], contract: string): Promise<Ready> {
  const addresses = batch.map(({ address }) => address);
  const states = await readEach(run.evm.chain, addresses, contract);
  const unread = batch.filter((_, at) => !states[at]);
  await postpone(run, unread, UNREAD_PAUSE, null);
  return batch.flatMap((candidate, at) => (states[at] ? [[candidate, states[at]] as const] : []));
}

/**
 * The states of addresses, by one request for all, and only after a refusal by one for each. Null for those about which the nodes refuse
 * to answer.
 */
export async function readEach(
  chain: Pick<SweepChain, 'deposits'>,
  addresses: readonly string[],
  contract: string,
): Promise<readonly (DepositState | null)[]> {
  const all = await unlessRefused(chain.deposits(addresses, contract));
  if (all) return all;
  const states: (DepositState | null)[] = [];
  for (const address of addresses) {
    const [state = null] = (await unlessRefused(chain.deposits([address], contract))) ?? [];
    states.push(state);
  }
  return states;
}

/** Null if the nodes refuse the request itself. A limit of their rate passes. */
async function unlessRefused<T>(answer: Promise<T>): Promise<T | null> {
  try {
    return await answer;
  } catch (error) {
    if (!(error instanceof RpcError) || error.throttled) throw error;
    return null;
  }
}
