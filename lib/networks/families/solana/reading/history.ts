// The complete, proven history of one token account since its cursor. Each transaction's balance before must equal the balance
// after the previous one, from the cursor's amount to the current amount. A list that lags or omits a transaction breaks this
// chain, and the whole list is then rejected.

import { ChainError, type AccountCursor } from '@/lib/networks/chain';
import type { AccountState } from './accounts';
import { associatedAccount } from '@/lib/networks/families/solana/address';
import { changeOf, type TransactionFacts } from './decode';
import { mapBounded } from '@/lib/networks/families/solana/map-bounded';
import { callCaughtUp, type Commitment, type SolanaNode } from '@/lib/networks/families/solana/node';
import * as shapes from '@/lib/networks/families/solana/shapes';
import type { ListedSignature } from '@/lib/networks/families/solana/shapes';
import { readFacts } from './transactions';

export type History = {
  /** Transactions up to the window's end, without duplicates. */
  readonly facts: readonly TransactionFacts[];
  /** The new cursor; null if the history gets no further than the existing cursor. */
  readonly cursor: AccountCursor | null;
  /** False for a flooded account: it has more new transactions than one scan reads. The next scan continues from the cursor. */
  readonly whole: boolean;
};

/** Limits for reading flooded accounts: anyone can mention an account for a small fee. */
export type FloodLimits = {
  /** Pages of the account's list. */
  readonly pages: number;
  /** Flooded accounts whose transactions this scan still reads. */
  accounts: number;
};

/** The most that a node lists per request. */
const PAGE = 1000;
/** The account of a paid session has only a few transactions. Each attempt reads the pages of a flooded account again. */
const PAGES_OF_SCAN = 3;
/** For a re-scan after missing money, a few times a day at most: a hundred thousand transactions. */
const PAGES_OF_RESCAN = 100;
/** For an auxiliary account without a cursor: a payer opens a new account, and does not hand over a busy one. */
const MAX_PAGES_OF_STRANGERS = 2;
/** Transactions of one account that are read at once. */
const MAX_TRANSACTIONS = 100;
/** The newest transactions of a flooded account, which include a payment made after the flood. */
const MAX_NEWEST = 50;
/** Each costs up to 150 requests. */
const FLOODED_ACCOUNTS = 4;

export const floodLimits = (isRescan: boolean): FloodLimits => ({
  pages: isRescan ? PAGES_OF_RESCAN : PAGES_OF_SCAN,
  accounts: FLOODED_ACCOUNTS,
});

/** The account is not an associated account, and its history is too long to read. */
export class LongPastError extends ChainError {
  constructor(account: string) {
    super('unavailable', `${account} was handed over with more transactions than are read`);
    this.name = 'LongPastError';
  }
}

type At = { readonly commitment: Commitment; readonly to: number; readonly limits: FloodLimits };

/** Reads and proves the history of an account. Throws a ChainError if the endpoint's answers do not prove it. */
export async function readHistory(node: SolanaNode, state: AccountState, at: At): Promise<History> {
  const { commitment, to, limits } = at;
  const { listed, isWhole } = await listSince(node, state, { commitment, pages: limits.pages });
  // Transactions after the balance was read belong to the next scan.
  const known = listed.filter((one) => one.slot <= state.slot);
  if (isWhole && known.filter(isRead).length <= MAX_TRANSACTIONS) {
    const part = known.toReversed();
    return prove(node, state, { part, read: await readAll(node, part, commitment), whole: true, to });
  }
  if (limits.accounts === 0) return { facts: [], cursor: null, whole: false };
  limits.accounts -= 1;
  const newest = newestOf(known, to);
  const last = proveBack(node, state, {
    part: newest,
    read: await readAll(node, newest, commitment),
    whole: false,
    to,
  });
  if (last.whole || !isWhole) return last;
  const part = oldestOf(known.toReversed());
  const first = prove(node, state, { part, read: await readAll(node, part, commitment), whole: false, to });
  const facts = new Map([...first.facts, ...last.facts].map((one) => [one.signature, one]));
  return { ...first, facts: [...facts.values()] };
}

const isRead = ({ failed }: ListedSignature): boolean => !failed;

const readAll = (
  node: SolanaNode,
  part: readonly ListedSignature[],
  commitment: Commitment,
): Promise<TransactionFacts[]> => mapBounded(part.filter(isRead), (one) => readListed(node, one, commitment));

/** The whole slots at the start of a list that stay within a limit of transactions. */
function slotsWithin(listed: readonly ListedSignature[], most: number): readonly ListedSignature[] {
  const beyond = listed.filter(isRead)[most];
  return beyond
    ? listed.slice(
        0,
        listed.findIndex(({ slot }) => slot === beyond.slot),
      )
    : listed;
}

/** The oldest whole slots of a list that starts with them, at least one. */
function oldestOf(listed: readonly ListedSignature[]): readonly ListedSignature[] {
  const part = slotsWithin(listed, MAX_TRANSACTIONS);
  return part.length > 0 ? part : listed.filter(({ slot }) => slot === listed[0]?.slot);
}

/**
 * The newest whole slots of a list that starts with them. Counted from the window's end, so that endpoints a few slots apart read
 * the same ones.
 */
function newestOf(listed: readonly ListedSignature[], to: number): readonly ListedSignature[] {
  const after = listed.filter(({ slot }) => slot > to);
  if (after.filter(isRead).length > MAX_NEWEST) return [];
  return [...after, ...slotsWithin(listed.slice(after.length), MAX_NEWEST)];
}

