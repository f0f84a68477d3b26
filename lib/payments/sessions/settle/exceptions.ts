// Computes how much of each transfer pays for its session, and which payment exceptions follow. Pure. A session takes its price when it is
// completed: first from accepted payments, then from the others in chain order, dust last. The rest of the counted payments is surplus. A
// payment gets one exception, which is never replaced, so that a merchant always decides about what the page showed.

import { baseUnitsToCents, centsToBaseUnits, COMMON_DECIMALS, toCommon } from '@/lib/money/amounts';
import type { ExceptionState, SessionStatus } from '@/prisma/generated/enums';
import { byChainTime, isDust, objection, type JudgedSession, type Objection, type Payment } from './judge';

/** `over`: the surplus of an overpayment. `unfinished`: a part of a price that was never reached. */
export type ExceptionKind = Objection | 'over' | 'unfinished';

/** `counted`, of `amount`, went into the price; the state is about the rest. */
export type TransferException = {
  readonly id: string;
  readonly kind: ExceptionKind;
  readonly state: ExceptionState;
  readonly amount: bigint;
  readonly counted: bigint;
};

/** `unresolved`: base units that the ledger has not assigned yet; null before the transfer is posted. */
export type JudgedTransfer = Payment & {
  readonly unresolved: bigint | null;
  readonly exception: TransferException | null;
};

/** `amount` is base units of the transfer's token, at least a cent. */
export type NewException = { readonly transfer: JudgedTransfer; readonly kind: ExceptionKind; readonly amount: bigint };
/** An exception whose payment was counted completely (`accepted`) or in part: then the rest stays `open`. */
type CountedException = { readonly id: string; readonly state: 'accepted' | 'open'; readonly counted: bigint };

export type Shares = {
  /** Base units that go to the store now, by transfer. */
  readonly toStore: ReadonlyMap<string, bigint>;
  readonly newExceptions: readonly NewException[];
  readonly countedExceptions: readonly CountedException[];
};

/** `status` is the session status after this settling. `isCompletedNow`: this settling completed the session. */
export function sharesOf(
  session: JudgedSession,
  transfers: readonly JudgedTransfer[],
  { status, isCompletedNow }: { readonly status: SessionStatus; readonly isCompletedNow: boolean },
): Shares {
  const isCounting = (transfer: JudgedTransfer): boolean => objection(session, transfer) === null;
  const objected = transfers
    .filter((transfer) => transfer.exception === null && !isDust(transfer))
    .flatMap((transfer): NewException[] => {
      const kind = objection(session, transfer);
      return kind === null ? [] : [{ transfer, kind, amount: transfer.amount }];
    });
  const counting = transfers.filter((transfer) => isCounting(transfer) && transfer.decision !== 'refund');
  const { toStore, newExceptions, countedExceptions } = sharesByStatus(session, counting, { status, isCompletedNow });
  const dust =
    status === 'completed' ? transfers.filter((one) => isDust(one) && one.exception === null).map(whole) : [];
  return { toStore: new Map([...dust, ...toStore]), newExceptions: [...objected, ...newExceptions], countedExceptions };
}

type Parts = Pick<Shares, 'newExceptions' | 'countedExceptions'> & {
  readonly toStore: readonly (readonly [string, bigint])[];
};
const NOTHING: Parts = { toStore: [], newExceptions: [], countedExceptions: [] };

function sharesByStatus(
  session: JudgedSession,
  counting: readonly JudgedTransfer[],
  { status, isCompletedNow }: { readonly status: SessionStatus; readonly isCompletedNow: boolean },
): Parts {
  switch (status) {
    case 'pending':
    // An expired or canceled session counts only accepted payments, and only once they reach the price.
    case 'expired':
    case 'canceled':
      return NOTHING;
    case 'failed':
      return {
        ...NOTHING,
        newExceptions: exceptionsOf(
          counting.filter((one) => !isDust(one)),
          'unfinished',
        ),
      };
    case 'completed':
      if (isCompletedNow) return priceShares(session, counting);
      // The price was reached before, so later payments are surplus.
      return {
        ...NOTHING,
        newExceptions: exceptionsOf(
          counting.filter((one) => one.unresolved === null && !isDust(one)),
          'over',
        ),
      };
  }
}

const exceptionsOf = (transfers: readonly JudgedTransfer[], kind: ExceptionKind): readonly NewException[] =>
  transfers.filter((one) => one.exception === null).map((transfer) => ({ transfer, kind, amount: transfer.amount }));

const whole = ({ id, amount }: Payment): readonly [string, bigint] => [id, amount];

function priceShares(session: JudgedSession, counting: readonly JudgedTransfer[]): Parts {
  const toStore: [string, bigint][] = [];
  const newExceptions: NewException[] = [];
  const countedExceptions: CountedException[] = [];
  let missing = centsToBaseUnits(session.amountDue, COMMON_DECIMALS);
  for (const transfer of counting.toSorted(byTurn)) {
    const value = toCommon(transfer.amount, transfer.decimals);
    const surplus = surplusOf(transfer, value > missing ? value - missing : 0n);
    missing = value > missing ? 0n : missing - value;
    const share = transfer.amount - surplus;
    if (share > 0n) toStore.push([transfer.id, share]);
    if (transfer.exception === null) {
      if (surplus > 0n) newExceptions.push({ transfer, kind: 'over', amount: surplus });
    } else if (share > 0n || transfer.exception.state === 'accepted') {
      countedExceptions.push({ id: transfer.exception.id, state: surplus > 0n ? 'open' : 'accepted', counted: share });
    }
  }
  return { toStore, newExceptions, countedExceptions };
}

/** Base units, rounded down; the rest of a base unit and a surplus of less than a cent stay with the store. */
function surplusOf({ decimals }: Payment, surplus: bigint): bigint {
  const units = surplus / toCommon(1n, decimals);
  return baseUnitsToCents(units, decimals) > 0n ? units : 0n;
}

/** Dust comes last: it never makes a surplus of a payment that a customer meant to be exact. */
const byTurn = (one: JudgedTransfer, other: JudgedTransfer): number =>
  Number(other.decision === 'accepted') - Number(one.decision === 'accepted') ||
  Number(isDust(one)) - Number(isDust(other)) ||
  byChainTime(one, other);
