// Converts a refund that is paid in another token or network than its money came in: the store's claim passes to the operator,
// and the operator's money pays at par (decisions: Refund currency). Done right before the signer is asked, and undone with the
// reservation if nothing is paid.

import { postConversion, readReservation, type Reservation } from '@/lib/ledger/post-refund';
import { isSameAsset, type AssetAmount } from '@/lib/ledger/postings';
import { readPegs } from '@/lib/rates/lock';
import { whileMine, type Hold } from './claim';
import type { HoldCode } from './holds';
import { reserveLate } from './reserve-late';
import { holdOf, orderFor, type Work } from './send-line';
import { tokensOn } from './tokens';

/** Reserves and converts what has to be, once. Returns why it cannot be now, or null: then the refund can be paid. */
export async function convertRefund(work: Work): Promise<Hold | null> {
  const { context, refund } = work;
  const { amounts, isConverted } = await readReservation(context.pool, {
    intentId: refund.id,
    storeId: refund.storeId,
  });
  const isUnreserved = amounts.length === 0 && refund.caseId === null;
  const reserved = isUnreserved ? await reserveLate(work) : amounts;
  if ('code' in reserved) return reserved;
  const code = await convert(work, { amounts: reserved, isConverted });
  return code && holdOf(code);
}

async function convert(work: Work, { amounts, isConverted }: Reservation): Promise<HoldCode | null> {
  const { context, line, refund } = work;
  const { id: intentId, storeId, environment, sessionId, currency, network } = refund;
  const paid = { network, currency, amount: orderFor(work, '').amount };
  const foreign = amounts.filter((one) => !isSameAsset(one, paid));
  if (foreign.length === 0) return null;
  // Prices are those of USDT and USDC, and a token that is not offered may be worth nothing (TRON's discontinued USDC).
  const isOffered = (one: AssetAmount): boolean =>
    tokensOn(context.config, environment)(one.network).includes(one.currency);
  if (![...foreign, paid].every(isOffered)) return 'not_offered';
  // Asked again for every transaction: a conversion that nothing was paid by yet is no reason to pay at par now.
  const isOtherToken = foreign.some((one) => one.currency !== currency);
  const hold = isOtherToken && line.spec.chain !== 'local' ? PEG_HOLDS[await readPegs(context)] : null;
  if (hold !== null || isConverted) return hold;
  const of = { intentId, storeId, environment, sessionId, paid };
  try {
    await whileMine(context.pool, refund, async (tx) => {
      if ((await postConversion(tx, of, amounts)) < 0n) throw new NoFloat();
    });
    return null;
  } catch (error) {
    if (error instanceof NoFloat) return 'no_float';
    throw error;
  }
}

const PEG_HOLDS: Readonly<Record<Awaited<ReturnType<typeof readPegs>>, HoldCode | null>> = {
  holds: null,
  unknown: 'peg_unknown',
  broken: 'peg_broken',
};

/** Rolls the conversion back. */
class NoFloat extends Error {}
