// The customer's view of a session. The hosted page renders this view and nothing else. The public status is the part that the page
// polls while it waits.

import { FAMILIES } from '@/lib/networks/families/family';
import type { NetworkSpec } from '@/lib/networks/networks';
import { displayAddress, paymentUri, solanaReference } from '@/lib/networks/payment-uri';
import { offers } from '@/lib/networks/registry';
import { unixSeconds } from '@/lib/platform/clock';
import type { Config } from '@/lib/platform/config/config';
import type { Context } from '@/lib/platform/context';
import { isSessionId } from '@/lib/platform/ids';
import { centsToBaseUnits, centsToText } from '@/lib/money/amounts';
import { readCheckoutFacts, type CheckoutFacts } from './facts';
import { sumPayments, type SeenPayment } from './payments';
import { shownRefunds, type ShownRefund } from './refunds';
import { pairName } from '@/lib/payments/sessions/settle/judge';
import { paymentStatus } from '@/lib/payments/sessions/view';

/** One way to pay now. */
export type PayMethod = {
  readonly network: string;
  readonly currency: string;
  /** The deposit address as wallets write it. */
  readonly address: string;
  /** The missing amount, decimal text with two digits. */
  readonly amount: string;
  /** The token's contract as the networks table writes it. */
  readonly token: string;
  readonly payment_uri: string;
};

/** An offered network whose scans lag behind. */
export type Lag = { readonly network: string; readonly minutes: number };

export type CheckoutView = {
  readonly facts: CheckoutFacts;
  /** Unix seconds at which this was read. */
  readonly serverTime: number;
  readonly seen: readonly SeenPayment[];
  /** Decimal text: the amount that no transfer covers so far. */
  readonly missing: string;
  /** Decimal text: the amount that counts but is not final yet. */
  readonly underway: string;
  /** Empty once no payment is awaited: closed, expired, or everything seen. */
  readonly methods: readonly PayMethod[];
  readonly lagging: readonly Lag[];
  readonly refunds: readonly ShownRefund[];
};

export type Deps = Pick<Context, 'pool' | 'clock' | 'config'>;

/** The view of a session, or null when there is none with this id. One database round trip. */
export async function readCheckout({ pool, clock, config }: Deps, sessionId: string): Promise<CheckoutView | null> {
  if (!isSessionId(sessionId)) return null;
  const facts = await readCheckoutFacts(pool, sessionId);
  return facts && viewCheckout(facts, config, unixSeconds(clock.now()));
}

/** The view of given facts at a given time (Unix seconds). */
export function viewCheckout(facts: CheckoutFacts, config: Config, now: number): CheckoutView {
  const { seen, missing, underway } = sumPayments(facts, config);
  const awaited = facts.status === 'pending' && missing > 0n && now < facts.expires_at;
  return {
    facts,
    serverTime: now,
    seen,
    missing: centsToText(missing),
    underway: centsToText(underway),
    methods: awaited ? payMethods(facts, config, missing) : [],
    lagging: facts.status === 'pending' ? laggingNetworks(facts, now).filter(matters(seen, missing)) : [],
    refunds: shownRefunds(facts.refunds),
  };
}

/** The JSON of `GET /pay/{session_id}/status`: the contract's fields, and the fields that tell the page when to redraw. */
export function publicStatus({ facts, serverTime, seen, methods, lagging, refunds }: CheckoutView) {
  return {
    status: facts.status.toUpperCase(),
    payment_status: paymentStatus(facts.status),
    expires_at: facts.expires_at,
    amount_due: centsToText(BigInt(facts.amount_due)),
    amount_received: centsToText(BigInt(facts.amount_received)),
    methods,
    server_time: serverTime,
    exception: facts.exception,
    seen,
    lagging,
    refunds,
  };
}

export type PublicStatus = ReturnType<typeof publicStatus>;

function payMethods(facts: CheckoutFacts, config: Config, missing: bigint): PayMethod[] {
  // A network that is no longer configured is not watched, so no customer may pay there.
  const offered = offers(config).filter(({ spec }) => spec.environment === facts.environment);
  const solanaPay = { reference: solanaReference(facts.id), label: facts.store_name };
  return facts.networks.flatMap((network) => {
    const offer = offered.find((one) => one.spec.network === network);
    if (!offer) return [];
    const { spec } = offer;
    const recipient = recipientOf(facts, spec);
    return facts.currencies.flatMap((currency) => {
      // A pair that the operator added after this session was created does not count in it.
      const isOffered =
        offer.currencies.includes(currency) && facts.offered_pairs.includes(pairName({ network, currency }));
      const token = isOffered ? spec.tokens[currency] : undefined;
      if (!token) return [];
      const amount = centsToBaseUnits(missing, token.decimals);
      return {
        network,
        currency,
        address: displayAddress(spec.family, recipient),
        amount: centsToText(missing),
        token: token.contract,
        payment_uri: paymentUri({ spec, currency, recipient, amount, solanaPay }),
      };
    });
  });
}

const recipientOf = (facts: CheckoutFacts, { family }: NetworkSpec): string => facts[FAMILIES[family].addressColumn];

/** Once the whole price is seen, only the networks where it was seen matter. */
const matters =
  (seen: readonly SeenPayment[], missing: bigint) =>
  ({ network }: Lag): boolean =>
    missing > 0n ||
    seen.some((payment) => payment.network === network && payment.verdict === 'counts' && !payment.final);

/** New sessions no longer offer a network with this lag. Shorter delays are normal and are not shown. */
const LAG_SHOWN_MINUTES = 1;

function laggingNetworks(facts: CheckoutFacts, now: number): Lag[] {
  return facts.chains
    .filter(({ network }) => facts.networks.includes(network))
    .map(({ network, scanned_at }) => ({ network, minutes: Math.floor((now - scanned_at) / 60) }))
    .filter(({ minutes }) => minutes >= LAG_SHOWN_MINUTES);
}
