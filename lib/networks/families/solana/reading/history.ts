// All that happened to one token account since its mark, proven complete: every transaction's balance before must be what the
// one before it left, from the mark's amount to the amount that the account holds now. A list that lags or leaves something
// out breaks that chain, and nothing of it is believed.

import { ChainError, type AccountMark } from '@/lib/networks/chain';
import type { AccountState } from './accounts';
import { associatedAccount } from '@/lib/networks/families/solana/address';
import { changeOf, type TransactionFacts } from './decode';
import { eachBounded } from '@/lib/networks/families/solana/each-bounded';
import { callCaughtUp, type Commitment, type SolanaNode } from '@/lib/networks/families/solana/node';
import * as shapes from '@/lib/networks/families/solana/shapes';
import type { ListedSignature } from '@/lib/networks/families/solana/shapes';
import { readFacts } from './transactions';

export type History = {
  /** Transactions up to the window's end, each once. */
  readonly facts: readonly TransactionFacts[];
  /** How far that gets; null when it gets no further than the mark that there was. */
  readonly mark: AccountMark | null;
  /** False for a flooded account: it has more new transactions than are read at once. The next scan goes on from the mark. */
  readonly whole: boolean;
};

/** How much of flooded accounts is read: anybody can mention an account for a small fee. */
export type FloodLimits = {
  /** Pages of its list. */
  readonly pages: number;
  /** Flooded accounts of which transactions are read in this scan. */
  accounts: number;
};

/** The most that a node lists at once. */
const PAGE = 1000;
/** An account of a session that is paid has a few transactions. The pages of a flooded one are read again at each try. */
const PAGES_OF_SCAN = 3;
/** A re-scan follows when money is missing, a few times a day at most: a hundred thousand transactions. */
const PAGES_OF_RESCAN = 100;
/** For an auxiliary account of which nothing is known: who pays opens a new one, and hands over none that was busy. */
const MOST_PAGES_OF_STRANGERS = 2;
/** Transactions of one account that are read at once. */
const MOST_TRANSACTIONS = 100;
/** The newest of a flooded account, where a payment is that was made after the flood. */
const MOST_NEWEST = 50;
/** Each costs up to 150 requests. */
const FLOODED_ACCOUNTS = 4;

export const floodLimits = (isRescan: boolean): FloodLimits => ({
  pages: isRescan ? PAGES_OF_RESCAN : PAGES_OF_SCAN,
  accounts: FLOODED_ACCOUNTS,
});

/** The account is no receiving address's own and has a past that nobody would read for what it may have been given. */
export class LongPastError extends ChainError {
  constructor(account: string) {
    super('unavailable', `${account} was handed over with more transactions than are read`);
    this.name = 'LongPastError';
  }
}

type At = { readonly commitment: Commitment; readonly to: number; readonly limits: FloodLimits };

/** Reads and proves the history of an account. Throws a ChainError when the endpoint's answers do not bear it out. */
export async function readHistory(node: SolanaNode, state: AccountState, at: At): Promise<History> {
  const { commitment, to, limits } = at;
  const { listed, isWhole } = await listSince(node, state, { commitment, pages: limits.pages });
  // What came after the amount was read belongs to the next scan.
  const known = listed.filter((one) => one.slot <= state.slot);
  if (isWhole && known.filter(isRead).length <= MOST_TRANSACTIONS) {
    const part = known.toReversed();
    return prove(node, state, { part, read: await readAll(node, part, commitment), whole: true, to });
  }
  if (limits.accounts === 0) return { facts: [], mark: null, whole: false };
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
): Promise<TransactionFacts[]> => eachBounded(part.filter(isRead), (one) => readListed(node, one, commitment));

/** Whole slots from the start of a list, within a limit of transactions to be read. */
function slotsWithin(listed: readonly ListedSignature[], most: number): readonly ListedSignature[] {
  const beyond = listed.filter(isRead)[most];
  return beyond
    ? listed.slice(
        0,
        listed.findIndex(({ slot }) => slot === beyond.slot),
      )
    : listed;
}

