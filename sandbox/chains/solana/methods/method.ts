// The input and output of an RPC method, for the tables of methods beside it.

import type { Block } from '../blocks';
import type { Ledger } from '../ledger';

export type Chain = {
  readonly ledger: Ledger;
  /** Sends coin from the faucet to an address and returns the signature. */
  readonly airdrop: (address: string, lamports: bigint) => Promise<string>;
};

/** Throws an RpcError when the call cannot be served. */
type Method = (chain: Chain, params: readonly unknown[]) => unknown;
export type Methods = Readonly<Record<string, Method>>;

export const API_VERSION = '4.2.2';

/** A value with its slot. */
export const withContext = <T>({ slot }: Block, value: T) => ({ context: { apiVersion: API_VERSION, slot }, value });
