// Derives a range of addresses without blocking the process: after every few addresses it lets other work run.

import { setImmediate as letOthersRun } from 'node:timers/promises';
import type { AddressKeys, DepositAddresses } from './derivation';

/** About five milliseconds of work. */
const CHUNK = 8;

/** The addresses of the indexes `from` to `from + count - 1`, in that order. */
export async function deriveRange(
  keys: AddressKeys,
  range: { readonly from: number; readonly count: number },
): Promise<DepositAddresses[]> {
  const addresses: DepositAddresses[] = [];
  for (let done = 0; done < range.count; done++) {
    if (done > 0 && done % CHUNK === 0) await letOthersRun();
    addresses.push(keys.addressesAt(range.from + done));
  }
  return addresses;
}
