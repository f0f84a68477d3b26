// Whether the signer has the key of a deposit address. An order names an address by its index alone, so coin and energy for the address of
// another wallet would go to the signer's own address of that index, again in every run.

import type { Candidate } from '@/lib/sweeps/rules';
import type { TronRun } from './run';

/** Throws an AddressSourceError when the signer does not answer. */
export const isOwn = (
  { sweeping }: Pick<TronRun, 'sweeping'>,
  { addressIndex, address }: Pick<Candidate, 'addressIndex' | 'address'>,
): Promise<boolean> => sweeping.signer.owns(addressIndex, [address]);
