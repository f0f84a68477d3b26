// Converts a refund that is paid in a token or network other than that of its money: the store's balance in the received token goes to the
// operator, who pays the refund at par. The transaction that sends the signer request posts the conversion, so that a refund that is never
// sent uses none of the operator's money. If the refund fails, the conversion is undone with the reserve.

import type { Tx } from '@/lib/platform/database/db';
import {
  postConversion,
  readFloat,
  readReservation,
  type PostedRefund,
  type Reservation,
} from '@/lib/ledger/post-refund';
import { isSameAsset, shortfallOf, type AssetAmount } from '@/lib/ledger/postings';
import { readPegs } from '@/lib/money/rates/lock';
import type { Hold } from '@/lib/refunds/sending/lease';
import type { HoldCode } from '@/lib/refunds/holds';
import { reserveLate } from './reserve-late';
import { holdOf, orderFor, type RefundWork } from '@/lib/refunds/sending/sending-context';
import { tokensOn } from './tokens';

/** Reserves what is needed, once. Returns why the refund cannot be converted now; null when it can, or needs no conversion. */
export async function conversionHold(work: RefundWork): Promise<Hold | null> {
  const { amounts, isConverted } = await reservationOf(work);
  if ('code' in amounts) return amounts;
  const code = await obstacleTo(work, { amounts, isConverted });
  return code && holdOf(code);
}

/** The hold of a refund whose store has too little for it now, such as after a payout of its balance; null for any other. */
export async function unreservedHold(work: RefundWork): Promise<Hold | null> {
  const { amounts } = await reservationOf(work);
  return 'code' in amounts ? amounts : null;
}

/** Reserves what is needed, once. A hold in place of the amounts: the store has too little. */
async function reservationOf(
  work: RefundWork,
): Promise<Omit<Reservation, 'amounts'> & { readonly amounts: Reservation['amounts'] | Hold }> {
  const { context, payment: refund } = work;
  const reservation = await readReservation(context.pool, postedOf(work));
  const isUnreserved = reservation.amounts.length === 0 && refund.caseId === null;
  return isUnreserved ? { ...reservation, amounts: await reserveLate(work) } : reservation;
}

/** The hold of a refund whose money is partly in a token that is not offered, and that is paid in another token; null for any other. */
export async function notOfferedHold(work: RefundWork): Promise<Hold | null> {
  const of = postedOf(work);
  const { amounts } = await readReservation(work.context.pool, of);
  return changesUnoffered(work, foreignOf(amounts, of)) ? holdOf('not_offered') : null;
}

/** Posts the conversion, once. Throws InsufficientFloat, after which the transaction must be rolled back. */
export async function convertRefund(tx: Tx, work: RefundWork): Promise<void> {
  const of = postedOf(work);
  const { amounts, isConverted } = await readReservation(tx, of);
  if (isConverted || shortfallOf(of.paid, amounts) === 0n) return;
  if ((await postConversion(tx, of, amounts)) < 0n) throw new InsufficientFloat();
}

/** The operator has too little of the asset to be paid. */
export class InsufficientFloat extends Error {}

async function obstacleTo(work: RefundWork, { amounts, isConverted }: Reservation): Promise<HoldCode | null> {
  const { context, sending } = work;
  const of = postedOf(work);
  const missing = shortfallOf(of.paid, amounts);
  if (missing === 0n) return null;
  const foreign = foreignOf(amounts, of);
  if (changesUnoffered(work, foreign)) return 'not_offered';
  // Check the prices for every attempt, also when an earlier attempt was converted already and paid nothing.
  const isOtherToken = foreign.some((one) => one.currency !== of.paid.currency);
  const hold = isOtherToken && sending.spec.chain !== 'local' ? PEG_HOLDS[await readPegs(context)] : null;
  if (hold !== null || isConverted) return hold;
  return (await readFloat(context.pool, of)) < missing ? 'no_float' : null;
}

/** The prices are those of USDT and USDC, and a token that is not offered may be worth nothing (TRON's discontinued USDC). */
function changesUnoffered(work: RefundWork, foreign: readonly AssetAmount[]): boolean {
  const { environment, paid } = postedOf(work);
  const offered = tokensOn(work.context.config, environment);
  const isOffered = (one: AssetAmount): boolean => offered(one.network).includes(one.currency);
  return foreign.length > 0 && ![...foreign, paid].every(isOffered);
}

const foreignOf = (amounts: readonly AssetAmount[], { paid }: PostedRefund): readonly AssetAmount[] =>
  amounts.filter((one) => !isSameAsset(one, paid));

function postedOf(work: RefundWork): PostedRefund {
  const { id: intentId, storeId, environment, sessionId, network, currency } = work.payment;
  return { intentId, storeId, environment, sessionId, paid: { network, currency, amount: orderFor(work, '').amount } };
}

const PEG_HOLDS: Readonly<Record<Awaited<ReturnType<typeof readPegs>>, HoldCode | null>> = {
  holds: null,
  unknown: 'peg_unknown',
  broken: 'peg_broken',
};
