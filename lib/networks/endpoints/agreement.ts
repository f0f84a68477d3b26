// Agreement of several endpoints on transfers that will be credited. From an amount set by the operator, several endpoints must report the
// same transfers of the same blocks, each from its own read. Otherwise nothing is credited. Smaller payments are confirmed the same way as
// long as other endpoints respond (endpoints/scan.ts). Pure except for the requests passed in.

import { baseUnitsToCents } from '@/lib/money/amounts';
import { ChainError, type Credited, type FoundTransfer, type Scan, type Watch } from '@/lib/networks/chain';
import { tokenOf, type NetworkSpec } from '@/lib/networks/networks';

/**
 * When one endpoint is not enough: from `above` cents to one session, or `abovePerHour` cents on the network within an hour. Both
 * include amounts credited earlier and amounts that leave, so that many small forgeries are bounded like one large one. Then
 * `endpoints` must agree.
 */
export type Trust = { readonly above: bigint; readonly abovePerHour: bigint; readonly endpoints: number };

/** Start of the message that crediting waits for agreement. */
export const WAITING = 'payments up to block';

export type Voter = { readonly name: string };
export type Vote<V extends Voter> = { readonly voter: V; readonly scan: Scan };

export type Verdict<V extends Voter> = {
  readonly scan: Scan;
  readonly agreeing: readonly V[];
  /** The endpoints that reported something else. */
  readonly outvoted: readonly V[];
};

/**
 * Whether the session total, or the network total within the hour, would reach the amount for which the operator requires several
 * endpoints. `credited`: amounts credited earlier.
 */
export function isLarge(spec: NetworkSpec, scan: Scan, { above, abovePerHour }: Trust, credited: Credited): boolean {
  const gains = new Map(credited.byRecipient);
  let hour = credited.withinHour;
  for (const { address, ...transfer } of movesOf(scan)) {
    const cents = centsOf(spec, transfer);
    const moved = (gains.get(address) ?? 0n) + cents;
    hour += cents;
    if (moved >= above || hour >= abovePerHour) return true;
    gains.set(address, moved);
  }
  return false;
}

/** The transfers of a scan in both directions, each with its deposit address. */
export const movesOf = ({ transfers, outgoing = [] }: Scan): (FoundTransfer & { readonly address: string })[] => [
  ...transfers.map((one) => ({ ...one, address: one.recipient })),
  ...outgoing.map((one) => ({ ...one, address: one.payer })),
];

function centsOf(spec: NetworkSpec, { contract, amount }: Pick<FoundTransfer, 'contract' | 'amount'>): bigint {
  const found = tokenOf(spec, contract);
  // A contract outside the table has no decimals, and always needs agreement.
  return found ? baseUnitsToCents(amount, found.token.decimals) : 1n << 255n;
}

/**
 * Reads one endpoint after the other until `needed` reports match. `onDispute` gets both sides if neither has enough. Then it
 * throws `contradiction`; `too_large` if leaving out the newest blocks may help, because some endpoint has not finalized them;
 * and `unavailable` if too few endpoints answered.
 */
export async function reachAgreement<V extends Voter>(voting: {
  readonly lead: Vote<V>;
  readonly others: readonly V[];
  readonly needed: number;
  /** Whether the window can be made smaller. */
  readonly divisible: boolean;
  /** Throws a ChainError if the endpoint cannot answer. */
  readonly read: (voter: V) => Promise<Scan>;
  readonly onDispute: (voters: readonly V[], message: string) => void;
}): Promise<Verdict<V>> {
  const { lead, needed } = voting;
  const votes: Vote<V>[] = [lead];
  let verdict = count(votes, needed);
  let behind: ChainError | null = null;
  for (const voter of voting.others) {
    if (verdict) break;
    const answer = await answerOf(voting.read, voter);
    if (!(answer instanceof ChainError)) votes.push({ voter, scan: answer });
    else if (answer.behind) behind = answer;
    verdict = count(votes, needed);
  }
  if (verdict) return verdict;
  const through = lead.scan.through.number;
  const names = votes.map(({ voter }) => voter.name);
  if (new Set(votes.filter(isWhole).map(({ scan }) => factsOf(scan))).size > 1) {
    const message = `${names.join(' and ')} report different transfers up to block ${through}; nothing is credited until ${needed} agree`;
    voting.onDispute(
      votes.map(({ voter }) => voter),
      message,
    );
    throw new ChainError('contradiction', message, { demotes: false });
  }
  // Otherwise an endpoint that always lags slightly would never agree.
  if (behind && voting.divisible) throw new ChainError('too_large', behind.message);
  const waits = `${WAITING} ${through} wait: ${needed} endpoints must report the same, and ${names.length} did (${names.join(', ')})`;
  throw new ChainError('unavailable', waits, { demotes: false, differs: true, behind: behind !== null });
}

/** The scan, or the endpoint's error. */
async function answerOf<V>(read: (voter: V) => Promise<Scan>, voter: V): Promise<Scan | ChainError> {
  try {
    return await read(voter);
  } catch (error) {
    if (!(error instanceof ChainError) || error.fault === 'too_large') throw error;
    return error;
  }
}

/** The first result with enough votes, and the endpoints for and against it; null if there is none. */
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

/** A partly read window differs from a whole one without contradicting it. */
const isWhole = ({ scan }: { readonly scan: Scan }): boolean =>
  scan.unfinished === undefined && scan.flooded === undefined;

/** The facts that the ledger depends on, independent of their order: equal text means equal facts. */
function factsOf(scan: Scan): string {
  const { through } = scan;
  const lines = movesOf(scan).map((one) =>
    JSON.stringify([
      one.address,
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

/** A watch that returns the same addresses to every endpoint, so that their results are comparable. */
export function sameForAll(watch: Watch): Watch {
  let due: ReturnType<Watch['dueAddresses']> | undefined;
  return { ...watch, dueAddresses: () => (due ??= watch.dueAddresses()) };
}
