// Every check of a refund address that a customer typed: its format, whether it belongs to this service, and whether it is a contract.

import { networkSpec } from '@/lib/networks/networks';
import { readRecipient, type RecipientRefusal } from '@/lib/networks/recipients/recipient';
import { ServiceError } from '@/lib/platform/errors/errors';
import type { Environment } from '@/lib/platform/ids';
import { isWallet, type AddressContext } from './kind';
import { isOwnAddress } from './own-address';

export type TypedAddress = {
  readonly environment: Environment;
  readonly network: string;
  readonly typed: string;
  /** Whether a smart wallet is accepted: only by a claim link, whose page asks the customer to confirm. */
  readonly takesContracts: boolean;
};

/** The address as it is stored and paid, or why it cannot be. */
export type CheckedAddress =
  { readonly address: string; readonly isContract: boolean } | { readonly refused: RecipientRefusal };

/**
 * Checks an address without storing it. Throws INVALID_PARAMETER for an unknown network, and SERVICE_UNAVAILABLE when the chain does
 * not report whether the address is a contract.
 */
export async function checkAddress(context: AddressContext, given: TypedAddress): Promise<CheckedAddress> {
  const { environment, network, typed } = given;
  const spec = networkSpec(environment, network, context.config.TEST_CHAINS);
  if (!spec) throw new ServiceError('INVALID_PARAMETER', { param: 'network' });
  const read = readRecipient(spec, typed);
  if ('refused' in read) return read;
  const { address } = read;
  if (await isOwnAddress(context.pool, spec.family, address)) return { refused: { code: 'ours' } };
  const isContract = !(await isWallet(context, { environment, network, address }));
  // A program's account on Solana has no key, and this service does not send tokens to it.
  const isTaken = given.takesContracts && spec.family !== 'solana';
  return isContract && !isTaken ? { refused: { code: 'cannot_receive' } } : { address, isContract };
}
