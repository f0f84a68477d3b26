// What several endpoints say of one payment, made into one answer (hardening 3.6, step j). Final answers count only when
// enough endpoints give them and none gives another one: a false "it never landed" would pay twice. Pure.

import { ChainError } from './chain';
import type { AddressKind, Fate, OwnTransaction } from './send';

const isFinal = ({ kind }: Fate): boolean => kind !== 'waiting' && kind !== 'seen' && kind !== 'pruned';
const hashOf = (fate: Fate): string => ('hash' in fate ? fate.hash : '');
const textOf = (fate: Fate): string =>
  fate.kind === 'landed' ? `landed ${fate.hash} ${fate.block.hash}` : `${fate.kind} ${hashOf(fate)}`;

/**
 * The fate that `needed` endpoints agree on. Short of that, `pruned` if an endpoint lacks the blocks and none expects the payment
 * still; otherwise what was seen at all. Nothing lapsed that anybody sees. Throws `contradiction` when two final answers exclude
 * each other.
 */
export function agreeOnFate(votes: readonly Fate[], needed: number): Fate {
  const finals = votes.filter(isFinal);
  const kinds = new Set(finals.map(textOf));
  if (kinds.size > 1) {
    throw new ChainError('contradiction', `endpoints tell different ends of one payment; it waits until they agree`);
  }
  const pruned = votes.find((fate) => fate.kind === 'pruned');
  if (pruned && finals.length < needed && votes.every((fate) => fate.kind === 'pruned' || isFinal(fate))) return pruned;
  const [verdict] = finals;
  const seen = votes.filter((fate) => fate.kind === 'seen');
  const waiting: Fate = { kind: 'waiting' };
  const best = seen.reduce<Fate>(
    (most, one) => (most.kind === 'seen' && most.confirmations >= one.confirmations ? most : one),
    waiting,
  );
  if (!verdict) return best;
  if (verdict.kind === 'lapsed') {
    return seen.length === 0 && finals.length >= needed ? { ...verdict, ...leastFinalized(finals) } : best;
  }
  if (finals.length >= needed) return { ...verdict, ...leastFee(finals) };
  return best.kind === 'seen' ? best : { kind: 'seen', hash: hashOf(verdict), confirmations: 1 };
}

/** What all of them hold for final. */
function leastFinalized(lapsed: readonly Fate[]): { finalized?: number } {
  const told = lapsed.flatMap((one) => (one.kind === 'lapsed' && one.finalized !== undefined ? [one.finalized] : []));
  return told.length === 0 ? {} : { finalized: Math.min(...told) };
}

/** The least that any of them tells, so that one endpoint alone makes no refund dearer. */
function leastFee(finals: readonly Fate[]): { fee?: bigint } {
  const told = finals.flatMap((one) => ('fee' in one && one.fee !== undefined ? [one.fee] : []));
  return told.length === 0 ? {} : { fee: told.reduce((least, fee) => (fee < least ? fee : least)) };
}

/** What `needed` endpoints say of an address when no other side has as many; `unknown` short of that. */
export function agreeOnKind(votes: readonly AddressKind[], needed: number): AddressKind {
  const kinds = [...new Set(votes)].filter((kind) => votes.filter((vote) => vote === kind).length >= needed);
  return kinds.length === 1 ? (kinds[0] ?? 'unknown') : 'unknown';
}

/**
 * What the endpoints report together: one that is behind misses a transaction. None when none reports any. Throws `unavailable`
 * when fewer than `needed` answered, and `contradiction` when fewer report any, so that one endpoint alone stops no signing.
 */
export function allUnknown(votes: readonly (readonly OwnTransaction[])[], needed: number): readonly OwnTransaction[] {
  const what = 'of the refund wallet';
  if (votes.length < needed) {
    throw new ChainError('unavailable', `${votes.length} endpoints list the transactions ${what}, not ${needed}`);
  }
  const reporting = votes.filter((vote) => vote.length > 0);
  if (reporting.length === 0 || reporting.length >= needed) return reporting.flat();
  throw new ChainError(
    'contradiction',
    `endpoints disagree about the transactions ${what}; refunds wait until they agree`,
  );
}
