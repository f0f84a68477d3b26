// Where receiving addresses come from, as the address pool sees it: the signer, or a watch-only wallet. A source gives
// public addresses only. The database says which index is next; a signer also remembers the highest index that it gave, which a
// restored database cannot take back.

import type { ReceivingAddresses } from './derivation';

/** Most indexes that may be asked for at once. */
export const MOST_ADDRESSES = 200;

/** Addresses of consecutive indexes, with the fingerprint of the wallet that they were derived from. */
export type AddressBatch = { readonly fingerprint: string; readonly addresses: readonly ReceivingAddresses[] };

export interface AddressSource {
  /** What tells this wallet from every other. */
  fingerprint(): Promise<string>;
  /** Indexes below this can be asked for. */
  capacity(): Promise<number>;
  /** The highest index that it ever gave, -1 for none; null when it keeps no count (watch-only). */
  highestIndex(): Promise<number | null>;
  /** The addresses of the indexes `from` to `from + count - 1`; at most MOST_ADDRESSES. A signer gives no index twice: `used`. */
  addresses(from: number, count: number): Promise<AddressBatch>;
  /**
   * Whether each of these is an address of this index. Derives them anew, so it depends on no row of the database. Throws `exhausted`
   * when a watch-only list is too short to say.
   */
  owns(index: number, addresses: readonly string[]): Promise<boolean>;
}

/** Whether each of `addresses` is one of an index's own. Pure. */
export const areAllOf = ({ evm, tron, solana }: ReceivingAddresses, addresses: readonly string[]): boolean =>
  addresses.every((one) => one === evm || one === tron || one === solana);

/**
 * Why there are no addresses. `unavailable`: the signer gave no answer, try again later. `refused`: it would not give this.
 * `contradiction`: its answer cannot be right. `other_wallet`: not the wallet that this database belongs to. `exhausted`:
 * the wallet has no index left. `used`: an index of these was given before. `restored`: the database was restored, and nothing
 * says which indexes were used since. `unusable`: what a watch-only wallet was given cannot be used.
 */
export type AddressSourceFault =
  'unavailable' | 'refused' | 'contradiction' | 'other_wallet' | 'exhausted' | 'used' | 'restored' | 'unusable';

export class AddressSourceError extends Error {
  readonly fault: AddressSourceFault;
  /** Whether the same call may succeed later without anyone changing anything. */
  readonly retryable: boolean;
  constructor(fault: AddressSourceFault, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'AddressSourceError';
    this.fault = fault;
    this.retryable = fault === 'unavailable' || fault === 'used';
  }
}
