// Computes the result of a session's payments. The inputs are facts: the payments and the decisions about them. The outputs are the
// amount received, the exception and the next move, recomputed any number of times. Pure: time is an argument.

import { blockTimeMargin } from '@/lib/networks/networks';
import { baseUnitsToCents, centsToBaseUnits, COMMON_DECIMALS, commonToCents, toCommon } from '@/lib/money/amounts';
import type { ExceptionState, SessionException, SessionStatus } from '@/prisma/generated/enums';

/** The session fields that determine how its payments count. Times are Unix seconds, `amountDue` is cents. */
export type JudgedSession = {
  readonly status: SessionStatus;
  /** The terminal status before an accepted payment completed the session; otherwise null. */
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

/** A final or unconfirmed transfer. `amount` is base units of a token with `decimals`. */
export type Payment = {
  readonly id: string;
  readonly network: string;
  readonly currency: string;
  readonly amount: bigint;
  readonly decimals: number;
  readonly blockTime: number;
  readonly transactionHash: string;
  readonly ordinal: number;
  /** The decision about it; null when there is nothing to decide. Also `accepted` when only a part of it was counted. */
  readonly decision: ExceptionState | null;
  /** Base units that are owed or already refunded to the sender. They pay for nothing. */
  readonly returned: bigint;
};

/**
 * SQL for `decision`, of a payment exception under this alias. A payment with a surplus, or with a counted part, is accepted: the
 * state of such an exception applies to the rest of the payment.
 */
export const decisionOf = (alias: string): string =>
  `CASE WHEN ${alias}.kind = 'over' OR ${alias}.counted > 0 THEN 'accepted'::"ExceptionState" ELSE ${alias}.state END`;

/** SQL for `returned`, of a payment exception under this alias. */
export const returnedOf = (alias: string): string =>
  `CASE WHEN ${alias}.state = 'refund' THEN ${alias}.amount - ${alias}.counted ELSE 0 END`;

/** A payment below one cent is booked and adds to the amount received, but opens no exception. */
export const isDust = ({ amount, decimals }: Pick<Payment, 'amount' | 'decimals'>): boolean =>
  baseUnitsToCents(amount, decimals) === 0n;

export type Circumstances = {
  /** Unix seconds of the service's own clock. */
  readonly now: number;
  /** Per network, the chain time up to which all final blocks were read; null when the network is not followed. */
  readonly scannedThrough: Readonly<Record<string, number | null>>;
  /** Transfers below finality. */
  readonly seen: readonly Payment[];
  /** How long after its expiry a session waits for a network that does not respond. */
  readonly holdSeconds: number;
};

/** In cents: the largest integer that every JSON reader takes exactly. Transfers and ledger have the exact amount. */
const MAX_RECEIVED = BigInt(Number.MAX_SAFE_INTEGER);

export type Verdict = {
  /** The move that follows, or null to leave the session as it is. */
  readonly move: 'complete' | 'expire' | 'fail' | 'accept' | null;
  /** Whole cents of the transfers that count, less refunds, rounded down, at most `MAX_RECEIVED`. */
  readonly received: bigint;
  readonly exception: SessionException;
  /** The transfer that reached the price, or null. */
  readonly completedBy: Payment | null;
};

/** Why a payment does not count. */
export type Objection = 'early' | 'wrong_network' | 'wrong_token' | 'late';

/** Judges a session by its final transfers. */
export function judge(session: JudgedSession, transfers: readonly Payment[], circumstances: Circumstances): Verdict {
  const ordered = transfers.toSorted(byChainTime);
  const counting = ordered.filter((payment) => objection(session, payment) === null);
  const price = centsToBaseUnits(session.amountDue, COMMON_DECIMALS);
  const { total, completedBy } = addUp(counting, price);
  const move = nextMove(session, counting, total, price, circumstances);
  const received = commonToCents(total);
  return {
    move,
    received: received < MAX_RECEIVED ? received : MAX_RECEIVED,
    exception: exceptionOf(session, ordered, { total, price, failed: session.status === 'failed' && move === null }),
    completedBy,
  };
}

/** Why a payment does not count, or null. Block time decides whether it came in time. */
export function objection(
  session: Omit<JudgedSession, 'amountDue'>,
  payment: Pick<Payment, 'network' | 'currency' | 'blockTime' | 'decision'>,
): Objection | null {
  if (payment.decision === 'accepted' || payment.decision === 'kept') return null;
  // A deposit address is assigned once, so an earlier payment belongs to another order: a restored database assigned the address again, or
  // another system uses the same seed. It must never complete this session without a decision.
  if (payment.blockTime < session.createdAt - blockTimeMargin(payment.network)) return 'early';
  if (!session.networks.includes(payment.network)) return 'wrong_network';
  if (!session.offeredPairs.includes(pairName(payment))) return 'wrong_token';
  // When a session closes with nothing received, its merchant is notified. Payments found afterwards are late, whenever they were mined:
  // the session was canceled, or the network responded only after the maximum wait. Accepting one payment does not make the others count as
  // on time.
  const end = session.acceptedFrom ?? session.status;
  if (end === 'canceled' || end === 'expired') return 'late';
  return payment.blockTime >= session.expiresAt ? 'late' : null;
}

/**
 * Adds up the amounts that are not returned, at the common precision, in the given order. `completedBy` is the payment that reached
 * the price.
 */
function addUp(payments: readonly Payment[], price: bigint): { total: bigint; completedBy: Payment | null } {
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
      // Only a person can reopen a closed session. A sum that reaches the price without a decision waits for one.
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

/** Whether every offered network was read past the expiry, or the maximum wait has passed. */
function isScanned(session: JudgedSession, at: Circumstances): boolean {
  if (at.now >= session.expiresAt + at.holdSeconds) return true;
  return session.networks.every((network) => (at.scannedThrough[network] ?? 0) >= session.expiresAt);
}

/**
 * The most urgent open exception: unassigned money, then an underpayment. Payments that are accepted, kept or refunded are no longer
 * exceptions. Whether a completed session is overpaid follows from what its price took (verdict.ts).
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
  // The rest of a failed session came in time but was found too late: the merchant decides about the whole.
  if (failed && total >= price) return 'late';
  if (commonToCents(total) > 0n && total < price) return 'partial';
  return 'none';
}

/** The order by block time, independent of the order in which transfers were found. */
export const byChainTime = (a: Payment, b: Payment): number =>
  a.blockTime - b.blockTime || compareText(a.transactionHash, b.transactionHash) || a.ordinal - b.ordinal;

const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
