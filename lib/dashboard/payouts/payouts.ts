// A page of a store's payouts and what it can pay out, as the page of payouts shows them.

import type { StoreBalance } from '@/lib/ledger/balances';
import { centsToText, divideUp } from '@/lib/money/amounts';
import { networkSpec } from '@/lib/networks/networks';
import { explorerUrl } from '@/lib/networks/payment-uri';
import { balancesOf } from '@/lib/payouts/hold';
import { LEAST_PAYOUT_CENTS, type Payout } from '@/lib/payouts/payout';
import { isScheduledName } from '@/lib/payouts/schedules/rows';
import { shownAddress } from '@/lib/payouts/view';
import { unixSeconds } from '@/lib/platform/clock';
import type { Config } from '@/lib/platform/config/config';
import type { Context } from '@/lib/platform/context';
import type { Environment } from '@/lib/platform/ids';
import { decimalsIn } from '@/lib/refunds/request/tokens';
import type { RefundStatus } from '@/prisma/generated/enums';
import type { Page, PageRequest } from '@/lib/dashboard/lists/keyset';
import type { StoreScope } from '@/lib/dashboard/lists/payments';
import { listStorePayouts } from '@/lib/dashboard/lists/payouts';

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
  /** When it was paid, failed or was canceled; null before. */
  readonly processedAt: number | null;
  /** As wallets show it; null until the signature is requested. */
  readonly destination: string | null;
  readonly hold: string | null;
  /** When the hold ends; null when unknown. */
  readonly holdUntil: number | null;
  readonly failureReason: string | null;
  readonly transaction: { readonly hash: string; readonly explorerUrl: string | null } | null;
  readonly isCancelable: boolean;
  /** Requested by a schedule. */
  readonly isScheduled: boolean;
};

/** A token on a network that the store has enough of for a payout. */
export type PayableBalance = { readonly network: string; readonly currency: string; readonly available: string };

type StorePayouts = {
  readonly page: Page<PayoutView>;
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

export async function payoutsOf(
  context: Context,
  of: StoreScope & { readonly holdHours: number },
  pageRequest: PageRequest,
): Promise<StorePayouts> {
  const { config } = context;
  const decimalsOf = decimalsIn(config, of.environment);
  // Rounded up, as the available balance is rounded down.
  const amountsOf = (all: readonly StoreBalance[], part: 'pending' | 'kept'): AssetText[] =>
    all
      .filter((one) => one[part].baseUnits > 0n)
      .map(({ network, currency, [part]: { baseUnits } }) => ({
        ...{ network, currency },
        amount: centsToText(divideUp(baseUnits, 10n ** BigInt(decimalsOf({ network, currency }) - 2))),
      }));
  const [page, balances] = await Promise.all([
    listStorePayouts(context, of, pageRequest),
    balancesOf(context, { ...of, hours: of.holdHours }),
  ]);
  return {
    page: { ...page, rows: page.rows.map((row) => payoutAsShown(row, of.environment, config)) },
    balances: balances
      .filter(({ available }) => available.cents >= LEAST_PAYOUT_CENTS)
      .map(({ network, currency, available }) => ({ network, currency, available: centsToText(available.cents) })),
    held: amountsOf(balances, 'pending'),
    isChecking: balances.some(({ unchecked }) => unchecked.baseUnits > 0n),
    kept: amountsOf(balances, 'kept'),
  };
}

export function payoutAsShown(
  { transactionHash: hash, ...payout }: Payout,
  environment: Environment,
  { TEST_CHAINS }: Pick<Config, 'TEST_CHAINS'>,
): PayoutView {
  const { network, amount, fee, networkCost, createdAt, processedAt, holdUntil, destination } = payout;
  const spec = networkSpec(environment, network, TEST_CHAINS);
  return {
    ...payout,
    amount: centsToText(amount),
    fee: fee === 0n ? null : centsToText(fee),
    networkCost: networkCost === 0n ? null : centsToText(networkCost),
    createdAt: unixSeconds(createdAt),
    processedAt: processedAt && unixSeconds(processedAt),
    holdUntil: holdUntil && unixSeconds(holdUntil),
    isScheduled: isScheduledName(payout.payoutId),
    destination: destination === null ? null : shownAddress(network, destination),
    transaction: hash === null ? null : { hash, explorerUrl: spec ? explorerUrl(spec, hash) : null },
  };
}
