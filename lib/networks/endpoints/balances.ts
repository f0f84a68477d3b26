// Opens the balance reader of a network's family. Separate from the registry, which opens the watching adapters: only code that
// compares the ledger with the chain loads this.

import type { BalanceOptions, BalanceReader } from './balances-reader';
import { openEvmBalances } from '@/lib/networks/families/evm/reading/balances';
import type { SendOptions } from '@/lib/networks/sending/endpoints';
import { openSolanaBalances } from '@/lib/networks/families/solana/reading/balances';
import { openTronBalances } from '@/lib/networks/families/tron/reading/balances';

/** Opens the reader of a network. `apiKey` is TronGrid's. Throws an Error for an unusable endpoint URL. */
export function openBalanceReader(
  options: SendOptions & { readonly apiKey?: string | undefined } & BalanceOptions,
): BalanceReader {
  const { family } = options.spec;
  switch (family) {
    case 'evm':
      return openEvmBalances(options);
    case 'tron':
      return openTronBalances(options);
    case 'solana':
      return openSolanaBalances(options);
    default:
      return family satisfies never;
  }
}
