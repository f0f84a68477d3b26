// Sweeps on Solana: up to six deposit addresses by one transaction, whose fee the sponsor pays. A swept account is closed in the same
// transaction, and its rent pays for the sweep several hundred times.

import { openSender } from '@/lib/networks/families/clients';
import { openSolanaSweepChain } from '@/lib/networks/families/solana/sweeping/chain';
import { MOST_DEPOSITS, sweepCost } from '@/lib/networks/families/solana/sweeping/sweep-transaction';
import type { SendingOptions } from '@/lib/networks/registry';
import type { SweepFamily } from '@/lib/sweeps/context';
import { sendBatches } from './batch';
import { followSweep } from './follow';
import type { Solana } from './run';

/** Transactions of one run, and those of the sponsor that may be outside a block before others begin. */
const AT_ONCE = 10;
/** Compute units and micro-lamports of a sweep on a quiet day. */
const USUAL_UNITS = { unitLimit: 5000, unitPrice: 1000n };

/** Opens the clients of a chain. No request is sent before the first call. */
export function openSolana(adapter: Solana['adapter'], options: SendingOptions): Solana {
  return { spec: options.spec, adapter, chain: openSolanaSweepChain(options), sender: openSender(options) };
}

export const solanaSweeps = (solana: Solana): SweepFamily => ({
  mostAddresses: AT_ONCE * MOST_DEPOSITS,
  // There are no account nonces, so no transaction waits for another one.
  inFlight: AT_ONCE,
  isAtomic: true,
  costEach: async () => sweepCost(USUAL_UNITS, 1),
  coin: async (address) => ({ amount: await solana.chain.coin(address), stake: null }),
  send: (run, batch) => sendBatches({ ...run, solana }, batch),
  follow: (run, sweep) => followSweep({ ...run, solana }, sweep),
  skipReasons: async (_run, addresses) => addresses.map(() => 'refused'),
});
