// The receipt of a payment: the order, its conversion rate, and the transactions that paid it. It uses the facts of the hosted page.
// Its amounts add up: the paid amount is the sum of the transactions, without uncounted payments and returned surplus.

import type { Environment } from '@/lib/platform/ids';
import { brandOf, logoOf, type Brand, type LogoFacts } from '@/lib/merchants/branding/logo-columns';
import { networkSpec, type NetworkSpec } from '@/lib/networks/networks';
import { displayAddress, explorerUrl } from '@/lib/networks/payment-uri';
import { baseUnitsToCents, centsAddingUp, centsToText, toCommon } from '@/lib/money/amounts';
import { receiptOrder, unitsText, type Money, type ReceiptOrder, type ReceiptTax } from '@/lib/payments/receipts/order';
import { issueReceipt, type IssuedReceipt } from '@/lib/payments/receipts/number';
import type { CheckoutFacts } from '@/lib/payments/checkout/facts';
import { paidParts } from '@/lib/payments/checkout/payments';
import { readCheckout, type Deps } from '@/lib/payments/checkout/view';
import type { PaymentRow } from '@/lib/payments/sessions/payment-rows';

/** The amount that paid: less than the transferred amount if the rest was returned. */
export type ReceiptTransaction = Money & {
  readonly network: string;
  readonly hash: string;
  readonly explorerUrl: string | null;
  /** As wallets write them; null before the payment was stored as final. */
  readonly addresses: { readonly from: string; readonly to: string } | null;
  /** Unix seconds of its block. */
  readonly at: number;
};

/** `name` is the merchant's own text; tax and shipping have none and are shown by `kind`. */
export type ReceiptItem = Money & {
  readonly kind: 'item' | 'tax' | 'shipping';
  readonly name: string;
  readonly quantity: number;
};

export type PaymentReceipt = {
  /** The session's id: one payment has one receipt. */
  readonly number: string;
  /** Its number in the store's series, and who sold; null for a store without legal details. */
  readonly issued: IssuedReceipt | null;
  readonly environment: Environment;
  readonly storeName: string;
  readonly logo: LogoFacts | null;
  readonly brand: Brand;
  readonly website: string | null;
  /** The contact of the shop: an e-mail address or https URL; null when it set none. */
  readonly contact: string | null;
  /** The merchant's order number. */
  readonly orderId: string;
  readonly description: string | null;
  /** The counted amounts, by token. */
  readonly paid: readonly Money[];
  readonly order: ReceiptOrder;
  /** The items with tax and shipping; empty when the shop sent no items. */
  readonly items: readonly ReceiptItem[];
  /** Null without a tax. */
  readonly tax: ReceiptTax | null;
  /** Null without shipping costs. */
  readonly shipping: Money | null;
  /** Unix seconds at which the session was complete. */
  readonly at: number;
  readonly transactions: readonly ReceiptTransaction[];
  /** The refunded part, by token; empty without refunds. */
  readonly refunded: readonly Money[];
};

/** Facts that the hosted page does not have. */
type Row = {
  exchange_rate: string | null;
  closed_at: number;
  website: string | null;
  order_id: string;
  transfers: readonly Transfer[];
};
type Transfer = Pick<PaymentRow, 'network' | 'transaction_hash' | 'ordinal'> & {
  readonly payer: string;
  readonly recipient: string;
};

/**
 * The receipt of a completed session, issued by the first call; null for an unknown session and for one that is not complete.
 */
export async function readPaymentReceipt(deps: Deps, sessionId: string): Promise<PaymentReceipt | null> {
  const view = await readCheckout(deps, sessionId);
  if (view?.facts.status !== 'completed') return null;
  const { rows } = await deps.pool.query<Row>({ name: 'payment_receipt', text: STATEMENT, values: [sessionId] });
  const [row] = rows;
  if (!row) return null;
  return { ...paymentReceipt(view.facts, row, deps.config), issued: await issueReceipt(deps, sessionId) };
}

/** The receipt of given facts of a completed session, without a number of a series. */
export function paymentReceipt(facts: CheckoutFacts, row: Row, config: Deps['config']): PaymentReceipt {
  const parts = partsOf(facts, config);
  return {
    number: facts.id,
    issued: null,
    environment: facts.environment,
    storeName: facts.store_name,
    logo: logoOf(facts.branding),
    brand: brandOf(facts.branding),
    website: row.website,
    contact: facts.branding?.support_contact ?? null,
    orderId: row.order_id,
    description: facts.description,
    paid: paidMoney(facts, parts),
    items: itemsOf(facts),
    tax: taxOf(facts),
    shipping: isAmount(facts.shipping_amount) ? moneyOf(facts.shipping_amount, facts.currency) : null,
    order: receiptOrder({ ...facts, exchange_rate: row.exchange_rate }),
    at: row.closed_at,
    transactions: parts
      .filter(({ units, decimals }) => baseUnitsToCents(units, decimals) > 0n)
      .map(({ row: payment, spec, units, decimals }) => ({
        amount: centsToText(baseUnitsToCents(units, decimals)),
        currency: payment.currency,
        network: payment.network,
        hash: payment.transaction_hash,
        explorerUrl: explorerUrl(spec, payment.transaction_hash),
        addresses: addressesOf(row.transfers, payment, spec),
        at: payment.block_time,
      })),
    // The refund of an exception returns money that is not in `paid`.
    refunded: sumCents(facts.refunds.filter((one) => one.status === 'completed' && !one.of_exception)),
  };
}