/** The oldest whole slots of a list that begins with them, at least one. */
function oldestOf(listed: readonly ListedSignature[]): readonly ListedSignature[] {
  const part = slotsWithin(listed, MOST_TRANSACTIONS);
  return part.length > 0 ? part : listed.filter(({ slot }) => slot === listed[0]?.slot);
}

/**
 * The newest whole slots of a list that begins with them. Counted from the window's end, so that endpoints which are some slots
 * apart read the same.
 */
function newestOf(listed: readonly ListedSignature[], to: number): readonly ListedSignature[] {
  const after = listed.filter(({ slot }) => slot > to);
  if (after.filter(isRead).length > MOST_NEWEST) return [];
  return [...after, ...slotsWithin(listed.slice(after.length), MOST_NEWEST)];
}

/** The transactions that mention an account since its mark, the newest first. `isWhole`: these are all. */
async function listSince(
  node: SolanaNode,
  { watched, slot: minSlot }: AccountState,
  { commitment, pages }: { commitment: Commitment; pages: number },
): Promise<{ listed: ListedSignature[]; isWhole: boolean }> {
  const { account, owner, mint } = watched;
  const since = watched.mark?.signature ?? null;
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
    const isStranger = page + 1 === MOST_PAGES_OF_STRANGERS && since === null;
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
  throw new ChainError('contradiction', `${node.name} lists transaction ${signature} otherwise than it gives it`);
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
  let current = watched.mark?.amount ?? 0n;
  let mark: AccountMark | null = null;
  for (const [slot, signatures] of groupedBySlot(part)) {
    const changes = (bySlot.get(slot) ?? []).flatMap((facts) => changeOf(facts, watched) ?? []);
    const after = followOn(current, changes);
    if (after === null) {
      throw new ChainError('contradiction', `${node.name} does not list every transaction that changed ${account}`);
    }
    current = after;
    const signature = signatures.at(-1)?.signature ?? null;
    if (slot <= to) mark = { account, owner, currency, amount: current, signature };
  }
  if (whole && current !== amount) {
    throw new ChainError('unavailable', `${node.name} does not list every transaction of ${account} yet`);
  }
  return { facts: read.filter(({ slot }) => slot <= to), mark, whole };
}

/**
 * Proves the newest transactions from what the account holds now back to what it held before them. Where that is the amount of the
 * mark, the transactions in between changed nothing in sum, and the mark moves past them.
 */
function proveBack(node: SolanaNode, { watched, amount }: AccountState, { part, read, to }: Evidence): History {
  const { account, owner, currency } = watched;
  const bySlot = groupedBySlot(read);
  let current = amount;
  let mark: AccountMark | null = null;
  for (const [slot, signatures] of groupedBySlot(part)) {
    if (slot <= to) mark ??= { account, owner, currency, amount: current, signature: signatures[0]?.signature ?? null };
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
  const whole = mark !== null && current === (watched.mark?.amount ?? 0n);
  return { facts: read.filter(({ slot }) => slot <= to), mark: whole ? mark : null, whole };
}

/**
 * What an account holds after the changes of one slot, or null when they do not follow on from what it held. Within a slot
 * nodes differ in the order of their lists, so what is looked at is that every balance that one transaction found is one
 * that another left.
 */
export function followOn(held: bigint, changes: readonly { before: bigint; after: bigint }[]): bigint | null {
  if (changes.length === 0) return held;
  const end = changes.reduce((sum, { before, after }) => sum + after - before, held);
  const found = [...changes.map(({ before }) => before), end].toSorted(ascending);
  const left = [...changes.map(({ after }) => after), held].toSorted(ascending);
  const matches = found.every((amount, index) => amount === left[index]);
  return matches && end >= 0n && changes.some(({ before }) => before === held) ? end : null;
}

/** In the order in which the slots first appear. */
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
