// Whether a contract of forwarders can empty its deposit addresses: only then are they offered and flushed. Read from the chain, where as
// many endpoints as a final outcome needs must report the code that these wallets give.

import { ChainError } from '@/lib/networks/chain';
import type { TronSweepChain } from '@/lib/networks/families/tron/sweeping/chain';
import { forwardersRuntime, type ForwarderWallets } from '@/lib/networks/families/tron/sweeping/forwarders';
import type { Clock } from '@/lib/platform/clock';

/** Milliseconds until the code is read again. A contract that was missing may exist a minute later. */
const [OURS_LASTS, OTHER_LASTS] = [3_600_000, 60_000];

/** Throws a ChainError while endpoints do not answer or do not agree. */
export type IsOurs = (factory: string, wallets: ForwarderWallets) => Promise<boolean>;

export function openForwarderCheck(chain: Pick<TronSweepChain, 'code'>, clock: Clock): IsOurs {
  const known = new Map<string, { readonly at: number; readonly isOurs: boolean }>();
  return async (factory, { treasury, sponsor, spareSponsor }) => {
    const key = [factory, treasury, sponsor, spareSponsor].join(' ');
    const now = clock.now().getTime();
    const before = known.get(key);
    if (before && now - before.at < (before.isOurs ? OURS_LASTS : OTHER_LASTS)) return before.isOurs;
    try {
      const isOurs = (await chain.code(factory)) === forwardersRuntime(factory, { treasury, sponsor, spareSponsor });
      known.set(key, { at: now, isOurs });
      return isOurs;
    } catch (error) {
      // The code of a contract never changes, so it need not be read again for a payment to go on.
      if (error instanceof ChainError && before?.isOurs) return true;
      throw error;
    }
  };
}
