// Writes the ledger entries for refunds and the refund wallet. A refund's amount is reserved at the request, converted
// before it is paid in another asset, released when the refund fails or is canceled, and booked as paid when the
// customer has it. Each happens at most once per refund, in the transaction that makes it a fact. The database refuses
// to reserve more than a store has.

import type { Db, Tx } from '@/lib/platform/database/db';
import type { Environment } from '@/lib/platform/ids';
import { lockSpendable } from './frozen';
import { postEntry, releaseIntent } from './post-entry';
import {
  conversionPostings,
  fundingPostings,
  incomeAccounts,
  isSameAsset,
  OPERATOR,
  paidPostings,
  refundAccount,
  reservationPostings,
  type AssetAmount,
} from './postings';

/** The refund that an entry is about. `paid`: the token, network and base units that the customer receives. */
export type PostedRefund = {
  readonly intentId: string;
  readonly storeId: string;
  readonly environment: Environment;
  readonly sessionId: string;
  readonly paid: AssetAmount;
  /** Of a refund that the signer's journal knows (frozen.ts). */
  readonly isSigned?: boolean;
};

/**
 * A session's amounts that no refund has taken yet, by asset. The caller holds the lock of the session's row, which
 * serializes the refunds of a session.
 */
export async function readSessionFunds(
  tx: Tx,
  { sessionId, storeId }: { readonly sessionId: string; readonly storeId: string },
): Promise<readonly AssetAmount[]> {
  const { rows } = await tx.query<{ network: string; currency: string; amount: string }>({
    name: 'session-funds',
    text: `SELECT p.network, p.currency, -sum(p.amount) AS amount
           FROM ledger_entries e JOIN ledger_postings p ON p.entry_id = e.id
           WHERE e.session_id = $1 AND p.account = ANY($2) GROUP BY 1, 2 HAVING sum(p.amount) < 0 ORDER BY 1, 2`,
    values: [sessionId, incomeAccounts(storeId)],
  });
  return rows.map((row) => ({ ...row, amount: BigInt(row.amount) }));
}

/** Reserves a refund's amounts. Returns false, and writes nothing, if the store has less than that of one asset. */
export const reserveRefund = async (
  tx: Tx,
  refund: Omit<PostedRefund, 'paid'>,
  takes: readonly AssetAmount[],
): Promise<boolean> => (await reserveOrShortfall(tx, refund, takes)).length === 0;

/** The same; returns the store's shortfall by asset. Nothing is written unless it is empty. */
export async function reserveOrShortfall(
  tx: Tx,
  refund: Omit<PostedRefund, 'paid'>,
  takes: readonly AssetAmount[],
): Promise<readonly AssetAmount[]> {
  const balances = await lockSpendable(tx, refund);
  // The session's frozen money is taken first. A refund that is not paid gives it back to the quarantine.
  const from = takes.map((take) => {
    const frozen = balances.find((held) => isSameAsset(held, take))?.quarantined ?? 0n;
    return { ...take, quarantined: frozen < take.amount ? frozen : take.amount };
  });
  const lacking = from.flatMap(({ quarantined, ...take }) => {
    const rest = take.amount - quarantined;
    const missing = rest - (balances.find((held) => isSameAsset(held, take))?.amount ?? 0n);
    return rest > 0n && missing > 0n ? [{ ...take, amount: missing }] : [];
  });
  if (lacking.length === 0) await postEntry(tx, 'refund_reserved', refund, reservationPostings(refund.storeId, from));
  return lacking;
}

/** The amounts reserved for a refund, by asset, and whether amounts in other assets were converted already. */
export type Reservation = { readonly amounts: readonly AssetAmount[]; readonly isConverted: boolean };

/** Empty for the refund of a payment exception: the decision has already moved its money. */
export async function readReservation(
  db: Db,
  { intentId, storeId }: Pick<PostedRefund, 'intentId' | 'storeId'>,
): Promise<Reservation> {
  const { rows } = await db.query<{ network: string; currency: string; amount: string; is_converted: boolean }>({
    name: 'refund-reservation',
    text: `SELECT p.network, p.currency, -p.amount AS amount,
             EXISTS (SELECT FROM ledger_entries c WHERE c.intent_id = $1 AND c.kind = 'refund_converted') AS is_converted
           FROM ledger_entries e JOIN ledger_postings p ON p.entry_id = e.id AND p.account = $2
           WHERE e.intent_id = $1 AND e.kind = 'refund_reserved' ORDER BY p.id`,
    values: [intentId, refundAccount(storeId)],
  });
  return {
    amounts: rows.map(({ network, currency, amount }) => ({ network, currency, amount: BigInt(amount) })),
    isConverted: rows[0]?.is_converted ?? false,
  };
}

/** The operator's balance of an asset, from which conversions are paid. */
export async function readFloat(
  db: Db,
  { environment, paid }: Pick<PostedRefund, 'environment' | 'paid'>,
): Promise<bigint> {
  const { rows } = await db.query<{ amount: string }>({
    name: 'operator-balance',
    text: `SELECT -amount AS amount FROM ledger_balances
           WHERE environment = $1::"Environment" AND account = $2 AND network = $3 AND currency = $4`,
    values: [environment, OPERATOR, paid.network, paid.currency],
  });
  return BigInt(rows[0]?.amount ?? 0);
}

/**
 * Converts amounts reserved in other assets. Returns the operator's remaining balance of the paid asset; negative means
 * too little.
 */
export async function postConversion(tx: Tx, refund: PostedRefund, reserved: readonly AssetAmount[]): Promise<bigint> {
  await postEntry(tx, 'refund_converted', refund, conversionPostings(refund.storeId, { paid: refund.paid, reserved }));
  return readFloat(tx, refund);
}

/**
 * Releases the reserved amounts to their source and undoes a conversion. A no-op if nothing was reserved or it was
 * released before.
 */
export const releaseRefund = (tx: Tx, { intentId }: { readonly intentId: string }): Promise<void> =>
  releaseIntent(tx, intentId, ['refund_reserved', 'refund_converted'], 'refund_released');

/** Books that the customer received the refund. */
export const postPaidRefund = (tx: Tx, refund: PostedRefund): Promise<void> =>
  postEntry(tx, 'refund_paid', refund, paidPostings(refund));

/** The operator put tokens into the refund wallet, or took them out (a negative amount). */
export const postFunding = (tx: Tx, environment: Environment, funded: AssetAmount): Promise<void> =>
  postEntry(tx, 'funding', { environment, storeId: null, sessionId: null, intentId: null }, fundingPostings(funded));
