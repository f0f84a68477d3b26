// Token accounts of our owners besides the associated ones: a payment into such an account counts too. Nothing announces these
// accounts, so each scan lists them for a few owners in rotation, and at once for an owner whose account has just changed. A
// found account is only cached as a hint; once it received a payment, its cursor is stored.

import { randomInt } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Log } from '@/lib/platform/log';
import { ChainError, type DueAddress } from '@/lib/networks/chain';
import { tokenOf, type NetworkSpec } from '@/lib/networks/networks';
import type { AccountState, WatchedAccount } from './accounts';
import { readTokenAccount, TOKEN_ACCOUNT_SLICE, type Holder } from './decode';
import { TOKEN_PROGRAM } from '@/lib/networks/families/solana/address';
import { mapBounded } from '@/lib/networks/families/solana/map-bounded';
import { callCaughtUp, type Commitment, type SolanaNode } from '@/lib/networks/families/solana/node';
import * as shapes from '@/lib/networks/families/solana/shapes';

/** Owners listed in each scan: with two scans per run, well below public endpoints' 40 requests per 10 seconds. */
const OWNERS_PER_SCAN = 2;
/** Owners per scan whose accounts have just changed. */
const OWNERS_AT_ONCE = 20;
/** Anyone can open any number of accounts for an owner at their own expense; this many are read per owner and scan. */
const ACCOUNTS_PER_OWNER = 50;
const REMEMBERED = 5000;
/** More than one scan ever receives; it only bounds the random start of a process. */
const MAX_OWNERS = 1_000_000;

export type Auxiliaries = {
  /** Auxiliary accounts found so far. */
  readonly known: () => Iterable<Holder>;
  /** Excludes an account permanently, because reading it costs more than it can hold for us. */
  readonly giveUp: (account: string) => void;
  /** The next few owners in rotation; the same ones for this list, however many endpoints are read. */
  readonly nextOwners: (owners: readonly DueAddress[], commitment: Commitment) => readonly DueAddress[];
  /** Accounts of these owners that hold something and are not in `watched`. */
  readonly find: (
    node: SolanaNode,
    owners: readonly string[],
    at: { commitment: Commitment; minSlot: number; watched: ReadonlyMap<string, WatchedAccount> },
  ) => Promise<AccountState[]>;
};

/**
 * Keeps the rotation of one network. Each process starts at a random place, so that short-lived ones, as under cron, do not all
 * list the same first owners.
 */
export function openAuxiliaries(
  spec: NetworkSpec,
  log: Log,
  begin: () => number = () => randomInt(MAX_OWNERS),
): Auxiliaries {
  const refusing = new WeakSet<SolanaNode>();
  const known = new LRUCache<string, Holder>({ max: REMEMBERED });
  const givenUp = new LRUCache<string, true>({ max: REMEMBERED });
  const batches = new WeakMap<readonly DueAddress[], readonly DueAddress[]>();
  // Unconfirmed and final scans have lists of different lengths; with one shared position, the rotation would never reach some owners.
  const places: Record<Commitment, number> = { confirmed: begin(), finalized: begin() };
  return {
    known: () => known.values(),
    giveUp: (account) => {
      known.delete(account);
      givenUp.set(account, true);
    },
    nextOwners: (owners, commitment) => {
      // A separate list, as in a re-scan, does not move the rotation.
      if (owners.length <= OWNERS_PER_SCAN) return owners;
      const given = batches.get(owners);
      if (given) return given;
      const place = places[commitment];
      const next = Array.from({ length: OWNERS_PER_SCAN }, (_, n) => owners[(place + n) % owners.length] as DueAddress);
      places[commitment] = (place + OWNERS_PER_SCAN) % owners.length;
      batches.set(owners, next);
      return next;
    },
    async find(node, owners, { commitment, minSlot, watched }) {
      const requested = [...new Set(owners)].slice(0, OWNERS_AT_ONCE + OWNERS_PER_SCAN);
      const onRefused = (error: ChainError) => {
        if (refusing.has(node)) return;
        refusing.add(node);
        const message =
          'this endpoint does not list token accounts by owner: payments into other than the usual ones go unseen';
        log.warn({ err: error, endpoint: node.name }, message);
      };
      const at = { commitment, minSlot, onRefused };
      const found = await mapBounded(requested, (owner) => accountsOfOwner(node, spec, owner, at));
      const fresh = found
        .flat()
        .filter(({ watched: { account }, amount }) => !watched.has(account) && !givenUp.has(account) && amount > 0n);
      for (const { watched: holder } of fresh) known.set(holder.account, holder);
      return fresh;
    },
  };
}

/**
 * The largest accounts of an owner under the token program. None from a node that does not offer the list, which `onRefused`
 * records: the associated accounts are watched anyway.
 */
export async function accountsOfOwner(
  node: SolanaNode,
  spec: NetworkSpec,
  owner: string,
  {
    commitment,
    minSlot,
    onRefused,
  }: { commitment: Commitment; minSlot: number; onRefused?: (error: ChainError) => void },
): Promise<AccountState[]> {
  const options = { encoding: 'base64', commitment, minContextSlot: minSlot, dataSlice: TOKEN_ACCOUNT_SLICE };
  const params = [owner, { programId: TOKEN_PROGRAM }, options];
  const answer = await callCaughtUp(node, {
    method: 'getTokenAccountsByOwner',
    params,
    shape: shapes.ownedAccounts,
  }).catch((error: unknown): null => {
    if (!(error instanceof ChainError) || error.throttled) throw error;
    onRefused?.(error);
    return null;
  });
  if (!answer) return [];
  const states = answer.value.flatMap(({ pubkey: account, account: data }): AccountState[] => {
    const held = readTokenAccount(data);
    const token = held && tokenOf(spec, held.mint);
    if (!token || held.owner !== owner) return [];
    const watched = { account, owner, mint: held.mint, currency: token.currency, cursor: null };
    return [{ watched, amount: held.amount, exists: true, slot: answer.context.slot }];
  });
  return states
    .toSorted((one, other) => (one.amount < other.amount ? 1 : one.amount > other.amount ? -1 : 0))
    .slice(0, ACCOUNTS_PER_OWNER);
}
