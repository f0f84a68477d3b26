// One payment as its merchant sees it: the price, the transfers and their results, as texts and links for pages. The pages
// supply the wording.

import { FAMILIES } from '@/lib/networks/families/family';
import type { NetworkFamily } from '@/lib/networks/chain';
import { networkSpec, type NetworkSpec } from '@/lib/networks/networks';
import { displayAddress, explorerUrl } from '@/lib/networks/payment-uri';
import { allowedActions, type ExceptionAction } from '@/lib/payments/exceptions/states';
import type { Config } from '@/lib/platform/config/config';
import type { Context } from '@/lib/platform/context';
import { isSessionId } from '@/lib/platform/ids';
import { centsToText, minorUnitsToText } from '@/lib/money/amounts';
import { readPayerParts, type PayerParts } from '@/lib/refunds/destination/payer-parts';
import { isPageAddressSigned } from '@/lib/refunds/customer-address/signed-address';
import { objection, type Objection } from '@/lib/payments/sessions/settle/judge';
import { priceText, refundShare, type RefundShare, type StoreScope } from '@/lib/dashboard/lists/payments';
import { readPaymentFacts, type ExceptionFacts, type PaymentFacts, type TransferFacts } from './facts';
import { timelineOf, type Moment } from './timeline';

export type TransferView = Omit<TransferFacts, 'amount' | 'payer' | 'tip_number' | 'final_lag'> & {
  /** Exact decimal text in whole tokens. */
  readonly amount: string;
  /** In the format of wallets. */
  readonly payer: string;
  readonly explorerUrl: string | null;
  /** Blocks since and including its own, and those that usually make it final. */
  readonly confirmations: number;
  readonly confirmationsRequired: number;
  /** Why it does not count; null when it counts. */
  readonly objection: Objection | 'orphaned' | null;
};

export type ExceptionView = Omit<ExceptionFacts, 'amount' | 'decimals' | 'payer'> & {
  readonly amount: string;
  readonly payer: string;
  readonly explorerUrl: string | null;
  readonly actions: readonly ExceptionAction[];
};

export type PaymentView = Pick<
  PaymentFacts,
  | 'id'
  | 'status'
  | 'accepted_from'
  | 'exception'
  | 'currency'
  | 'currencies'
  | 'networks'
  | 'exchange_rate'
  | 'description'
  | 'metadata'
  | 'created_at'
  | 'expires_at'
  | 'closed_at'
  | 'events'
> & {
  readonly orderId: string;
  /** Decimal texts: the price, its amount in tokens, the received tokens and those that can still be refunded. */
  readonly amount: string;
  readonly due: string;
  readonly received: string;
  readonly refunded: string;
  readonly refundable: string;
  readonly refundShare: RefundShare;
  /** The token and network of the payment; null if unpaid. */
  readonly paid: {
    readonly currency: string;
    readonly network: string;
    readonly transactionHash: string | null;
  } | null;
  /** The refund address that the customer named on its page, in the format of wallets; null: the payer. */
  readonly refundAddress: string | null;
  /** Whether the wallet that paid signed for that address. */
  readonly isAddressSigned: boolean;
  /** The payers who may each get their part back, in the format of wallets, when several paid; else empty. */
  readonly payers: readonly {
    readonly network: string;
    readonly currency: string;
    readonly address: string;
    /** Decimal text of what they paid and did not get refunded yet. */
    readonly left: string;
  }[];
  readonly items: readonly { readonly name: string; readonly quantity: number; readonly amount: string }[];
  readonly tax: string | null;
  readonly shipping: string | null;
  readonly addresses: readonly { readonly networks: readonly string[]; readonly address: string }[];
  readonly transfers: readonly TransferView[];
  readonly exceptions: readonly ExceptionView[];
  readonly refunds: readonly (Omit<PaymentFacts['refunds'][number], 'amount'> & { readonly amount: string })[];
  readonly timeline: readonly Moment[];
  readonly url: string;
};

/** Null when the store has no such payment in this environment. */
export async function readPayment(
  context: Pick<Context, 'pool' | 'config'>,
  of: StoreScope,
  sessionId: string,
): Promise<PaymentView | null> {
  const { pool, config } = context;
  const facts = isSessionId(sessionId) ? await readPaymentFacts(pool, of, sessionId) : null;
  if (!facts) return null;
  const payers = facts.status === 'completed' ? await readPayerParts(pool, { ...of, sessionId }) : NO_PAYERS;
  const view = paymentView(facts, payers, config);
  const network = view.refundAddress === null ? null : facts.completed_network;
  const isAddressSigned = network !== null && (await isPageAddressSigned(context, { ...of, sessionId, network }));
  return { ...view, isAddressSigned };
}

const shownAddress = (address: string | null, spec: NetworkSpec | null): string | null =>
  address !== null && spec ? displayAddress(spec.family, address) : address;

type Settings = Pick<Config, 'TEST_CHAINS' | 'PUBLIC_URL'>;

const NO_PAYERS: PayerParts = { count: 0, parts: [] };

