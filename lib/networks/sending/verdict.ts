// Combines the reports of several endpoints about one payment into one outcome. A final outcome needs agreement from enough
// endpoints and no final report against it: a false "it never landed" would cause a second payment. Pure.

import { ChainError, type BlockRef } from '@/lib/networks/chain';
import type { AddressKind, AttemptOutcome, NewestTime, SendHold } from './send';

const isFinal = ({ kind }: AttemptOutcome): boolean => kind !== 'waiting' && kind !== 'seen' && kind !== 'pruned';
const isInBlock = ({ confirmations }: Extract<AttemptOutcome, { kind: 'seen' }>): boolean => confirmations > 0;
const hashOf = (outcome: AttemptOutcome): string => ('hash' in outcome ? outcome.hash : '');
const textOf = (outcome: AttemptOutcome): string =>
  outcome.kind === 'landed' ? `landed ${outcome.hash} ${outcome.block.hash}` : `${outcome.kind} ${hashOf(outcome)}`;

/**
 * The outcome that `needed` endpoints agree on. Without agreement: `pruned` if an endpoint lacks the blocks and no other still
 * expects the payment; otherwise `seen`. `alone` is set when fewer than `needed` endpoints have it in a block and at least as
 * many others answer. A payment that any endpoint still sees has not lapsed. Throws `contradiction` when two final reports
 * exclude each other.
 */
export function agreeOnOutcome(votes: readonly AttemptOutcome[], needed: number): AttemptOutcome {
  const finals = votes.filter(isFinal);
  const kinds = new Set(finals.map(textOf));
  if (kinds.size > 1) {
    throw new ChainError(
      'contradiction',
      `endpoints report different outcomes of one payment; it waits until they agree`,
    );
  }
  const pruned = votes.find((outcome) => outcome.kind === 'pruned');
  if (pruned && finals.length < needed && votes.every((outcome) => outcome.kind === 'pruned' || isFinal(outcome)))
    return pruned;
  const [verdict] = finals;
  const seen = votes
    .filter((outcome) => outcome.kind === 'seen')
    .toSorted((one, other) => other.confirmations - one.confirmations);
  const [first] = seen;
  // A final report also places the payment in a block.
  const inBlock = finals.filter(({ kind }) => kind !== 'lapsed').length + seen.filter(isInBlock).length;
  const alone = votes.length >= needed && inBlock > 0 && inBlock < needed ? { alone: true as const } : {};
  const best: AttemptOutcome = first ? { ...first, ...alone } : { kind: 'waiting' };
  if (!verdict) return best;
  if (verdict.kind === 'lapsed') {
    return seen.length === 0 && finals.length >= needed ? { ...verdict, ...leastFinalized(finals) } : best;
  }
  if (finals.length >= needed) return { ...verdict, ...leastFee(finals) };
  const isSeenInBlock = best.kind === 'seen' && best.confirmations > 0;
  return isSeenInBlock ? best : { kind: 'seen', hash: hashOf(verdict), confirmations: 1, ...alone };
}

/** The lowest finalized position that all of them reached. */
function leastFinalized(lapsed: readonly AttemptOutcome[]): { finalized?: number } {
  const reported = lapsed.flatMap((one) =>
    one.kind === 'lapsed' && one.finalized !== undefined ? [one.finalized] : [],
  );
  return reported.length === 0 ? {} : { finalized: Math.min(...reported) };
}

/** The lowest reported fee, so that one endpoint cannot inflate the cost of a refund. */
function leastFee(finals: readonly AttemptOutcome[]): { fee?: bigint } {
  const reported = finals.flatMap((one) => ('fee' in one && one.fee !== undefined ? [one.fee] : []));
  return reported.length === 0 ? {} : { fee: reported.reduce((least, fee) => (fee < least ? fee : least)) };
}

/** The kind that `needed` endpoints report, when no other kind has as many reports; otherwise `unknown`. */
export function agreeOnKind(votes: readonly AddressKind[], needed: number): AddressKind {
  const kinds = [...new Set(votes)].filter((kind) => votes.filter((vote) => vote === kind).length >= needed);
  return kinds.length === 1 ? (kinds[0] ?? 'unknown') : 'unknown';
}

/**
 * Returns the votes unchanged when enough endpoints answered: an endpoint that lags misses transactions. Throws `unavailable`
 * otherwise.
 */
export function enoughVotes<T>(
  votes: readonly T[],
  needed: number,
): { readonly votes: readonly T[]; readonly needed: number } {
  if (votes.length >= needed) return { votes, needed };
  throw new ChainError(
    'unavailable',
    `${votes.length} endpoints list the transactions of the refund wallet, not ${needed}`,
  );
}

/** What endpoints answered to a broadcast. */
export type Broadcast = 'accepted' | 'known' | SendHold;

/**
 * The best answer. When no endpoint took the transaction, throws a SendHold: `fee_too_low` if an endpoint reports it, because only a
 * replacement with a higher fee ends that one; otherwise that of the first endpoint.
 */
export function acceptedBy(answers: readonly Broadcast[]): 'accepted' | 'known' {
  for (const wanted of ['accepted', 'known'] as const) if (answers.includes(wanted)) return wanted;
  const holds = answers as readonly SendHold[];
  throw holds.find(({ reason }) => reason === 'fee_too_low') ?? holds[0];
}

/** Reads the time of an endpoint's newest block. */
export const newestAt =
  <Node extends { readonly name: string }>(readTip: (node: Node) => Promise<BlockRef>) =>
  async (node: Node): Promise<NewestTime> => ({ endpoint: node.name, time: (await readTip(node)).time });

/** The latest reported time. Throws a ChainError when too few endpoints reported: a single endpoint could report an old block. */
export function latestOf(votes: readonly NewestTime[], needed: number): NewestTime {
  const [latest] = votes.toSorted((one, other) => other.time - one.time);
  if (latest && votes.length >= needed) return latest;
  throw new ChainError('unavailable', `${votes.length} endpoints report their newest block, not ${needed}`);
}
