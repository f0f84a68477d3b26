// What a refund costs on its network, and who pays for it. The transaction that requests the signature reserves the highest possible cost
// of the draft from the store's balance, so that every signed payment has its cost covered.

import { coinOf, keptForDataFee, NETWORKS } from '@/lib/networks/networks';
import type { Drafted } from '@/lib/networks/sending/send';
import { readDraft } from '@/lib/networks/sending/draft';
import type { Tx } from '@/lib/platform/database/db';
import { readBearable, reserveRefundCost, settleRefundCost, type CentAsset } from '@/lib/ledger/post-cost';
import { centsToBaseUnits, centsToText, decimalToText } from '@/lib/money/amounts';
import type { Hold } from '@/lib/refunds/sending/lease';
import type { LeasedRefund } from '@/lib/refunds/rows';
import { holdOf, type RefundWork } from '@/lib/refunds/sending/sending-context';
import { decimalsIn, tokensOn } from './tokens';

/** Reserves the cost of a draft, once per refund. Returns why the refund has to wait, or null. */
export async function reserveCost(tx: Tx, work: RefundWork, { rent = 0n, ...draft }: Drafted): Promise<Hold | null> {
  const { context, sending, payment: refund } = work;
  const coin = coinOf(sending.network);
  if (!isBorneByStore(work) || refund.costBearer !== null || !coin) return null;
  const { id: intentId, storeId, environment, network, currency } = refund;
  const reservation = await reserveRefundCost(
    tx,
    { intentId, storeId, environment, network, currency },
    {
      coin: coin.symbol,
      hundredths: hundredthsOf(network, readDraft(draft).feeCap + rent + keptForDataFee(sending.spec)),
      assets: assetsOf(work),
      now: context.clock.now(),
    },
  );
  switch (reservation.kind) {
    case 'reserved':
      return null;
    case 'no_price':
      context.log.warn(
        { refundId: intentId, coin: coin.symbol },
        'no price of the coin is known: the operator pays the cost',
      );
      return null;
    case 'short':
      return shortHold(refund, reservation);
    default:
      return reservation satisfies never;
  }
}

const isBorneByStore = ({ context: { config }, sending: { environment } }: RefundWork): boolean =>
  (environment === 'live' ? config.REFUND_COSTS : config.REFUND_COSTS_TEST) === 'store';

/** Why a refund whose last quote exceeded the balance still has to wait, according to the ledger; null when the balance covers it. */
export async function remainingCostHold(work: RefundWork): Promise<Hold | null> {
  const { context, payment: refund } = work;
  if (refund.costShort === null || !isBorneByStore(work)) return null;
  const { cents } = refund.costShort;
  const { paid, most } = await readBearable(context.pool, refund, assetsOf(work));
  return most >= cents ? null : shortHold(refund, { quoted: cents, missing: cents - paid });
}

function shortHold(
  { network, currency }: LeasedRefund,
  short: { readonly quoted: bigint; readonly missing: bigint },
): Hold {
  const [quoted, missing] = [short.quoted, short.missing].map(centsToText);
  const message = `The network cost of this refund is up to ${quoted} ${currency}. The store’s balance on ${network} is ${missing} ${currency} too small for it. The refund is sent when payments have raised the balance.`;
  return { ...holdOf('insufficient_balance'), message };
}

/** Settles the reserved cost of a refund that ended. `fee`: what the network took; nothing is charged when that is unknown. */
export const settleCost = (
  tx: Tx,
  { id: intentId, storeId, network }: { readonly id: string; readonly storeId: string; readonly network: string },
  fee = 0n,
): Promise<void> => settleRefundCost(tx, { intentId, storeId }, hundredthsOf(network, fee));

/** An amount in a coin's smallest unit as decimal text of hundredths of the coin: multiplied by dollars per coin it is cents. */
const hundredthsOf = (network: string, amount: bigint): string =>
  decimalToText({ units: amount * 100n, digits: coinOf(network)?.decimals ?? 0 });

/**
 * The assets that may pay for costs. Tokens that the operator does not offer are excluded, because they may be worthless (TRON's
 * discontinued USDC).
 */
function assetsOf({ context: { config }, sending: { environment } }: RefundWork): readonly CentAsset[] {
  const [offeredOn, decimalsOf] = [tokensOn(config, environment), decimalsIn(config, environment)];
  const names = new Set(NETWORKS.map(({ network }) => network));
  return [...names].flatMap((network) =>
    offeredOn(network).map((currency) => {
      const asset = { network, currency };
      return { ...asset, unitsPerCent: centsToBaseUnits(1n, decimalsOf(asset)) };
    }),
  );
}
