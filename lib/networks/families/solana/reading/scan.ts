// Scans one window on one endpoint with proof. Balances of the watched accounts are read at the window's end or later; a changed
// balance must be explained by the account's history (history.ts). An account that cannot be proven keeps its account cursor and
// holds the block cursor, but does not block the crediting of others.

import {
  ChainError,
  type BlockWindow,
  type FoundTransfer,
  type Scan,
  type Watch,
  type DueAddress,
} from '@/lib/networks/chain';
import type { NetworkSpec } from '@/lib/networks/networks';
import { accountsOf, accountsWithCursor, readStates, type AccountState, type WatchedAccount } from './accounts';
import type { AccountDeriver } from '@/lib/networks/families/solana/address';
import type { Auxiliaries } from './auxiliary';
import { gainsOf, type SlotTransfer, type TransactionFacts } from './decode';
import { openDust, type Dust } from './dust';
import { gather, GIVEN_UP, NOT_READ, type AccountResult } from './gather';
import { mapBounded } from '@/lib/networks/families/solana/map-bounded';
import { floodLimits, LongPastError, readHistory, type FloodLimits, type History } from './history';
import { lossesOf } from './losses';
import {
  clearCache,
  readBlock,
  requireBlock,
  waitForBlock,
  type Commitment,
  type SolanaNode,
} from '@/lib/networks/families/solana/node';
import { hasActivity } from './account-activity';

export type ScanParts = {
  readonly spec: NetworkSpec;
  readonly deriver: AccountDeriver;
  readonly auxiliaries: Auxiliaries;
};

/** Changed accounts per scan, at two or three requests each; after a long outage, further scans read the rest. */
const MAX_CHANGED = 200;
/** After this many unproven accounts the scan stops: the endpoint may have stopped answering. */
const MAX_FAULTS = 8;
/** The node may have deleted blocks this much older than the window's end: about half an hour. */
const PRUNED_AFTER_SLOTS = 5000;

/** Scans a window, as ChainAdapter.scan specifies. */
export async function scanWindow(node: SolanaNode, parts: ScanParts, window: BlockWindow, watch: Watch): Promise<Scan> {
  const commitment: Commitment = window.final ? 'finalized' : 'confirmed';
  const through = await waitForBlock(node, window.to, commitment);
  await checkContinuity(node, window, commitment);
  const owners = await watch.dueAddresses();
  const dust = openDust(parts.spec, owners);
  const due = window.onlyOutgoing
    ? await loweredStates(node, accountsWithCursor(parts.spec, owners), { commitment, minSlot: window.to })
    : await changedStates(node, parts, { owners, window, commitment, dust });
  const known = due.filter((state) => recentHistory(node, state, window) !== null);
  // Accounts that could not be proven before come last, so that an attacker cannot delay others.
  const fresh = due
    .filter((state) => recentHistory(node, state, window) === null)
    .toSorted((one, other) => isUnproven(node, one) - isUnproven(node, other));
  const limits = floodLimits(window.rescan !== undefined);
  let faults = 0;
  const results = await mapBounded([...known, ...fresh.slice(0, MAX_CHANGED)], async (state) => {
    if (faults >= MAX_FAULTS) return NOT_READ;
    const one = await readAccount(node, parts, state, { window, limits });
    // A requested pause applies to all accounts; the results proven before it are kept.
    if (one.fault) faults += one.fault.throttled ? MAX_FAULTS : 1;
    if (one.fault?.throttled) return one;
    if (one.fault || one.history?.whole === false) node.unproven.set(state.watched.account, true);
    else node.unproven.delete(state.watched.account);
    return one;
  });
  // Nothing is concluded above finality, so all transfers read there are shown, however small.
  const reported = window.final ? dust.withoutDust(results) : results;
  return { ...gather(reported, { window, left: Math.max(0, fresh.length - MAX_CHANGED) }), through };
}

const isUnproven = (node: SolanaNode, { watched }: AccountState): number =>
  node.unproven.has(watched.account) ? 1 : 0;

/** Checks the block before the window. A block that the endpoint has deleted proves nothing. */
async function checkContinuity(node: SolanaNode, window: BlockWindow, commitment: Commitment): Promise<void> {
  if (window.parentHash === null) return;
  const number = window.from - 1;
  const block = await readBlock(node, number, commitment);
  if (!block && window.to - number > PRUNED_AFTER_SLOTS) return;
  if (!block && window.final)
    throw new ChainError('unavailable', `${node.name} does not have the block of slot ${number}`);
  if (block?.hash === window.parentHash) return;
  clearCache(node);
  throw new ChainError('reorganised', `${node.name}: the block of slot ${number} is not the one known before`);
}

/** The accounts that hold less than their cursor says. Each gain costs its sender almost nothing and must cost no request here. */
async function loweredStates(
  node: SolanaNode,
  accounts: readonly WatchedAccount[],
  at: { readonly commitment: Commitment; readonly minSlot: number },
): Promise<AccountState[]> {
  const states = await readStates(node, accounts, at);
  // After a reorg the same amount may have another history.
  for (const state of states) if (!isLowered(state)) node.recentHistories.delete(state.watched.account);
  return states.filter(isLowered);
}

