// A store's payouts and what it can pay out, as the page shows them.

import type { StoreBalance } from '@/lib/ledger/balances';
import { centsToText, divideUp } from '@/lib/money/amounts';
import { networkSpec } from '@/lib/networks/networks';
import { explorerUrl } from '@/lib/networks/payment-uri';
import { balancesOf } from '@/lib/payouts/hold';
import { listPayouts } from '@/lib/payouts/list';
import { LEAST_PAYOUT_CENTS } from '@/lib/payouts/payout';
import { isScheduledName } from '@/lib/payouts/schedules/rows';
import { shownAddress } from '@/lib/payouts/view';
import { unixSeconds } from '@/lib/platform/clock';
import type { Context } from '@/lib/platform/context';
import { decimalsIn } from '@/lib/refunds/request/tokens';
import type { RefundStatus } from '@/prisma/generated/enums';
import type { StoreScope } from '@/lib/dashboard/lists/payments';

/** Amounts as decimal text, times in Unix seconds. */
export type PayoutView = {
  readonly id: string;
  readonly payoutId: string;
  readonly status: RefundStatus;
  readonly amount: string;
  /** Null where the store pays none. */
  readonly fee: string | null;
  readonly networkCost: string | null;
  readonly currency: string;
  readonly network: string;
  readonly description: string | null;
  readonly createdAt: number;
  /** As wallets show it; null until the signature is requested. */
  readonly destination: string | null;
  readonly hold: string | null;
  readonly failureReason: string | null;
  readonly transaction: { readonly hash: string; readonly explorerUrl: string | null } | null;
  readonly isCancelable: boolean;
  /** Requested by a schedule. */
  readonly isScheduled: boolean;
};

/** A token on a network that the store has enough of for a payout. */
export type PayableBalance = { readonly network: string; readonly currency: string; readonly available: string };

type StorePayouts = {
  readonly payouts: readonly PayoutView[];
  readonly balances: readonly PayableBalance[];
  /** What waits until it can be paid out. */
  readonly held: readonly AssetText[];
  /** Whether a part of it waits for the screening of a sender. */
  readonly isChecking: boolean;
  /** What stays for refunds. */
  readonly kept: readonly AssetText[];
};

/** `amount`: decimal text. */
export type AssetText = { readonly network: string; readonly currency: string; readonly amount: string };

const MAX_SHOWN = 100;

export async function payoutsOf(
  context: Context,
  of: StoreScope & { readonly holdHours: number },
): Promise<StorePayouts> {
  const { pool, config } = context;
  const decimalsOf = decimalsIn(config, of.environment);
  // Rounded up, as the available balance is rounded down.
  const amountsOf = (all: readonly StoreBalance[], part: 'pending' | 'kept'): AssetText[] =>
    all
      .filter((one) => one[part].baseUnits > 0n)
      .map(({ network, currency, [part]: { baseUnits } }) => ({
        ...{ network, currency },
        amount: centsToText(divideUp(baseUnits, 10n ** BigInt(decimalsOf({ network, currency }) - 2))),
      }));
  const [rows, balances] = await Promise.all([
    listPayouts(pool, { ...of, limit: MAX_SHOWN }),
    balancesOf(context, { ...of, hours: of.holdHours }),
  ]);
  return {
    payouts: rows.map((row) => {
      const spec = networkSpec(of.environment, row.network, config.TEST_CHAINS);
      const hash = row.transactionHash;
      return {
        ...row,
        amount: centsToText(row.amount),
        fee: row.fee === 0n ? null : centsToText(row.fee),
        networkCost: row.networkCost === 0n ? null : centsToText(row.networkCost),
        createdAt: unixSeconds(row.createdAt),
        isScheduled: isScheduledName(row.payoutId),
        destination: row.destination === null ? null : shownAddress(row.network, row.destination),
        transaction: hash === null ? null : { hash, explorerUrl: spec ? explorerUrl(spec, hash) : null },
      };
    }),
    balances: balances
      .filter(({ available }) => available.cents >= LEAST_PAYOUT_CENTS)
      .map(({ network, currency, available }) => ({ network, currency, available: centsToText(available.cents) })),
    held: amountsOf(balances, 'pending'),
    isChecking: balances.some(({ unchecked }) => unchecked.baseUnits > 0n),
    kept: amountsOf(balances, 'kept'),
  };
}
