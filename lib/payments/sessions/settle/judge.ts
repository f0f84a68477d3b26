// What a session's payments amount to. Payments are facts, and so is what somebody decided about them; this recomputes from
// both what was received, what is odd about it and which move follows, and may do so any number of times. Pure: time arrives
// as an argument.

import { blockTimeMargin } from '@/lib/networks/networks';
import { baseUnitsToCents, centsToBaseUnits, COMMON_DECIMALS, commonToCents, toCommon } from '@/lib/money/amounts';
import type { CaseState, SessionException, SessionStatus } from '@/prisma/generated/enums';

/** The part of a session that decides about its payments. Times are Unix seconds, `amountDue` is cents. */
export type JudgedSession = {
  readonly status: SessionStatus;
  /** How it had ended before an accepted payment completed it; null for all others. */
  readonly acceptedFrom: SessionStatus | null;
  readonly amountDue: bigint;
  readonly networks: readonly string[];
  /** The pairs of network and token that it offers, as `pairName` writes them. */
  readonly offeredPairs: readonly string[];
  readonly createdAt: number;
  readonly expiresAt: number;
};

/** How a pair of network and token is stored: `bsc-USDT`. */
export const pairName = ({ network, currency }: { readonly network: string; readonly currency: string }): string =>
  `${network}-${currency}`;

/** A final transfer, or one that was only seen. `amount` is base units of a token with `decimals`. */
export type Payment = {
  readonly id: string;
  readonly network: string;
  readonly currency: string;
  readonly amount: bigint;
  readonly decimals: number;
  readonly blockTime: number;
  readonly transactionHash: string;
  readonly ordinal: number;
  /** What was decided about it; null when there is nothing to decide. `accepted` also if only a part of it was counted. */
  readonly decision: CaseState | null;
  /** Base units that are owed back to their sender, or went back. They pay for nothing. */
  readonly returned: bigint;
  /** Base units of a surplus that the store keeps. */
  readonly kept: bigint;
};

/**
 * SQL for `decision`, of a case under this alias. A payment with a surplus, or of which a part was counted, is an accepted one:
 * the state of such a case is about the rest of the payment.
 */
export const decisionOf = (alias: string): string =>
  `CASE WHEN ${alias}.kind = 'over' OR ${alias}.counted > 0 THEN 'accepted'::"CaseState" ELSE ${alias}.state END`;

/** SQL for `returned`, of a case under this alias. */
export const returnedOf = (alias: string): string =>
  `CASE WHEN ${alias}.state = 'refund' THEN ${alias}.amount - ${alias}.counted ELSE 0 END`;

/** Less than a cent is booked, adds to what was received, and opens no exception (decisions: Below a cent). */
export const isDust = ({ amount, decimals }: Pick<Payment, 'amount' | 'decimals'>): boolean =>
  baseUnitsToCents(amount, decimals) === 0n;

export type Circumstances = {
  /** Unix seconds of the service's own clock. */
  readonly now: number;
  /** Per network, the chain time up to which every final block was read; null when the network is not followed. */
  readonly scannedThrough: Readonly<Record<string, number | null>>;
  /** Transfers below finality. */
  readonly seen: readonly Payment[];
  /** How long after its expiry a session waits for a network that does not answer. */
  readonly holdSeconds: number;
};

export type Verdict = {
  /** The move that follows, or null to leave the session as it is. */
  readonly move: 'complete' | 'expire' | 'fail' | 'accept' | null;
  /** Whole cents of the transfers that count, without what goes back, rounded down. */
  readonly received: bigint;
  readonly exception: SessionException;
  /** The transfer with which the price was reached, or null. */
  readonly completedBy: Payment | null;
};

/** Why a payment counts for nothing, or null when it counts. */
export type Objection = 'early' | 'wrong_network' | 'wrong_token' | 'late';

/** Judges a session by its final transfers. */
export function judge(session: JudgedSession, transfers: readonly Payment[], circumstances: Circumstances): Verdict {
  const ordered = transfers.toSorted(byChainTime);
  const counting = ordered.filter((payment) => objection(session, payment) === null);
  const price = centsToBaseUnits(session.amountDue, COMMON_DECIMALS);
  const { total, completedBy } = addUp(counting, price);
  const move = nextMove(session, counting, total, price, circumstances);
  return {
    move,
    received: commonToCents(total),
    exception: exceptionOf(session, ordered, { total, price, failed: session.status === 'failed' && move === null }),
    completedBy,
  };
}

