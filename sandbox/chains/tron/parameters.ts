// Parameters of a contract as they stand in a transaction.

import type { Resource } from './account';
import { readAddress } from './address';
import { invalid } from './rejected';
import type { Transaction } from './transaction';

/** An address among a contract's parameters. Throws Rejected when it is missing. */
export function addressIn(value: Transaction['value'], name: string): string {
  const address = readAddress(value[name]);
  if (address === null) throw invalid(`Invalid ${name}`);
  return address;
}

/** An amount among a contract's parameters; absent is zero. */
export const sun = (amount: unknown): bigint => BigInt(Number(amount ?? 0));

/** The resource among a contract's parameters. Throws Rejected for another one. */
export const resourceOf = ({ resource }: Transaction['value']): Resource => {
  if (resource !== undefined && resource !== 'ENERGY' && resource !== 'BANDWIDTH') {
    throw invalid('ResourceCode error, valid ResourceCode[BANDWIDTH、ENERGY]');
  }
  return resource ?? 'BANDWIDTH';
};
