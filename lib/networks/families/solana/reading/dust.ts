// Payments below a cent cost their sender almost nothing but would cost us requests for each of them in every scan, and they need
// no decision. So an address that gained less than its `readThreshold` since its account cursors is not read transaction by
// transaction. Its cursors stay, and the next scan compares against them again: once the gains together reach the limit, all of
// them are read and stored.

import { toCommon } from '@/lib/money/amounts';
import type { AccountCursor, FoundTransfer, DueAddress } from '@/lib/networks/chain';
import { tokenOf, type NetworkSpec } from '@/lib/networks/networks';
import type { AccountState } from './accounts';
import { mapBounded } from '@/lib/networks/families/solana/map-bounded';
import type { History } from './history';
import type { Commitment, SolanaNode } from '@/lib/networks/families/solana/node';
import { countNewest } from './account-activity';

/** In rotation, dust is read anyway if it came in this few transactions, so that single payments are stored in time. */
const FEW_TRANSACTIONS = 2;

/** Addresses in rotation whose dust is read. Every endpoint that gets the same list of addresses reads the same ones. */
const inRotation = new WeakMap<readonly DueAddress[], ReadonlySet<string>>();

/** The result for one account. Without a history and transfers: the account was not read. */
type ReadAccount = {
  readonly owner: string | null;
  readonly transfers: readonly FoundTransfer[];
  readonly outgoing: readonly FoundTransfer[];
  readonly history: History | null;
};

export type Dust = {
  /** The changed accounts of addresses that gained enough to be read, or that lost something. */
  readonly notable: (changed: readonly AccountState[]) => AccountState[];
  /** The changed accounts of the addresses in rotation whose dust came in few transactions. */
  readonly inRotation: (
    node: SolanaNode,
    changed: readonly AccountState[],
    at: { readonly owners: ReadonlySet<string>; readonly commitment: Commitment },
  ) => Promise<AccountState[]>;
  /**
   * Leaves out addresses that gained too little by the window's end. Endpoints report balances of different later slots, and
   * would otherwise never agree about an address that reaches its limit meanwhile.
   */
  readonly withoutDust: <T extends ReadAccount>(read: readonly T[]) => T[];
};

export function openDust(spec: NetworkSpec, owners: readonly DueAddress[]): Dust {
  const limits = new Map(owners.map(({ owner, readThreshold = 0n }) => [owner, readThreshold]));
  const accountCursors = new Map(
    owners.flatMap((one) => one.accountCursors.map((cursor) => [cursor.account, cursor] as const)),
  );
  const worth = (contract: string, amount: bigint): bigint =>
    toCommon(amount, tokenOf(spec, contract)?.token.decimals ?? 0);
  const gainOf = ({ watched: { mint, cursor }, amount }: AccountState): bigint =>
    worth(mint, amount - (cursor?.amount ?? 0n));

  const isNotable = ([owner, states]: [string, AccountState[]]): boolean => {
    const gains = states.map(gainOf);
    // A loss may hide a gain.
    return gains.some((gain) => gain < 0n) || sum(gains) >= (limits.get(owner) ?? 0n);
  };
  const isSmall = (owner: string, all: readonly ReadAccount[]): boolean => {
    if (inRotation.get(owners)?.has(owner)) return false;
    if (all.some(({ history }) => !history?.whole || hasLost(accountCursors, history.cursor))) return false;
    // One transaction may pay several accounts of an address and is then found once per account.
    const transfers = new Map(
      all.flatMap((one) => one.transfers).map((one) => [`${one.transactionHash} ${one.ordinal}`, one]),
    );
    const gained = sum([...transfers.values()].map(({ contract, amount }) => worth(contract, amount)));
    return gained > 0n && gained < (limits.get(owner) ?? 0n);
  };

  return {
    notable(changed) {
      const groups = [...byOwner(changed, ({ watched }) => watched.owner)];
      const notable = new Set(groups.filter(isNotable).map(([owner]) => owner));
      return changed.filter(({ watched }) => notable.has(watched.owner));
    },

    async inRotation(node, changed, { owners: rotated, commitment }) {
      const known = inRotation.get(owners);
      if (known) return changed.filter(({ watched }) => known.has(watched.owner));
      const requested = changed.filter(({ watched }) => rotated.has(watched.owner));
      const counts = await mapBounded(requested, (state) =>
        countNewest(node, state, { commitment, limit: FEW_TRANSACTIONS + 1 }),
      );
      const many = new Set(
        requested.filter((_, n) => (counts[n] ?? 0) > FEW_TRANSACTIONS).map(({ watched }) => watched.owner),
      );
      const few = requested.filter(({ watched }) => !many.has(watched.owner));
      inRotation.set(owners, new Set(few.map(({ watched }) => watched.owner)));
      return few;
    },

    withoutDust(read) {
      const groups = [...byOwner(read, ({ owner }) => owner)];
      const small = new Set(groups.filter(([owner, all]) => isSmall(owner, all)).map(([owner]) => owner));
      return read.map((one) =>
        one.owner !== null && small.has(one.owner)
          ? { ...one, transfers: [], outgoing: [], history: one.history && { ...one.history, cursor: null } }
          : one,
      );
    },
  };
}

function byOwner<T>(all: readonly T[], ownerOf: (one: T) => string | null): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const one of all) {
    const owner = ownerOf(one);
    if (owner !== null) groups.set(owner, [...(groups.get(owner) ?? []), one]);
  }
  return groups;
}

const hasLost = (before: ReadonlyMap<string, AccountCursor>, cursor: AccountCursor | null): boolean =>
  cursor !== null && cursor.amount < (before.get(cursor.account)?.amount ?? 0n);

const sum = (amounts: readonly bigint[]): bigint => amounts.reduce((total, one) => total + one, 0n);