/** Why a payment counts for nothing, or null. Block time decides whether it came in time (decisions: Expiry is decided by chain time). */
export function objection(
  session: Omit<JudgedSession, 'amountDue'>,
  payment: Pick<Payment, 'network' | 'currency' | 'blockTime' | 'decision'>,
): Objection | null {
  if (payment.decision === 'accepted' || payment.decision === 'kept') return null;
  // A deposit address is given out once, so an earlier payment belongs to another order: the address came back with a restored
  // database, or somebody used the wallet's words elsewhere. It must never complete this session by itself.
  if (payment.blockTime < session.createdAt - blockTimeMargin(payment.network)) return 'early';
  if (!session.networks.includes(payment.network)) return 'wrong_network';
  if (!session.offeredPairs.includes(pairName(payment))) return 'wrong_token';
  // A session that ended with nothing received has told its merchant so; what is found afterwards is late, whenever it was
  // mined (cancelled in the meantime, or the network answered only after the longest wait). Accepting one payment does not
  // make the others come in time.
  const end = session.acceptedFrom ?? session.status;
  if (end === 'canceled' || end === 'expired') return 'late';
  return payment.blockTime >= session.expiresAt ? 'late' : null;
}

/**
 * Adds up what does not go back, at the common precision, in the order given; `completedBy` is the payment with which the price
 * was reached.
 */
export function addUp(payments: readonly Payment[], price: bigint): { total: bigint; completedBy: Payment | null } {
  let total = 0n;
  let completedBy: Payment | null = null;
  for (const payment of payments) {
    total += toCommon(payment.amount - payment.returned, payment.decimals);
    if (total >= price) completedBy ??= payment;
  }
  return { total, completedBy };
}

function nextMove(
  session: JudgedSession,
  counting: readonly Payment[],
  total: bigint,
  price: bigint,
  at: Circumstances,
): Verdict['move'] {
  switch (session.status) {
    case 'pending':
      return endOfPending(session, total, price, at);
    case 'completed':
      return null;
    case 'expired':
    case 'canceled':
    case 'failed':
      // Only somebody's word brings an ended session back; a sum that is reached by facts alone waits for one.
      return total >= price && counting.some(({ decision }) => decision === 'accepted') ? 'accept' : null;
  }
}

function endOfPending(session: JudgedSession, total: bigint, price: bigint, at: Circumstances): Verdict['move'] {
  if (total >= price) return 'complete';
  if (at.now < session.expiresAt || !isScanned(session, at)) return null;
  const seen = at.seen.filter((payment) => objection(session, payment) === null);
  if (total + addUp(seen, price).total >= price) return null;
  return commonToCents(total) > 0n ? 'fail' : 'expire';
}

/** Whether every offered network was read past the expiry, or has failed to answer for as long as is waited. */
function isScanned(session: JudgedSession, at: Circumstances): boolean {
  if (at.now >= session.expiresAt + at.holdSeconds) return true;
  return session.networks.every((network) => (at.scannedThrough[network] ?? 0) >= session.expiresAt);
}

/**
 * The most pressing exception that is still open: money that is owed to nobody, then too much, then too little. What is accepted,
 * kept or sent back is none any more.
 */
function exceptionOf(
  session: JudgedSession,
  payments: readonly Payment[],
  { total, price, failed }: { total: bigint; price: bigint; failed: boolean },
): SessionException {
  const objections = new Set(
    payments.filter((one) => !isDust(one) && one.decision !== 'refund').map((payment) => objection(session, payment)),
  );
  for (const one of ['wrong_network', 'wrong_token', 'late', 'early'] as const) if (objections.has(one)) return one;
  // The rest of a failed session came in time but was found too late: somebody has to decide about the whole.
  if (failed && total >= price) return 'late';
  const kept = payments.reduce((sum, one) => sum + toCommon(one.kept, one.decimals), 0n);
  if (commonToCents(total - price - kept) > 0n) return 'over';
  if (commonToCents(total) > 0n && total < price) return 'partial';
  return 'none';
}

/** The order of the chain's own clock; the same whatever order transfers were found in. */
export const byChainTime = (a: Payment, b: Payment): number =>
  a.blockTime - b.blockTime || compareText(a.transactionHash, b.transactionHash) || a.ordinal - b.ordinal;

const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
