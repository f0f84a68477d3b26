// The token transfers of a simulated chain: in the order of their blocks for the checks, and by address for balances after
// any block. Removing the newest blocks costs as much as they hold.

import type { ChainTransfer } from './chain';

type Place = { readonly token: string; readonly address: string; readonly block: number };
type Change = { readonly block: number; readonly amount: bigint };

export type TokenBook = {
  readonly add: (transfer: ChainTransfer) => void;
  readonly removeAbove: (block: number) => void;
  readonly through: (block: number) => readonly ChainTransfer[];
  /** What an address gained up to a block, less what it paid. Below zero for customers, who bring their tokens along. */
  readonly gainedBy: (place: Place) => bigint;
};

export function openTokenBook(): TokenBook {
  let transfers: ChainTransfer[] = [];
  const changes = new Map<string, Change[]>();
  const keyOf = (token: string, address: string): string => `${token} ${address}`;
  const change = (key: string, one: Change): void => {
    const known = changes.get(key);
    if (known) known.push(one);
    else changes.set(key, [one]);
  };
  return {
    add: (transfer) => {
      const { token, payer, recipient, amount, blockNumber: block } = transfer;
      transfers.push(transfer);
      change(keyOf(token, payer), { block, amount: -amount });
      change(keyOf(token, recipient), { block, amount });
    },
    removeAbove: (block) => {
      const gone = transfers.filter(({ blockNumber }) => blockNumber > block);
      transfers = transfers.filter(({ blockNumber }) => blockNumber <= block);
      for (const key of gone.flatMap(({ token, payer, recipient }) => [keyOf(token, payer), keyOf(token, recipient)])) {
        changes.set(key, changes.get(key)?.filter((one) => one.block <= block) ?? []);
      }
    },
    through: (block) =>
      (transfers.at(-1)?.blockNumber ?? 0) <= block
        ? transfers
        : transfers.filter(({ blockNumber }) => blockNumber <= block),
    gainedBy: ({ token, address, block }) =>
      (changes.get(keyOf(token, address)) ?? [])
        .filter((one) => one.block <= block)
        .reduce((sum, { amount }) => sum + amount, 0n),
  };
}
