// What a method of the interface is given and answers, for the tables of methods beside it.

import type { Block } from '../blocks';
import type { Ledger } from '../ledger';

export type Chain = {
  readonly ledger: Ledger;
  /** Sends coin from the faucet to an address and answers the signature. */
  readonly airdrop: (address: string, lamports: bigint) => Promise<string>;
};

/** Throws an RpcError when the call cannot be answered. */
export type Method = (chain: Chain, params: readonly unknown[]) => unknown;
export type Methods = Readonly<Record<string, Method>>;

export const API_VERSION = '4.2.2';

/** A value with the slot that it is true for. */
export const withContext = <T>({ slot }: Block, value: T) => ({ context: { apiVersion: API_VERSION, slot }, value });
