// How much of each transfer pays for its session, and what somebody has to decide about. Pure. A session takes its price when it
// is completed: from the payments that somebody accepted first, then from the others in the order of the chain. All else of what
// counted is surplus. A payment gets its case once and keeps it: what a merchant was shown does not change under them.

import { baseUnitsToCents, centsToBaseUnits, COMMON_DECIMALS, toCommon } from '@/lib/money/amounts';
import type { CaseState, SessionStatus } from '@/prisma/generated/enums';
import { byChainTime, isDust, objection, type JudgedSession, type Objection, type Payment } from './judge';

/** `over`: the surplus of an overpayment. `unfinished`: a part of a price that was never reached. */
export type CaseKind = Objection | 'over' | 'unfinished';

/** `counted`, of `amount`, went into the price; the state is about the rest. */
export type TransferCase = {
  readonly id: string;
  readonly kind: CaseKind;
  readonly state: CaseState;
  readonly amount: bigint;
  readonly counted: bigint;
};

/** `unresolved`: base units that the ledger owes to nobody yet; null while it has not got the transfer. */
export type JudgedTransfer = Payment & { readonly unresolved: bigint | null; readonly case: TransferCase | null };

/** `amount` is base units of the transfer's token, at least a cent. */
export type NewCase = { readonly transfer: JudgedTransfer; readonly kind: CaseKind; readonly amount: bigint };
/** A case whose payment was counted, whole (`accepted`) or in part: then the rest stays `open`. */
export type CountedCase = { readonly id: string; readonly state: 'accepted' | 'open'; readonly counted: bigint };

export type Shares = {
  /** Base units that are the store's from now on, by transfer. */
  readonly toStore: ReadonlyMap<string, bigint>;
  readonly newCases: readonly NewCase[];
  readonly countedCases: readonly CountedCase[];
};

/** `status` is what the session is after this settling; `isCompletedNow`: it became so by it. */
export function sharesOf(
  session: JudgedSession,
  transfers: readonly JudgedTransfer[],
  { status, isCompletedNow }: { readonly status: SessionStatus; readonly isCompletedNow: boolean },
): Shares {
  const isCounting = (transfer: JudgedTransfer): boolean => objection(session, transfer) === null;
  const objected = transfers
    .filter((transfer) => transfer.case === null && !isDust(transfer))
    .flatMap((transfer): NewCase[] => {
      const kind = objection(session, transfer);
      return kind === null ? [] : [{ transfer, kind, amount: transfer.amount }];
    });
  const counting = transfers.filter((transfer) => isCounting(transfer) && transfer.decision !== 'refund');
  const { toStore, newCases, countedCases } = sharesByStatus(session, counting, { status, isCompletedNow });
  const dust = status === 'completed' ? transfers.filter((one) => isDust(one) && one.case === null).map(whole) : [];
  return { toStore: new Map([...dust, ...toStore]), newCases: [...objected, ...newCases], countedCases };
}

type Parts = Pick<Shares, 'newCases' | 'countedCases'> & { readonly toStore: readonly (readonly [string, bigint])[] };
const NOTHING: Parts = { toStore: [], newCases: [], countedCases: [] };

function sharesByStatus(
  session: JudgedSession,
  counting: readonly JudgedTransfer[],
  { status, isCompletedNow }: { readonly status: SessionStatus; readonly isCompletedNow: boolean },
): Parts {
  switch (status) {
    case 'pending':
    // An expired or canceled session counts only what somebody accepted, and that waits until it reaches the price.
    case 'expired':
    case 'canceled':
      return NOTHING;
    case 'failed':
      return {
        ...NOTHING,
        newCases: casesOf(
          counting.filter((one) => !isDust(one)),
          'unfinished',
        ),
      };
    case 'completed':
      if (isCompletedNow) return priceShares(session, counting);
      // The price was reached before: whatever comes afterwards is surplus.
      return {
        ...NOTHING,
        newCases: casesOf(
          counting.filter((one) => one.unresolved === null && !isDust(one)),
          'over',
        ),
      };
  }
}

const casesOf = (transfers: readonly JudgedTransfer[], kind: CaseKind): readonly NewCase[] =>
  transfers.filter((one) => one.case === null).map((transfer) => ({ transfer, kind, amount: transfer.amount }));

const whole = ({ id, amount }: Payment): readonly [string, bigint] => [id, amount];

function priceShares(session: JudgedSession, counting: readonly JudgedTransfer[]): Parts {
  const toStore: [string, bigint][] = [];
  const newCases: NewCase[] = [];
  const countedCases: CountedCase[] = [];
  let missing = centsToBaseUnits(session.amountDue, COMMON_DECIMALS);
  for (const transfer of counting.toSorted(byAcceptance)) {
    const value = toCommon(transfer.amount, transfer.decimals);
    const surplus = surplusOf(transfer, value > missing ? value - missing : 0n);
    missing = value > missing ? 0n : missing - value;
    const share = transfer.amount - surplus;
    if (share > 0n) toStore.push([transfer.id, share]);
    if (transfer.case === null) {
      if (surplus > 0n) newCases.push({ transfer, kind: 'over', amount: surplus });
    } else if (share > 0n || transfer.case.state === 'accepted') {
      countedCases.push({ id: transfer.case.id, state: surplus > 0n ? 'open' : 'accepted', counted: share });
    }
  }
  return { toStore, newCases, countedCases };
}

/** Base units, rounded down; the rest of a base unit and a surplus of less than a cent stay with the store. */
function surplusOf({ decimals }: Payment, surplus: bigint): bigint {
  const units = surplus / toCommon(1n, decimals);
  return baseUnitsToCents(units, decimals) > 0n ? units : 0n;
}

const byAcceptance = (one: JudgedTransfer, other: JudgedTransfer): number =>
  Number(other.decision === 'accepted') - Number(one.decision === 'accepted') || byChainTime(one, other);
