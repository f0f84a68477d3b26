// Agreement of several endpoints on what will be credited (hardening 3.3, chains.md section 6, row 29). From an amount set by
// the operator on, one endpoint's word is never enough: so many must report the same transfers of the same blocks, each asked by
// itself. Short of that nothing is credited. Smaller payments are confirmed likewise while other endpoints answer
// (endpoints-scan.ts). Pure but for the requests that it is given.

import { baseUnitsToCents } from '@/lib/money/amounts';
import { ChainError, type Credited, type FoundTransfer, type Scan, type Watch } from '@/lib/networks/chain';
import { tokenOf, type NetworkSpec } from '@/lib/networks/networks';

/**
 * When one endpoint is not enough: from `above` cents to one session on, or `abovePerHour` cents on the network within an hour.
 * Both count what was credited before, so that many small forgeries are bounded as one large one is. `endpoints` must agree then.
 */
export type Trust = { readonly above: bigint; readonly abovePerHour: bigint; readonly endpoints: number };

/** How the sentence begins that says that crediting waits for agreement. */
export const WAITING = 'payments up to block';

export type Voter = { readonly name: string };
export type Vote<V extends Voter> = { readonly voter: V; readonly scan: Scan };

export type Verdict<V extends Voter> = {
  readonly scan: Scan;
  readonly agreeing: readonly V[];
  /** They told something else. */
  readonly outvoted: readonly V[];
};

/**
 * Whether a session, or the network within the hour, would have been credited so much that the operator wants more than one
 * endpoint's word. `credited`: what was credited before.
 */
export function isLarge(
  spec: NetworkSpec,
  { transfers }: Scan,
  { above, abovePerHour }: Trust,
  credited: Credited,
): boolean {
  const gains = new Map(credited.byRecipient);
  let hour = credited.withinHour;
  for (const transfer of transfers) {
    const cents = centsOf(spec, transfer);
    const gain = (gains.get(transfer.recipient) ?? 0n) + cents;
    hour += cents;
    if (gain >= above || hour >= abovePerHour) return true;
    gains.set(transfer.recipient, gain);
  }
  return false;
}

function centsOf(spec: NetworkSpec, { contract, amount }: FoundTransfer): bigint {
  const found = tokenOf(spec, contract);
  // A contract that is not in the table has no decimals, and is certainly worth a second look.
  return found ? baseUnitsToCents(amount, found.token.decimals) : 1n << 255n;
}

/**
 * Asks endpoints in turn until so many tell the same as are needed. `onDispute` learns who contradicts whom when no side
 * has enough. Throws `contradiction` then, `too_large` when it may help to leave out the newest blocks, which some endpoint
 * does not hold for final yet, and `unavailable` when too few could be asked.
 */
export async function reachAgreement<V extends Voter>(question: {
  readonly lead: Vote<V>;
  readonly others: readonly V[];
  readonly needed: number;
  /** Whether the window can be cut smaller. */
  readonly divisible: boolean;
  /** Throws a ChainError when the endpoint cannot answer. */
  readonly ask: (voter: V) => Promise<Scan>;
  readonly onDispute: (voters: readonly V[], message: string) => void;
}): Promise<Verdict<V>> {
  const { lead, needed } = question;
  const votes: Vote<V>[] = [lead];
  let verdict = count(votes, needed);
  let behind: ChainError | null = null;
  for (const voter of question.others) {
    if (verdict) break;
    const answer = await answerOf(question.ask, voter);
    if (!(answer instanceof ChainError)) votes.push({ voter, scan: answer });
    else if (answer.behind) behind = answer;
    verdict = count(votes, needed);
  }
  if (verdict) return verdict;
  const through = lead.scan.through.number;
  const names = votes.map(({ voter }) => voter.name);
  if (new Set(votes.filter(isWhole).map(({ scan }) => factsOf(scan))).size > 1) {
    const message = `${names.join(' and ')} tell different transfers up to block ${through}; nothing is credited until ${needed} agree`;
    question.onDispute(
      votes.map(({ voter }) => voter),
      message,
    );
    throw new ChainError('contradiction', message, { demotes: false });
  }
  // Whoever is always a little behind would otherwise never agree to anything.
  if (behind && question.divisible) throw new ChainError('too_large', behind.message);
  const waits = `${WAITING} ${through} wait: ${needed} endpoints must tell the same of them, and ${names.length} did (${names.join(', ')})`;
  throw new ChainError('unavailable', waits, { demotes: false, behind: behind !== null });
}

/** The answer, or why the endpoint could not give one. */
async function answerOf<V>(ask: (voter: V) => Promise<Scan>, voter: V): Promise<Scan | ChainError> {
  try {
    return await ask(voter);
  } catch (error) {
    if (!(error instanceof ChainError) || error.fault === 'too_large') throw error;
    return error;
  }
}

/** The first answer that enough endpoints gave, with who gave it and who gave another; null while there is none. */
function count<V extends Voter>(votes: readonly Vote<V>[], needed: number): Verdict<V> | null {
  const sides = new Map<string, Vote<V>[]>();
  for (const vote of votes) {
    const facts = factsOf(vote.scan);
    sides.set(facts, [...(sides.get(facts) ?? []), vote]);
  }
  const winner = [...sides.values()].find((side) => side.length >= needed);
  if (!winner?.[0]) return null;
  return {
    scan: winner[0].scan,
    agreeing: winner.map(({ voter }) => voter),
    outvoted: votes.filter((vote) => isWhole(vote) && !winner.includes(vote)).map(({ voter }) => voter),
  };
}

/** What could not be read whole differs from a whole answer without contradicting it. */
const isWhole = ({ scan }: { readonly scan: Scan }): boolean =>
  scan.unfinished === undefined && scan.flooded === undefined;

/** All that is credited by, whatever the order in which it was told: equal text, equal facts. */
function factsOf({ transfers, through }: Scan): string {
  const lines = transfers.map((one) =>
    JSON.stringify([
      one.transactionHash,
      one.ordinal,
      one.blockNumber,
      one.blockHash,
      one.blockTime,
      one.currency,
      one.contract,
      one.payer,
      one.recipient,
      one.amount.toString(),
      one.isPlain,
    ]),
  );
  return [`${through.number} ${through.hash} ${through.time}`, ...lines.toSorted()].join('\n');
}

/** A watch whose addresses are the same for every endpoint that is asked, so that answers can be compared. */
export function sameForAll(watch: Watch): Watch {
  let owners: ReturnType<Watch['owners']> | undefined;
  return { ...watch, owners: () => (owners ??= watch.owners()) };
}
