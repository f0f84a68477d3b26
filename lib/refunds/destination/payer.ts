// Whether the payer of a session can be paid back automatically: there is one payer, who ordered the payment on this network, with a wallet
// that no one else uses. Otherwise returns the reason, as a sentence for merchant and operator.

import { ChainError } from '@/lib/networks/chain';
import type { NetworkSpec } from '@/lib/networks/networks';
import type { ChainSender } from '@/lib/networks/sending/send';
import type { Context } from '@/lib/platform/context';
import type { Db } from '@/lib/platform/database/db';
import { commonToCents, commonToCentsUp } from '@/lib/money/amounts';
import { exchangeObjection } from './exchange';
import { payerCount, type DestinedRefund, type Payer } from './payers';
import { isWithinSent, MAX_DUST } from './payer-bound';

/** `wallet`: the refund wallet, in the form of the draft's `from`; no refund may go to it. */
export type PayingChain = {
  readonly spec: NetworkSpec;
  readonly sender: Pick<ChainSender, 'kindOf'>;
  readonly wallet?: string;
};

type Found = { readonly payer: Payer } | { readonly objection: string };

/** `payer`: the one that the refund pays back, or null for the only one. `payers`: all payers of the session. */
type Request = {
  readonly payer: string | null;
  readonly currency: string;
  /** The session's price in cents. */
  readonly due: string;
  readonly payers: readonly Payer[];
  readonly isPayable: (address: string) => Promise<boolean>;
};

/** Throws a ChainError when the chain does not say whether the payer is a contract. */
export async function findPayer(
  context: Context,
  { spec, sender }: PayingChain,
  refund: DestinedRefund,
  { payer: chosen, currency, due, payers, isPayable }: Request,
): Promise<Found> {
  const isChosen = (one: Payer): boolean =>
    one.address === chosen && one.network === refund.network && one.currency === currency && one.counted > 0n;
  const own = chosen === null ? payers : payers.filter(isChosen);
  const objection = payerObjection(spec, refund.network, own);
  if (objection !== null) return { objection };
  // The same key may have paid on other networks too. The refund is paid on the network on which the session was completed.
  const payer = own.find(({ network }) => network === refund.network) as Payer;
  const exact = own.reduce((total, { counted }) => total + counted, 0n);
  const paid = commonToCents(exact);
  // A payer may get the cent that remains when the parts of all payers are rounded (payer-parts).
  if (chosen !== null && (await centsTo(context.pool, refund)) > commonToCentsUp(exact)) {
    return { objection: 'The refunds to this payer are more than the payer paid.' };
  }
  if (chosen === null && refund.caseId === null && paid + MAX_DUST < BigInt(due)) {
    return { objection: 'The only known payer paid a part of the price.' };
  }
  if (!own.every(({ isProven }) => isProven)) {
    return { objection: 'It is not proven who sent the payment, because it was recorded without the evidence key.' };
  }
  if (!(await isWithinSent(context.pool, context.config, { ...refund, currency, payer: payer.address }))) {
    return { objection: 'The refunds to this payer are more than the payer paid.' };
  }
  if (!(await isPayable(payer.address))) {
    return { objection: 'The payment came from an address that cannot be paid back.' };
  }
  const exchange = await exchangeObjection(context, spec, own);
  if (exchange !== null) return { objection: exchange };
  switch (await sender.kindOf(payer.address)) {
    case 'wallet':
      return { payer };
    case 'contract':
      return { objection: 'The payment came from a contract, which may not be able to use what it is sent.' };
    case 'unknown':
      throw new ChainError('unavailable', 'too few endpoints report what the sender of the payment is');
  }
}

/** The objection that the transfers themselves raise to paying their sender back on this network; null for none. Pure. */
export function payerObjection(spec: NetworkSpec, on: string, payers: readonly Payer[]): string | null {
  const count = payerCount(payers);
  if (count > 1) return `The payment was made by ${count} payers.`;
  if (!payers.some(({ network }) => network === on)) {
    return 'There is no recorded payment on this network whose sender could be paid back.';
  }
  // Older transfers have no such record. The customer has to name an address then, but only for real money.
  const isUnknown = payers.some(({ isPlain }) => isPlain === null) && spec.chain === 'mainnet';
  if (isUnknown || payers.some(({ isPlain }) => isPlain === false)) {
    return 'The payment was not sent by a plain transfer of its owner, but by a service, a contract or a swap.';
  }
  return null;
}

/**
 * Cents of all refunds that are made for one payer, including this one. The web process checks this sum when it creates refunds, but the
 * worker does not trust that check.
 */
async function centsTo(db: Db, refund: DestinedRefund): Promise<bigint> {
  const { rows } = await db.query<{ cents: string }>({
    name: 'refund-payer-share',
    text: `SELECT coalesce(sum(r.amount), 0) AS cents FROM refunds r JOIN refunds mine ON mine.id = $1
           WHERE r.session_id = mine.session_id AND r.network = mine.network AND r.currency = mine.currency
             AND r.payer = mine.payer AND r.status NOT IN ('failed', 'canceled')`,
    values: [refund.id],
  });
  return BigInt(rows[0]?.cents ?? 0);
}
