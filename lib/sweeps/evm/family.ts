// Sweeps on EVM networks: fifty deposit addresses by one transaction (EIP-7702), or one by one where no endpoint takes that.

import { openSender } from '@/lib/networks/families/clients';
import { openSweepChain } from '@/lib/networks/families/evm/sweeping/chain';
import type { EvmSpec } from '@/lib/networks/networks';
import type { SendingOptions } from '@/lib/networks/registry';
import type { SweepFamily } from '@/lib/sweeps/context';
import { sendBatch } from './batch';
import { followSweep } from './follow';
import { freezeIfStolen, isForeign } from './foreign';
import { openPresigned } from './presigned';
import { readEach } from './read-deposits';
import { onEvm, type Evm } from './run';
import { expectedPrice } from './terms';

/** About 1.6 million gas and 7 kB, which any block has room for. */
const MOST_ADDRESSES = 50;
const [LOCAL_REPLACE, PUBLIC_REPLACE] = [20_000, 120_000];

/**
 * Opens the clients of a chain. No request is sent before the first call. `directory`: of authorizations that were signed in advance.
 */
export function openEvm(
  spec: EvmSpec,
  adapter: Evm['adapter'],
  options: SendingOptions,
  directory: string | undefined,
): Evm {
  const replaceAfter = spec.chain === 'local' ? LOCAL_REPLACE : PUBLIC_REPLACE;
  const [chain, sender] = [openSweepChain(options), openSender(options)];
  const presigned = directory === undefined ? null : openPresigned(directory);
  return { spec, adapter, chain, sender, replaceAfter, presigned, fallback: { until: 0 } };
}

export const evmSweeps = (evm: Evm): SweepFamily => ({
  mostAddresses: MOST_ADDRESSES,
  // A gap of account nonces would stop those that follow.
  inFlight: 1,
  isAtomic: false,
  costEach: async () => evm.spec.transferGas * expectedPrice(await evm.chain.prices()),
  coin: async (address) => ({ amount: await evm.chain.coin(address), stake: null }),
  send: (run, batch) => sendBatch(onEvm(run, evm), batch),
  follow: (run, sweep) => followSweep(onEvm(run, evm), sweep),
  skipReasons: async (run, addresses, contract) => {
    const states = await readEach(evm.chain, addresses, contract);
    const foreign = states.flatMap((state) => (state && isForeign(run, state) ? [state.address] : []));
    const stolen = await freezeIfStolen(run, evm, foreign);
    // Nodes that refuse every request say nothing about the addresses. Then this throws, and the sweep ends later.
    if (states.includes(null)) await evm.chain.deposits([run.wallets.treasury], contract);
    return states.map((state) => {
      if (state === null) return null;
      if (stolen.has(state.address)) return 'foreign_delegation';
      // Somebody else moved what an empty address held.
      return state.held > 0n ? 'refused' : 'empty';
    });
  },
});
