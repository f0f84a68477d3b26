// Opens the sender of a network's family. Separate from the registry, which opens the watching adapters, so that only payout code
// loads this.

import type { ChainSender } from './send';
import type { SendOptions } from './endpoints';
import { openEvmSender } from '@/lib/networks/families/evm/sending/send';
import { openSolanaSender } from '@/lib/networks/families/solana/sending/send';
import { openTronSender } from '@/lib/networks/families/tron/sending/send';

/** Opens the sender of a network. `apiKey` is TronGrid's. Throws an Error for an unusable endpoint URL. */
export function openSender(options: SendOptions & { readonly apiKey?: string | undefined }): ChainSender {
  const { family } = options.spec;
  switch (family) {
    case 'evm':
      return openEvmSender(options);
    case 'tron':
      return openTronSender(options);
    case 'solana':
      return openSolanaSender(options);
    default:
      return family satisfies never;
  }
}