function paymentView(facts: PaymentFacts, payers: PayerParts, config: Settings): Omit<PaymentView, 'isAddressSigned'> {
  const specOf = (network: string): NetworkSpec | null => networkSpec(facts.environment, network, config.TEST_CHAINS);
  const transfers = facts.transfers.map((one) => transferView(one, facts, specOf(one.network)));
  const exceptions = facts.exceptions.map((one) => exceptionView(one, facts.status, specOf(one.network)));
  const refunds = facts.refunds.map((one) => ({ ...one, amount: centsToText(BigInt(one.amount)) }));
  const { completed_network: network, completed_currency: currency } = facts;
  const due = BigInt(facts.amount_due);
  const refunded = BigInt(facts.amount_refunded);
  const paid =
    network !== null && currency !== null ? { network, currency, transactionHash: facts.completed_transaction } : null;
  return {
    ...facts,
    orderId: facts.order_id,
    amount: priceText(facts.amount_total, facts.currency),
    due: centsToText(due),
    received: centsToText(BigInt(facts.amount_received)),
    refunded: centsToText(refunded),
    refundable: centsToText(facts.status === 'completed' ? due - refunded : 0n),
    refundShare: refundShare(sentBack(facts), due),
    paid,
    // When several paid, an address from the page does not apply.
    refundAddress:
      payers.count > 1 ? null : shownAddress(facts.refund_address, network === null ? null : specOf(network)),
    payers:
      payers.count > 1
        ? payers.parts.map(({ remaining, ...part }) => ({
            ...part,
            address: shownAddress(part.address, specOf(part.network)) ?? part.address,
            left: centsToText(remaining),
          }))
        : [],
    items: (facts.line_items ?? []).map(
      ({ quantity = 1, price_data: { unit_amount: unit, product_data: product } }) => ({
        name: product.name,
        quantity,
        amount: priceText(String(BigInt(unit) * BigInt(quantity)), facts.currency),
      }),
    ),
    tax: facts.tax_amount === null ? null : priceText(facts.tax_amount, facts.currency),
    shipping: facts.shipping_amount === null ? null : priceText(facts.shipping_amount, facts.currency),
    addresses: addressesOf(facts, specOf),
    transfers,
    exceptions,
    refunds,
    timeline: timelineOf({ ...facts, transfers, exceptions, refunds }),
    url: `${config.PUBLIC_URL}/pay/${facts.id}`,
  };
}

const sentBack = ({ refunds }: PaymentFacts): bigint =>
  refunds
    .filter(({ status, of_exception: isOfException }) => status === 'completed' && !isOfException)
    .reduce((sum, { amount }) => sum + BigInt(amount), 0n);

/** Base units as decimal text: two digits, more only if they are not zero. */
export function tokenText(units: bigint, decimals: number): string {
  const text = minorUnitsToText(units, decimals);
  return decimals <= 2
    ? text
    : text.replace(/0+$/, '').replace(/\.(\d?)$/, (_, digit: string) => `.${digit.padEnd(2, '0')}`);
}

function transferView(row: TransferFacts, facts: PaymentFacts, spec: NetworkSpec | null): TransferView {
  const { amount, payer, tip_number: tip, final_lag: lag, ...others } = row;
  const decimals = spec?.tokens[row.currency]?.decimals ?? 6;
  // A network's distance to finality varies a little; only a final transfer has all confirmations.
  const required = Math.max(1, lag);
  const since = Math.max(0, Math.min(tip - row.block_number + 1, required - 1));
  const session = {
    ...facts,
    acceptedFrom: facts.accepted_from,
    offeredPairs: facts.offered_pairs,
    createdAt: Math.floor(facts.created_at),
    expiresAt: Math.floor(facts.expires_at),
  };
  const isOrphaned = row.orphaned_at !== null;
  return {
    ...others,
    amount: tokenText(BigInt(amount), decimals),
    payer: spec ? displayAddress(spec.family, payer) : payer,
    explorerUrl: spec && explorerUrl(spec, row.transaction_hash),
    confirmations: row.final ? required : isOrphaned ? 0 : since,
    confirmationsRequired: required,
    objection: isOrphaned ? 'orphaned' : objection(session, { ...row, blockTime: row.block_time }),
  };
}

function exceptionView(
  { amount, decimals, payer, ...row }: ExceptionFacts,
  sessionStatus: PaymentFacts['status'],
  spec: NetworkSpec | null,
): ExceptionView {
  return {
    ...row,
    amount: tokenText(BigInt(amount), decimals),
    payer: spec ? displayAddress(spec.family, payer) : payer,
    explorerUrl: spec && explorerUrl(spec, row.transaction_hash),
    actions: allowedActions({ state: row.state, sessionStatus, refund: row.refund }),
  };
}

/** One address serves all networks of a family. */
function addressesOf(facts: PaymentFacts, specOf: (network: string) => NetworkSpec | null): PaymentView['addresses'] {
  return (Object.keys(FAMILIES) as NetworkFamily[]).flatMap((family) => {
    const networks = facts.networks.filter((network) => specOf(network)?.family === family);
    return networks.length === 0
      ? []
      : [{ networks, address: displayAddress(family, facts[FAMILIES[family].addressColumn]) }];
  });
}