function itemsOf({
  line_items: items,
  tax_amount: tax,
  shipping_amount: shipping,
  currency,
}: CheckoutFacts): ReceiptItem[] {
  if (!items || items.length === 0) return [];
  const money = (units: bigint): Money => moneyOf(units, currency);
  const extras = [
    { kind: 'tax' as const, units: tax },
    { kind: 'shipping' as const, units: shipping },
  ];
  return [
    ...items.map(
      ({
        quantity = 1,
        price_data: {
          unit_amount: unit,
          product_data: { name },
        },
      }) => ({
        kind: 'item' as const,
        name,
        quantity,
        ...money(BigInt(unit) * BigInt(quantity)),
      }),
    ),
    ...extras.flatMap(({ kind, units }) =>
      isAmount(units) ? [{ kind, name: '', quantity: 1, ...money(BigInt(units)) }] : [],
    ),
  ];
}

const isAmount = (units: string | null): units is string => units !== null && units !== '0';
const moneyOf = (units: bigint | string, currency: string): Money => ({
  amount: unitsText(BigInt(units), currency),
  currency,
});

const HUNDREDTHS = 10_000n;

/** The rate is that of the whole order, rounded to the nearest tenth of a percent: a shop sends amounts only. */
function taxOf({ amount_total: total, tax_amount: tax, currency }: CheckoutFacts): ReceiptTax | null {
  if (!isAmount(tax)) return null;
  const net = BigInt(total) - BigInt(tax);
  const tenths = net > 0n ? (2n * BigInt(tax) * (HUNDREDTHS / 10n) + net) / (2n * net) : null;
  return {
    net: moneyOf(net, currency),
    tax: moneyOf(tax, currency),
    hundredths: tenths === null ? null : Number(tenths) * 10,
  };
}

function addressesOf(transfers: readonly Transfer[], payment: PaymentRow, { family }: NetworkSpec) {
  const found = transfers.find(
    (one) =>
      one.network === payment.network &&
      one.transaction_hash === payment.transaction_hash &&
      one.ordinal === payment.ordinal,
  );
  return found ? { from: displayAddress(family, found.payer), to: displayAddress(family, found.recipient) } : null;
}

/** The amount that each transaction paid, in known tokens. */
function partsOf(facts: CheckoutFacts, config: Deps['config']) {
  return paidParts(facts).flatMap(({ row, units }) => {
    const spec = networkSpec(facts.environment, row.network, config.TEST_CHAINS);
    const decimals = spec?.tokens[row.currency]?.decimals;
    return spec && decimals !== undefined ? [{ row, spec, units, decimals, currency: row.currency }] : [];
  });
}

type Part = { readonly currency: string; readonly units: bigint; readonly decimals: number };

/** The paid amount by token. One sum if the page does not list every payment or a network is no longer known. */
function paidMoney(facts: CheckoutFacts, parts: readonly Part[]): readonly Money[] {
  const total = BigInt(facts.amount_received);
  const byToken = sumByCurrency(parts, total);
  const sum = byToken.reduce((cents, { amount }) => cents + BigInt(amount.replace('.', '')), 0n);
  if (sum === total) return byToken;
  return [{ amount: centsToText(total), currency: facts.completed_currency ?? facts.currencies.join('/') }];
}

/** Cents by token that add up to `total`. */
function sumByCurrency(parts: readonly Part[], total: bigint): Money[] {
  const sums = new Map<string, bigint>();
  for (const { currency, units, decimals } of parts)
    sums.set(currency, (sums.get(currency) ?? 0n) + toCommon(units, decimals));
  const cents = centsAddingUp([...sums.values()], total);
  return [...sums.keys()]
    .map((currency, index) => ({ currency, cents: cents[index] ?? 0n }))
    .filter((one) => one.cents > 0n)
    .map((one) => ({ amount: centsToText(one.cents), currency: one.currency }));
}

function sumCents(refunds: readonly { readonly amount: string; readonly currency: string }[]): Money[] {
  const sums = new Map<string, bigint>();
  for (const { amount, currency } of refunds) sums.set(currency, (sums.get(currency) ?? 0n) + BigInt(amount));
  return [...sums].map(([currency, cents]) => ({ amount: centsToText(cents), currency }));
}

const STATEMENT = `
SELECT s.exchange_rate, extract(epoch FROM s.closed_at)::int AS closed_at, st.website, s.order_id,
       coalesce((SELECT json_agg(json_build_object('network', t.network, 'transaction_hash', t.transaction_hash,
         'ordinal', t.ordinal, 'payer', t.payer, 'recipient', t.recipient)) FROM transfers t WHERE t.session_id = s.id), '[]') AS transfers
  FROM sessions s JOIN stores st ON st.id = s.store_id WHERE s.id = $1 AND s.closed_at IS NOT NULL`;
