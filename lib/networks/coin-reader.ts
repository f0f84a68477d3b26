// Reads which coin wallets send near the tip, from one endpoint. Blocks are read in full only where a wallet signed something, so that a
// wallet that signs nothing costs one request. On Solana the transactions that mention a wallet are read instead.

import type { BlockSpan, FoundTransfer } from './found-transfer';

/**
 * What an endpoint reported of the wallets after a block: the account nonce on EVM networks, the time of the newest transaction on TRON.
 * Empty on Solana. `time`: that of the block, Unix seconds. Cursors of different endpoints are never mixed.
 */
export type CoinCursor = {
  readonly block: number;
  readonly time: number;
  readonly states: ReadonlyMap<string, number>;
};

/**
 * `window`: from the endpoint's last reading on, or from some minutes ago if that was earlier, or never. `time`: that of the window's last block.
 * `cursor`: of that last reading, of any age.
 */
export type CoinSearch = {
  readonly window: BlockSpan & { readonly time: number };
  readonly wallets: readonly string[];
  readonly cursor: CoinCursor | null;
};

/** Blocks in which a wallet may have signed something, or the transactions, by their hashes, where blocks are too large to be read in full. */
type CoinPlaces = { readonly blocks: readonly number[]; readonly hashes: readonly string[] };

/** `cursor`: for the next reading, once these places were read. `unread`: why others in the window cannot be read now. */
export type CoinActivity = CoinPlaces & { readonly cursor: CoinCursor; readonly unread?: string | null };

export interface CoinReader {
  activity(search: CoinSearch): Promise<CoinActivity>;
  /**
   * What the wallets send in these places, in coin. The transfers have the coin's symbol as `currency` and no contract. Power over a wallet
   * that its key gives to others counts too, as a transfer of 0. Whether a transaction succeeded is not read: the key has signed it.
   */
  sent(places: CoinPlaces, wallets: readonly string[]): Promise<readonly FoundTransfer[]>;
}

/** The recipient of coin that goes to no address of a transaction. */
export const NO_ADDRESS = 'no address';
