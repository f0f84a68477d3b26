// Balances of the watched token accounts, up to a hundred per request. A scan costs one request per hundred accounts, and reads
// the transaction history only of accounts whose balance has changed.

import { ChainError, type AccountCursor, type DueAddress } from '@/lib/networks/chain';
import { RpcError } from '@/lib/networks/endpoints/json-rpc/faults';
import type { NetworkSpec } from '@/lib/networks/networks';
import { keyBytes, type AccountDeriver } from '@/lib/networks/families/solana/address';
import { heldAmount, TOKEN_ACCOUNT_SLICE, type Holder } from './decode';
import { mapBounded } from '@/lib/networks/families/solana/map-bounded';
import { callCaughtUp, type Commitment, type SolanaNode } from '@/lib/networks/families/solana/node';
import * as shapes from '@/lib/networks/families/solana/shapes';

/** A watched token account with its currency and its cursor. */
export type WatchedAccount = Holder & { readonly currency: string; readonly cursor: AccountCursor | null };

/** The balance of an account for its holder as of a slot, and whether the account exists at all. */
export type AccountState = {
  readonly watched: WatchedAccount;
  readonly amount: bigint;
  readonly exists: boolean;
  readonly slot: number;
};

/** The error of a node for more accounts per request than its plan allows (free plans: five). */
const TOO_MANY = /too many|\bmax(?:imum)?\b|limit/i;

/** The accounts of the owners: the associated account of every token, and all others with a cursor or known from discovery. */
export async function accountsOf(
  spec: NetworkSpec,
  owners: readonly DueAddress[],
  known: { readonly deriver: AccountDeriver; readonly auxiliary: Iterable<Holder> },
): Promise<Map<string, WatchedAccount>> {
  const tokens = Object.entries(spec.tokens);
  const accountCursors = new Map(
    owners.flatMap((one) => one.accountCursors.map((cursor) => [cursor.account, cursor] as const)),
  );
  const accounts = new Map<string, WatchedAccount>();
  const derived = await known.deriver.accountsOf(owners.map(({ owner }) => owner));
  for (const [owner, associated] of derived) {
    for (const [index, [currency, { contract: mint }]] of tokens.entries()) {
      const account = associated[index];
      if (account !== undefined)
        accounts.set(account, { account, owner, mint, currency, cursor: accountCursors.get(account) ?? null });
    }
  }
  const currencies = new Map(tokens.map(([currency, { contract }]) => [contract, currency]));
  const marked = [...accountCursors.values()].map(({ account, owner, currency }) => ({
    account,
    owner,
    mint: spec.tokens[currency]?.contract ?? '',
  }));
  for (const { account, owner, mint } of [...marked, ...known.auxiliary]) {
    const currency = currencies.get(mint);
    const watched = derived.has(owner) && keyBytes(account) !== null;
    if (currency !== undefined && watched && !accounts.has(account)) {
      accounts.set(account, { account, owner, mint, currency, cursor: accountCursors.get(account) ?? null });
    }
  }
  return accounts;
}

/** The accounts of the owners that have a cursor, and no others. */
export const accountsWithCursor = (spec: NetworkSpec, owners: readonly DueAddress[]): WatchedAccount[] =>
  owners
    .flatMap(({ accountCursors }) => accountCursors)
    .flatMap((cursor): WatchedAccount[] => {
      const { account, owner, currency } = cursor;
      const mint = spec.tokens[currency]?.contract;
      return mint === undefined ? [] : [{ account, owner, mint, currency, cursor }];
    });

type ReadAt = { readonly commitment: Commitment; readonly minSlot: number };

/** Reads the balances of accounts, each as of `minSlot` or later. Throws unless the node answers for every account. */
export async function readStates(
  node: SolanaNode,
  accounts: readonly WatchedAccount[],
  at: ReadAt,
): Promise<AccountState[]> {
  return inParts(node, accounts, (some) => readSome(node, some, at));
}

/** The results of requests for as many accounts at once as the node takes. */
export async function inParts<A, R>(
  node: SolanaNode,
  accounts: readonly A[],
  read: (some: readonly A[]) => Promise<R[]>,
): Promise<R[]> {
  for (;;) {
    const most = node.accountsAtOnce;
    const starts = Array.from({ length: Math.ceil(accounts.length / most) }, (_, n) => n * most);
    try {
      return (await mapBounded(starts, (start) => read(accounts.slice(start, start + most)))).flat();
    } catch (error) {
      const isTooMany = error instanceof RpcError && !error.throttled && error.matches(TOO_MANY);
      if (!isTooMany || most === 1) throw error;
      node.accountsAtOnce = Math.max(1, Math.floor(Math.min(most, accounts.length) / 2));
    }
  }
}

async function readSome(
  node: SolanaNode,
  accounts: readonly WatchedAccount[],
  { commitment, minSlot }: ReadAt,
): Promise<AccountState[]> {
  const options = { encoding: 'base64', commitment, minContextSlot: minSlot, dataSlice: TOKEN_ACCOUNT_SLICE };
  const params = [accounts.map(({ account }) => account), options];
  const { context, value } = await callCaughtUp(node, {
    method: 'getMultipleAccounts',
    params,
    shape: shapes.accounts,
  });
  if (value.length !== accounts.length) {
    throw new ChainError('contradiction', `${node.name} answered for ${value.length} of ${accounts.length} accounts`);
  }
  if (context.slot < minSlot) {
    throw new ChainError('unavailable', `${node.name} answers as of slot ${context.slot}, before slot ${minSlot}`);
  }
  return accounts.map((watched, index) => ({
    watched,
    amount: heldAmount(watched, value[index] ?? null),
    exists: value[index] !== null,
    slot: context.slot,
  }));
}
