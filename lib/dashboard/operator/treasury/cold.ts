// What the page Treasury shows of the refund wallet's marks and of the cold wallet, as exact decimal texts.

import { readColdReports, type ColdReport, type ColdTransfer } from '@/lib/cold-storage/report';
import type { ColdHold } from '@/lib/cold-storage/decide';
import { centsToBaseUnits, minorUnitsToText } from '@/lib/money/amounts';
import { displayAddress, explorerUrl } from '@/lib/networks/payment-uri';
import type { Context } from '@/lib/platform/context';
import type { Environment } from '@/lib/platform/ids';
import { isHoldCode, type HoldCode } from '@/lib/refunds/holds';

export type ColdTransferRow = Omit<ColdTransfer, 'amount' | 'transactionHash'> & {
  readonly amount: string;
  /** `url`: its page in the network's explorer; null where there is none. */
  readonly transaction: { readonly hash: string; readonly url: string | null } | null;
};

/** The marks of one token. Decimal texts. */
export type ColdRow = {
  readonly network: string;
  readonly currency: string;
  readonly low: string;
  readonly target: string;
  readonly high: string;
  /** Null without a recent reading. */
  readonly balance: string | null;
  readonly needed: string;
  readonly booked: string;
  readonly refundWallet: string | null;
  readonly coldWallet: string | null;
  /** What to send to the refund wallet; null unless it is below its low-water mark. */
  readonly missing: string | null;
  /** Why nothing goes to the cold wallet; null while a transfer is open. */
  readonly hold: ColdHold | null;
  /** Whether an open transfer does not wait for anything. */
  readonly isMoving: boolean;
  /** Why an open transfer waits. */
  readonly transferHold: HoldCode | null;
  readonly transfers: readonly ColdTransferRow[];
};

export const readCold = async (
  deps: Pick<Context, 'pool' | 'clock' | 'config'>,
  environment: Environment,
): Promise<readonly ColdRow[]> => (await readColdReports(deps, environment)).map(rowOf);

function rowOf(report: ColdReport): ColdRow {
  const { spec, currency, low, target, high, funds, booked, coldWallet, missing, hold, transfers } = report;
  const decimals = spec.tokens[currency]?.decimals ?? 0;
  const open = transfers.filter(({ status }) => status === 'pending' || status === 'processing');
  const text = (units: bigint): string => minorUnitsToText(units, decimals);
  return {
    network: spec.network,
    currency,
    low: text(low),
    target: text(target),
    high: text(high),
    balance: funds === null || funds.balance === null ? null : text(funds.balance),
    needed: text(funds?.needed ?? 0n),
    booked: text(booked),
    refundWallet: funds && displayAddress(spec.family, funds.wallet),
    coldWallet: coldWallet && displayAddress(spec.family, coldWallet),
    missing: missing && text(missing.units),
    hold,
    isMoving: open.some((one) => one.hold === null),
    transferHold: open.map((one) => one.hold).find((one) => one !== null && isHoldCode(one)) ?? null,
    transfers: transfers.map(({ amount, transactionHash: hash, ...row }) => ({
      ...row,
      amount: text(centsToBaseUnits(amount, decimals)),
      transaction: hash === null ? null : { hash, url: explorerUrl(spec, hash) },
    })),
  };
}
