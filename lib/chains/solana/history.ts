// All that happened to one token account since its mark, proven complete: every transaction's balance before must be what the
// one before it left, from the mark's amount to the amount that the account holds now. A list that lags or leaves something
// out breaks that chain, and nothing of it is believed.

import { ChainError, type AccountMark } from '../chain';
import type { AccountState } from './accounts';
import { associatedAccount } from './address';
import { changeOf, type Holder, type TransactionFacts } from './decode';
import { eachBounded } from './each-bounded';
import { callCaughtUp, type Commitment, type SolanaNode } from './node';
import * as shapes from './shapes';
import type { ListedSignature } from './shapes';
import { readFacts } from './transactions';

export type History = {
  /** The transactions up to the window's end, the oldest first. */
  readonly facts: readonly TransactionFacts[];
  /** How far that gets; null when it gets no further than the mark that there was. */
  readonly mark: AccountMark | null;
  /** False when there is more than one pass may read; the mark then is where the next one goes on. */
  readonly whole: boolean;
};

/** The most that a node lists at once. */
const PAGE = 1000;
/** A hundred thousand transactions, for whose fees somebody would have paid ten thousand times this service's cost. */
const MOST_PAGES = 100;
/** The same for an auxiliary account of which nothing is known: who pays opens a new one, and hands over none that was busy. */
const MOST_PAGES_OF_STRANGERS = 2;
/** Transactions of one account per pass: whoever floods an account delays that account and nobody else. */
const MOST_TRANSACTIONS = 300;

/** The account is no receiving address's own and has a past that nobody would read for what it may have been given. */
export class LongPastError extends ChainError {
  constructor(account: string) {
    super('unavailable', `${account} was handed over with more transactions than are read`);
    this.name = 'LongPastError';
  }
}

type At = { readonly commitment: Commitment; readonly to: number };

/** Reads and proves the history of an account. Throws a ChainError when the endpoint's answers do not bear it out. */
export async function readHistory(node: SolanaNode, state: AccountState, at: At): Promise<History> {
  const { watched, slot } = state;
  const since = watched.mark?.signature ?? null;
  const listed = await listSince(node, watched, { since, commitment: at.commitment, minSlot: slot });
  // What came after the amount was read belongs to the next pass.
  const known = listed.filter((one) => one.slot <= slot).toReversed();
  const part = upToLimit(known);
  const read = await eachBounded(
    part.filter(({ failed }) => !failed),
    (one) => readListed(node, one, at.commitment),
  );
  return prove(node, state, { part, read, whole: part.length === known.length, to: at.to });
}

/** Whether anything happened to an account since its mark, whatever it holds now. */
export async function isTouched(node: SolanaNode, state: AccountState, commitment: Commitment): Promise<boolean> {
  const { account, mark } = state.watched;
  const since = mark?.signature ?? null;
  const options = { ...(since === null ? {} : { until: since }), limit: 1, commitment };
  const call = { method: 'getSignaturesForAddress', params: [account, options], shape: shapes.signatures };
  return (await node.rpc.call(call)).length > 0;
}

/** Whole slots up to the limit, at least one. */
function upToLimit(known: readonly ListedSignature[]): readonly ListedSignature[] {
  const beyond = known.filter(({ failed }) => !failed)[MOST_TRANSACTIONS];
  if (!beyond) return known;
  const before = known.filter(({ slot }) => slot < beyond.slot);
  return before.length > 0 ? before : known.filter(({ slot }) => slot === beyond.slot);
}

/** The transactions that mention an account since one of them, the newest first. */
async function listSince(
  node: SolanaNode,
  { account, owner, mint }: Holder,
  { since, commitment, minSlot }: { since: string | null; commitment: Commitment; minSlot: number },
): Promise<ListedSignature[]> {
  const listed = new Map<string, ListedSignature>();
  let last: ListedSignature | null = null;
  for (let page = 0; page < MOST_PAGES; page++) {
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
    if (found.length < PAGE) return [...listed.values()];
    const isStranger = page + 1 === MOST_PAGES_OF_STRANGERS && since === null;
    if (isStranger && account !== associatedAccount(owner, mint)) throw new LongPastError(account);
  }
  throw new ChainError('unavailable', `${account} has more transactions than can be read`);
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
