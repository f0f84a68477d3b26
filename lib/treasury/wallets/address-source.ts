// Where deposit addresses come from, as the address pool sees it: the signer, or a watch-only wallet. A source gives only public addresses.
// The database decides which index is next. A signer also remembers the highest index that it gave, which a restored database cannot roll
// back.

import { forwarderAddress } from '@/lib/networks/families/tron/sweeping/forwarders';
import type { Context } from '@/lib/platform/context';
import type { Environment } from '@/lib/platform/ids';
import type { DepositAddresses } from './derivation';

/** The most indexes of one request. */
export const MAX_ADDRESSES = 200;

/** Addresses of consecutive indexes, with the fingerprint of the wallet that they were derived from. */
export type AddressBatch = { readonly fingerprint: string; readonly addresses: readonly DepositAddresses[] };

export interface AddressSource {
  /** Identifies this wallet. */
  fingerprint(): Promise<string>;
  /** Only indexes below this can be requested. */
  capacity(): Promise<number>;
  /** The highest index that it ever gave, -1 for none; null when it keeps no count (watch-only). */
  highestIndex(): Promise<number | null>;
  /** The addresses of the indexes `from` to `from + count - 1`; at most MAX_ADDRESSES. A signer gives no index twice: `used`. */
  addresses(from: number, count: number): Promise<AddressBatch>;
  /**
   * Whether each of these is an address of this index: of its keys, or of a forwarder of the contracts that the settings of the source name.
   * Derives them again, so it depends on no row of the database. Throws `exhausted` when a watch-only list is too short.
   */
  owns(index: number, addresses: readonly string[]): Promise<boolean>;
}

/** The contracts of the forwarders of an environment on TRON. */
type Forwarders = {
  /** Of new deposit addresses; null for addresses of keys, also while it is unknown whether the contract can empty them. */
  readonly factory: string | null;
  /** Of those in the pool that sessions may still get: also the contract of the settings while it is unknown. */
  readonly pooled: string | null;
};
export type NewForwarders = (context: Context, environment: Environment) => Promise<Forwarders>;

/** Whether all of `addresses` belong to an index. `factories`: the contracts of forwarders on TRON. Pure. */
export const areAllOf = (
  { evm, tron, solana }: DepositAddresses,
  addresses: readonly string[],
  factories: readonly string[] = [],
): boolean =>
  addresses.every(
    (one) =>
      one === evm ||
      one === tron ||
      one === solana ||
      factories.some((factory) => one === forwarderAddress(factory, evm)),
  );

/**
 * Why there are no addresses. `unavailable`: the signer did not respond, try again later. `refused`: it refused the request.
 * `contradiction`: its response cannot be right. `other_wallet`: not the wallet of this database. `exhausted`: the wallet has no index
 * left. `used`: one of these indexes was given before. `restored`: the database was restored, and it is unknown which indexes were used
 * since. `unusable`: a setting of a watch-only wallet is invalid.
 */
export type AddressSourceFault =
  'unavailable' | 'refused' | 'contradiction' | 'other_wallet' | 'exhausted' | 'used' | 'restored' | 'unusable';

export class AddressSourceError extends Error {
  readonly fault: AddressSourceFault;
  /** Whether the same call may succeed later without any change. */
  readonly retryable: boolean;
  constructor(fault: AddressSourceFault, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'AddressSourceError';
    this.fault = fault;
    this.retryable = fault === 'unavailable' || fault === 'used';
  }
}
