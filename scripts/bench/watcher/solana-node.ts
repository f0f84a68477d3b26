// A synthetic Solana node: the blocks and token accounts that a run of the watcher reads. All accounts are empty, as
// nearly all are in production. Changed accounts are read one by one, at a cost proportional to the payments.

import { createHash } from 'node:crypto';
import { base58 } from '@scure/base';
import type { Height } from './evm-node';

type Call = { readonly id: number; readonly method: string; readonly params: readonly unknown[] };

const TOKEN_PROGRAM = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA';
const NO_SUCH_SLOT = -32009;
/** A mint of six decimals, initialised. */
const MINT = Buffer.alloc(82).fill(6, 44, 45).fill(1, 45, 46).toString('base64');
const keyOf = (text: string): string => base58.encode(createHash('sha256').update(text).digest());
const blockhash = (slot: number): string => keyOf(`solana block ${slot}`);

/** Opens the node. It calls `counted` with the number of accounts of every getMultipleAccounts. */
export function openSolanaNode(
  height: Height,
  zero: number,
  counted: (accounts: number) => void,
): (path: string, body: string) => string {
  const newest = (options: unknown): number =>
    (options as { commitment?: string } | undefined)?.commitment === 'finalized' ? height().final : height().tip;

  function result({ method, params: [first, second] }: Call): unknown {
    switch (method) {
      case 'getGenesisHash':
        return keyOf('solana genesis');
      case 'getSlot':
        return newest(first);
      case 'getBlock': {
        const slot = first as number;
        if (slot > newest(second)) return undefined;
        const parent = Math.max(0, slot - 1);
        return {
          blockhash: blockhash(slot),
          previousBlockhash: blockhash(parent),
          parentSlot: parent,
          blockTime: zero + Math.floor(slot / 100),
          blockHeight: slot,
        };
      }
      case 'getMultipleAccounts': {
        const accounts = first as string[];
        const isMints = (second as { dataSlice?: object }).dataSlice === undefined;
        if (!isMints) counted(accounts.length);
        const mint = {
          owner: TOKEN_PROGRAM,
          data: [MINT, 'base64'],
          lamports: 1,
          executable: false,
          rentEpoch: 0,
          space: 82,
        };
        return { context: { slot: newest(second) }, value: accounts.map(() => (isMints ? mint : null)) };
      }
      case 'getTokenAccountsByOwner':
        return { context: { slot: newest(second) }, value: [] };
      default:
        throw new Error(`the synthetic node does not know ${method}`);
    }
  }

  const answer = (call: Call): object => {
    const given = result(call);
    const error = { code: NO_SUCH_SLOT, message: 'Slot was skipped, or missing' };
    return { jsonrpc: '2.0', id: call.id, ...(given === undefined ? { error } : { result: given }) };
  };
  return (_path, body) => {
    const calls = JSON.parse(body) as Call | Call[];
    return JSON.stringify(Array.isArray(calls) ? calls.map(answer) : answer(calls));
  };
}
