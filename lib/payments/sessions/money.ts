// The money of a session as the merchant reads it: amount received, amount refunded, and the payments. It is read in the statement
// of the session, so that all values are from one moment.

import { networkSpec, type NetworkSpec } from '@/lib/networks/networks';
import { displayAddress } from '@/lib/networks/payment-uri';
import type { Config } from '@/lib/platform/config/config';
import type { Environment } from '@/lib/platform/ids';
import { baseUnitsToCents } from '@/lib/money/amounts';
import { isDust } from './settle/judge';
import { paymentRows, type MerchantPaymentRow } from './payment-rows';

export type MoneyFacts = {
  readonly environment: Environment;
  /** Cents of the final payments that count. */
  readonly amountReceived: bigint;
  /** Cents of its refunds that have not failed or been canceled. */
  readonly amountRefunded: bigint;
  readonly closedAt: Date | null;
  /** Days that a payment of this store can be refunded for. */
  readonly refundWindowDays: number;
  readonly payments: readonly MerchantPaymentRow[];
};

/** The columns that `moneyFacts` reads, of a table called `s`. */
export const MONEY_COLUMNS = `s.environment, s.amount_received, s.amount_refunded, s.closed_at,
  (SELECT refund_window_days FROM stores WHERE id = s.store_id) AS refund_window_days,
  ${paymentRows({ forMerchant: true })} AS payments`;

export type MoneyRow = {
  environment: Environment;
  amount_received: string;
  amount_refunded: string;
  closed_at: Date | null;
  refund_window_days: number;
  payments: MerchantPaymentRow[];
};

export const moneyFacts = (row: MoneyRow): MoneyFacts => ({
  environment: row.environment,
  amountReceived: BigInt(row.amount_received),
  amountRefunded: BigInt(row.amount_refunded),
  closedAt: row.closed_at,
  refundWindowDays: row.refund_window_days,
  payments: row.payments,
});

/** `seen`: in a block that the network can still replace. `final`: irreversible, and counts unless it is a payment exception. */
export const PAYMENT_STATES = ['seen', 'final'] as const;

export type PaymentView = {
  readonly network: string;
  readonly currency: string;
  readonly amount: number;
  readonly sender: string;
  readonly transaction_hash: string;
  readonly block_time: number;
  readonly state: (typeof PAYMENT_STATES)[number];
  readonly exception_id?: string;
};

/**
 * The payments in the order of the chain, without those removed by a reorg and those below a cent. A token that this
 * installation no longer knows has no decimals, so its payments are left out.
 */
export function paymentViews(
  { environment, payments }: Pick<MoneyFacts, 'environment' | 'payments'>,
  config: Pick<Config, 'TEST_CHAINS'>,
): PaymentView[] {
  return payments.flatMap((row): PaymentView[] => {
    const spec = networkSpec(environment, row.network, config.TEST_CHAINS);
    const decimals = spec?.tokens[row.currency]?.decimals;
    const amount = BigInt(row.amount);
    if (!spec || decimals === undefined || row.orphaned || isDust({ amount, decimals })) return [];
    return [
      {
        network: row.network,
        currency: row.currency,
        amount: centsNumber(baseUnitsToCents(amount, decimals)),
        sender: senderText(spec, row.payer),
        transaction_hash: row.transaction_hash,
        block_time: row.block_time,
        state: row.final ? 'final' : 'seen',
        ...(row.exception_id === null ? {} : { exception_id: row.exception_id }),
      },
    ];
  });
}

/** The address as wallets write it. A stored address in another form must not fail the whole list. */
export const senderText = (spec: NetworkSpec | null, payer: string): string =>
  spec === null ? payer : displayAddress(spec.family, payer);

/** Only the worthless tokens of a test network exist in larger amounts. JSON readers would round them; the ledger is exact. */
const MAX_SHOWN = BigInt(Number.MAX_SAFE_INTEGER);

/** Cents as a JSON number. */
export const centsNumber = (cents: bigint): number => Number(cents < MAX_SHOWN ? cents : MAX_SHOWN);