/** The transactions that mention an account since its cursor, newest first. `isWhole`: the list is complete. */
async function listSince(
  node: SolanaNode,
  { watched, slot: minSlot }: AccountState,
  { commitment, pages }: { commitment: Commitment; pages: number },
): Promise<{ listed: ListedSignature[]; isWhole: boolean }> {
  const { account, owner, mint } = watched;
  const since = watched.cursor?.signature ?? null;
  const listed = new Map<string, ListedSignature>();
  let last: ListedSignature | null = null;
  for (let page = 0; page < pages; page++) {
    const bounds: object = { ...(since === null ? {} : { until: since }), ...(last ? { before: last.signature } : {}) };
    const params = [account, { ...bounds, limit: PAGE, commitment, minContextSlot: minSlot }];
    const found = await callCaughtUp(node, { method: 'getSignaturesForAddress', params, shape: shapes.signatures });
    for (const { signature, slot, err } of found) {
      if (listed.has(signature) || signature === since || (last && slot > last.slot)) {
        throw new ChainError('contradiction', `${node.name} lists the transactions of ${account} out of order`);
      }
      last = { signature, slot, failed: err !== null && err !== undefined };
      listed.set(signature, last);
    }
    if (found.length < PAGE) return { listed: [...listed.values()], isWhole: true };
    const isStranger = page + 1 === MAX_PAGES_OF_STRANGERS && since === null;
    if (isStranger && account !== associatedAccount(owner, mint)) throw new LongPastError(account);
  }
  return { listed: [...listed.values()], isWhole: false };
}

async function readListed(
  node: SolanaNode,
  listed: ListedSignature,
  commitment: Commitment,
): Promise<TransactionFacts> {
  const { signature, slot } = listed;
  const facts = await readFacts(node, signature, commitment);
  if (!facts) throw new ChainError('unavailable', `${node.name} lists transaction ${signature} but does not have it`);
  if (facts.succeeded && facts.slot === slot) return facts;
  throw new ChainError('contradiction', `${node.name} lists transaction ${signature} differently than it returns it`);
}

type Evidence = {
  readonly part: readonly ListedSignature[];
  readonly read: readonly TransactionFacts[];
  readonly whole: boolean;
  readonly to: number;
};

function prove(node: SolanaNode, { watched, amount }: AccountState, { part, read, whole, to }: Evidence): History {
  const { account, owner, currency } = watched;
  const bySlot = groupedBySlot(read);
  let current = watched.cursor?.amount ?? 0n;
  let cursor: AccountCursor | null = null;
  for (const [slot, signatures] of groupedBySlot(part)) {
    const changes = (bySlot.get(slot) ?? []).flatMap((facts) => changeOf(facts, watched) ?? []);
    const after = followOn(current, changes);
    if (after === null) {
      throw new ChainError('contradiction', `${node.name} does not list every transaction that changed ${account}`);
    }
    current = after;
    const signature = signatures.at(-1)?.signature ?? null;
    if (slot <= to) cursor = { account, owner, currency, amount: current, signature };
  }
  if (whole && current !== amount) {
    throw new ChainError('unavailable', `${node.name} does not list every transaction of ${account} yet`);
  }
  return { facts: read.filter(({ slot }) => slot <= to), cursor, whole };
}

/**
 * Proves the newest transactions backwards from the current balance. If the balance before them equals the cursor's amount, the
 * transactions in between changed nothing in sum, and the cursor moves past them.
 */
function proveBack(node: SolanaNode, { watched, amount }: AccountState, { part, read, to }: Evidence): History {
  const { account, owner, currency } = watched;
  const bySlot = groupedBySlot(read);
  let current = amount;
  let cursor: AccountCursor | null = null;
  for (const [slot, signatures] of groupedBySlot(part)) {
    if (slot <= to)
      cursor ??= { account, owner, currency, amount: current, signature: signatures[0]?.signature ?? null };
    const changes = (bySlot.get(slot) ?? []).flatMap((facts) => changeOf(facts, watched) ?? []);
    const before = followOn(
      current,
      changes.map(({ before: held, after }) => ({ before: after, after: held })),
    );
    if (before === null) {
      throw new ChainError('contradiction', `${node.name} does not list every transaction that changed ${account}`);
    }
    current = before;
  }
  const whole = cursor !== null && current === (watched.cursor?.amount ?? 0n);
  return { facts: read.filter(({ slot }) => slot <= to), cursor: whole ? cursor : null, whole };
}

/**
 * The balance of an account after the changes of one slot, or null if they do not continue from its previous balance. Within a
 * slot nodes list transactions in different orders, so the check is that every balance before equals some balance after.
 */
export function followOn(held: bigint, changes: readonly { before: bigint; after: bigint }[]): bigint | null {
  if (changes.length === 0) return held;
  const end = changes.reduce((sum, { before, after }) => sum + after - before, held);
  const found = [...changes.map(({ before }) => before), end].toSorted(ascending);
  const left = [...changes.map(({ after }) => after), held].toSorted(ascending);
  const matches = found.every((amount, index) => amount === left[index]);
  return matches && end >= 0n && changes.some(({ before }) => before === held) ? end : null;
}

/** Groups in the order in which the slots first appear. */
function groupedBySlot<T extends { readonly slot: number }>(all: readonly T[]): Map<number, T[]> {
  const groups = new Map<number, T[]>();
  for (const one of all) {
    const group = groups.get(one.slot);
    if (group) group.push(one);
    else groups.set(one.slot, [one]);
  }
  return groups;
}

const ascending = (one: bigint, other: bigint): number => (one < other ? -1 : one > other ? 1 : 0);
