// Which payments of a session somebody has to decide about, and about how much of each. Pure. A payment gets its case once,
// when it is first settled or when its session fails, and keeps it: what a merchant was shown does not change under them.

import { centsToBaseUnits, COMMON_DECIMALS, toCommon } from '@/lib/money';
import type { SessionStatus } from '@/prisma/generated/enums';
import { addUp, byChainTime, objection, type JudgedSession, type Objection, type Payment } from './judge';

/** `over`: the surplus of an overpayment. `unfinished`: a part of a price that was never reached. */
export type CaseKind = Objection | 'over' | 'unfinished';

export type JudgedTransfer = Payment & { readonly isPosted: boolean; readonly caseKind: CaseKind | null };

/** `amount` is base units of the transfer's token, greater than zero. */
export type Oddity<Transfer> = { readonly transfer: Transfer; readonly kind: CaseKind; readonly amount: bigint };

/** The cases to open now. `status` is what the session is after this settling. */
export function newOddities<Transfer extends JudgedTransfer>(
  session: JudgedSession,
  transfers: readonly Transfer[],
  status: SessionStatus,
): readonly Oddity<Transfer>[] {
  const without = transfers.filter(({ caseKind }) => caseKind === null);
  const objected = without.flatMap((transfer): Oddity<Transfer>[] => {
    const kind = objection(session, transfer);
    return kind === null ? [] : [{ transfer, kind, amount: transfer.amount }];
  });
  const counting = without.filter((transfer) => objection(session, transfer) === null);
  return [...objected, ...ofCounting(session, transfers, counting, status)];
}

function ofCounting<Transfer extends JudgedTransfer>(
  session: JudgedSession,
  all: readonly Transfer[],
  counting: readonly Transfer[],
  status: SessionStatus,
): readonly Oddity<Transfer>[] {
  switch (status) {
    case 'pending':
    // An expired or canceled session counts nothing that nobody accepted.
    case 'expired':
    case 'canceled':
      return [];
    case 'failed':
      return counting.map((transfer) => ({ transfer, kind: 'unfinished', amount: transfer.amount }));
    case 'completed':
      return surplusOf(session, all, counting);
  }
}

/**
 * Shares the surplus that the new transfers added among them, the latest first: what was told of earlier ones stays true.
 * Each share is rounded down to the token's base units; the remainder stays with the store.
 */
function surplusOf<Transfer extends JudgedTransfer>(
  session: JudgedSession,
  all: readonly Transfer[],
  counting: readonly Transfer[],
): readonly Oddity<Transfer>[] {
  const added = counting.filter(({ isPosted }) => !isPosted).toSorted(byChainTime);
  const price = centsToBaseUnits(session.amountDue, COMMON_DECIMALS);
  const counted = all.filter((transfer) => objection(session, transfer) === null);
  const before = addUp(
    counted.filter((transfer) => !added.includes(transfer)),
    price,
  ).total;
  let left = above(addUp(counted, price).total, price) - above(before, price);
  const shares: Oddity<Transfer>[] = [];
  for (const transfer of added.toReversed()) {
    const whole = toCommon(transfer.amount, transfer.decimals);
    const amount = (transfer.amount * (left < whole ? left : whole)) / whole;
    if (amount > 0n) shares.push({ transfer, kind: 'over', amount });
    left = above(left, whole);
  }
  return shares;
}

const above = (amount: bigint, limit: bigint): bigint => (amount > limit ? amount - limit : 0n);