const isLowered = ({ watched: { cursor }, amount }: AccountState): boolean => amount < (cursor?.amount ?? 0n);

type Due = {
  readonly owners: readonly DueAddress[];
  readonly window: BlockWindow;
  readonly commitment: Commitment;
  readonly dust: Dust;
};

/**
 * The accounts whose history must be read: those whose balance differs enough from the known one, and those in rotation that have new
 * transactions.
 */
async function changedStates(node: SolanaNode, parts: ScanParts, given: Due): Promise<AccountState[]> {
  const { owners, window, commitment, dust } = given;
  const { deriver, auxiliaries } = parts;
  const watched = await accountsOf(parts.spec, owners, { deriver, auxiliary: auxiliaries.known() });
  const states = await readStates(node, [...watched.values()], { commitment, minSlot: window.to });
  const changed = states.filter(({ watched: { cursor }, amount }) => amount !== (cursor?.amount ?? 0n));
  const rotated = auxiliaries.nextOwners(owners, commitment);
  const fresh = dust.notable(changed).filter((state) => recentHistory(node, state, window) === null);
  const requested = [...rotated.map(({ owner }) => owner), ...fresh.map((state) => state.watched.owner)];
  const found = await auxiliaries.find(node, requested, { commitment, minSlot: window.to, watched });
  const all = [...changed, ...found];
  const notable = dust.notable(all);
  if (!window.final) return notable;
  // A payment that arrived and left again between two scans does not change the balance.
  const inRotation = new Set(rotated.map(({ owner }) => owner));
  const read = new Set(notable);
  const small = all.filter((state) => !read.has(state));
  const few = await dust.inRotation(node, small, { owners: inRotation, commitment });
  const same = states.filter(
    ({ watched: { owner, cursor }, amount, exists }) =>
      inRotation.has(owner) && amount === (cursor?.amount ?? 0n) && (cursor !== null || exists),
  );
  const touched = await mapBounded(same, (state) => hasActivity(node, state, commitment));
  return [...notable, ...few, ...same.filter((_, index) => touched[index])];
}

/** The history found for the same amount in the last scan above finality; null if the amount has changed since. */
function recentHistory(node: SolanaNode, { watched, amount }: AccountState, window: BlockWindow): History | null {
  if (window.final) return null;
  const before = node.recentHistories.get(watched.account);
  const same = before?.amount === amount && before.since === (watched.cursor?.signature ?? null);
  return same ? { facts: before.facts, cursor: null, whole: true } : null;
}

/** The proven transfers of one account in the window and its new cursor, or the reason why it cannot be proven. */
async function readAccount(
  node: SolanaNode,
  { spec, auxiliaries }: ScanParts,
  state: AccountState,
  { window, limits }: { readonly window: BlockWindow; readonly limits: FloodLimits },
): Promise<AccountResult> {
  const commitment: Commitment = window.final ? 'finalized' : 'confirmed';
  const { owner } = state.watched;
  try {
    // Above finality, a later scan still needs the transactions after this window's end.
    const to = window.final ? window.to : state.slot;
    const history = recentHistory(node, state, window) ?? (await readHistory(node, state, { commitment, to, limits }));
    // Also for a flooded account, so that it is read once for each amount. A loss in it must be found, however often it is read.
    if (!window.final && (history.whole || !window.onlyOutgoing)) {
      const since = state.watched.cursor?.signature ?? null;
      node.recentHistories.set(state.watched.account, { since, amount: state.amount, facts: history.facts });
    }
    // A final window includes all transfers not known yet, however old: it may be the account's first scan.
    const from = window.final ? 0 : window.from;
    const facts = history.facts.filter(({ slot }) => slot >= from && slot <= window.to);
    const found = await mapBounded(facts, (one) => transfersOf(node, spec, { facts: one, state, commitment }));
    const transfers = found.flatMap((one) => one.transfers);
    const outgoing = found.flatMap((one) => one.outgoing);
    return { owner, transfers, outgoing, history, fault: null };
  } catch (error) {
    if (error instanceof LongPastError) {
      auxiliaries.giveUp(state.watched.account);
      return GIVEN_UP;
    }
    if (error instanceof ChainError) return { ...NOT_READ, owner, fault: error };
    throw error;
  }
}

/** The transfers of a transaction to the account's owner and out of its accounts, with their block. */
async function transfersOf(
  node: SolanaNode,
  spec: NetworkSpec,
  { facts, state, commitment }: { facts: TransactionFacts; state: AccountState; commitment: Commitment },
): Promise<Pick<AccountResult, 'transfers' | 'outgoing'>> {
  const { owner } = state.watched;
  const [gains, losses] = [gainsOf(spec, facts, owner), lossesOf(spec, facts, owner)];
  if (gains.length + losses.length === 0) return { transfers: [], outgoing: [] };
  const block = await requireBlock(node, facts.slot, commitment);
  const placed = (one: SlotTransfer): FoundTransfer => ({
    ...one,
    blockNumber: block.number,
    blockHash: block.hash,
    blockTime: block.time,
  });
  return { transfers: gains.map(placed), outgoing: losses.map(placed) };
}
