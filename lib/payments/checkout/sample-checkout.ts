// A fictitious payment for the preview of a store's branding: the facts of the hosted page and the receipt, with networks that this
// installation offers. Nothing is stored, and its addresses have no known keys.

import { offers, type Offer } from '@/lib/networks/registry';
import type { Config } from '@/lib/platform/config/config';
import type { Environment } from '@/lib/platform/ids';
import { centsToBaseUnits } from '@/lib/money/amounts';
import type { CheckoutFacts, BrandingFacts } from './facts';
import type { PaymentRow } from '@/lib/payments/sessions/payment-rows';
import { paymentReceipt, type PaymentReceipt } from '@/lib/payments/receipts/receipt';

export type SampleStore = { readonly name: string; readonly website: string | null; readonly branding: BrandingFacts };

type Sample = {
  readonly store: SampleStore;
  readonly isPaid: boolean;
  readonly config: Config;
  /** Unix seconds. */
  readonly now: number;
};

const DUE_CENTS = 5167n;
const MINUTE = 60;
const BLOCK = 21_000_000;
const FINAL_LAG = 12;
/** Zero addresses and digits in order: no wallet has their keys. */
const TO = {
  evm: '0x0123456789abcdef0123456789abcdef01234567',
  tron: 'T9yD14Nj9j7xAB4dbgeiX9h8unkKHxuWwb',
  solana: '11111111111111111111111111111111',
} as const;

/** The facts of a sample payment, pending or paid. */
export function sampleFacts({ store, isPaid, config, now }: Sample): CheckoutFacts {
  const { environment, token, offered } = sampleOffers(config);
  const [first] = offered;
  const payments = isPaid && first ? [samplePayment(first, token, now)] : [];
  return {
    id: `cs_${environment}_sample`,
    environment,
    status: isPaid ? 'completed' : 'pending',
    accepted_from: null,
    exception: 'none',
    amount_total: '4480',
    currency: 'EUR',
    exchange_rate: '1.1533',
    amount_due: String(DUE_CENTS),
    amount_received: isPaid ? String(DUE_CENTS) : '0',
    currencies: [token],
    networks: offered.map(({ spec }) => spec.network),
    offered_pairs: offered.map(({ spec }) => `${spec.network}-${token}`),
    description: null,
    line_items: null,
    tax_amount: null,
    shipping_amount: null,
    success_url: null,
    cancel_url: null,
    completed_currency: isPaid ? token : null,
    coin_prices: null,
    created_at: now - MINUTE,
    expires_at: now + 29 * MINUTE,
    evm_address: TO.evm,
    tron_address: TO.tron,
    solana_address: TO.solana,
    store_name: store.name,
    branding: store.branding,
    payments,
    chains: [],
    refunds: [],
  };
}

/** The receipt of the sample payment. */
export function sampleReceipt(sample: Omit<Sample, 'isPaid'>): PaymentReceipt {
  const facts = sampleFacts({ ...sample, isPaid: true });
  const row = {
    exchange_rate: facts.exchange_rate,
    closed_at: sample.now,
    website: sample.store.website,
    order_id: '1048',
    transfers: [],
  };
  return paymentReceipt(facts, row, sample.config);
}

/** The test environment if it has networks, so that a QR code of a preview never requests real money. */
function sampleOffers(config: Config): { environment: Environment; token: string; offered: readonly Offer[] } {
  const all = offers(config);
  const environment = all.some(({ spec }) => spec.environment === 'test') ? 'test' : 'live';
  const here = all.filter(({ spec }) => spec.environment === environment);
  const tokens = here.flatMap(({ currencies }) => currencies);
  const token = tokens.includes('USDT') ? 'USDT' : (tokens[0] ?? 'USDT');
  return { environment, token, offered: here.filter(({ currencies }) => currencies.includes(token)) };
}

function samplePayment({ spec }: Offer, currency: string, now: number): PaymentRow {
  const { contract = '', decimals = 6 } = spec.tokens[currency] ?? {};
  return {
    final: true,
    network: spec.network,
    currency,
    contract,
    transaction_hash: `0x${'0123456789abcdef'.repeat(4)}`,
    ordinal: 0,
    block_number: BLOCK,
    block_time: now - MINUTE / 2,
    amount: String(centsToBaseUnits(DUE_CENTS, decimals)),
    orphaned: false,
    decision: null,
    returned: '0',
    tip_number: BLOCK + FINAL_LAG,
    final_lag: FINAL_LAG,
  };
}
