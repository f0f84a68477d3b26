// Writes ledger entries about refunds and the refund wallet: a refund's amount is set apart when it is asked for, given back
// when it fails or is canceled, and leaves us when the customer has it. Each happens at most once to a refund, in the
// transaction that made it a fact. What a store has not got cannot be set apart: the database refuses it.

import type { Tx } from '@/lib/db';
import type { Environment } from '@/lib/ids';
import {
  fundingPostings,
  paidPostings,
  reservationPostings,
  storeAccount,
  type AssetPosting,
  type RefundSource,
} from './postings';
import { drawFrom, type DecimalsOf } from './sources';

/** The refund that an entry is about. `paid`: the token, the network and the base units that the customer gets. */
export type PostedRefund = {
  readonly intentId: string;
  readonly storeId: string;
  readonly environment: Environment;
  readonly sessionId: string;
  readonly paid: RefundSource;
};

/**
 * Sets a refund's amount apart from what its store has: of the token and network that is paid out if there is enough, else of
 * its other tokens and networks at par. False, with nothing written, when the store has less than that in all.
 */
export async function reserveRefund(tx: Tx, refund: PostedRefund, decimalsOf: DecimalsOf): Promise<boolean> {
  // Locked in the order in which postings lock them, where a store's own come first (migration ledger_order): two refunds of a
  // store take turns, and neither deadlocks with any posting.
  const { rows } = await tx.query<{ network: string; currency: string; amount: string }>({
    name: 'store-balances-lock',
    text: `SELECT network, currency, -amount AS amount FROM ledger_balances
           WHERE environment = $1::"Environment" AND account = $2 ORDER BY network, currency FOR UPDATE`,
    values: [refund.environment, storeAccount(refund.storeId)],
  });
  const held = rows.map(({ amount, ...asset }) => ({ ...asset, amount: BigInt(amount) }));
  const sources = drawFrom(held, refund.paid, decimalsOf);
  if (!sources) return false;
  await post(tx, 'refund_reserved', refund, reservationPostings({ ...refund, sources }));
  return true;
}

/** Gives back what was set apart, from where it was taken. Nothing happens when nothing was, or when it was given back before. */
export async function releaseRefund(tx: Tx, { intentId }: { readonly intentId: string }): Promise<void> {
  await tx.query({
    name: 'refund-release',
    text: `WITH reserved AS (SELECT * FROM ledger_entries WHERE intent_id = $1 AND kind = 'refund_reserved'),
             entry AS (INSERT INTO ledger_entries (kind, store_id, environment, session_id, intent_id)
               SELECT 'refund_released', store_id, environment, session_id, intent_id FROM reserved
               ON CONFLICT (intent_id, kind) DO NOTHING RETURNING id)
           INSERT INTO ledger_postings (entry_id, account, network, currency, amount)
           SELECT entry.id, p.account, p.network, p.currency, -p.amount
           FROM entry, reserved JOIN ledger_postings p ON p.entry_id = reserved.id`,
    values: [intentId],
  });
}

/** The customer has what was owed. */
export const postPaidRefund = (tx: Tx, refund: PostedRefund): Promise<void> =>
  post(tx, 'refund_paid', refund, paidPostings(refund));

/** The operator put coins into the refund wallet, or took them out (a negative amount). */
export const postFunding = (tx: Tx, environment: Environment, funded: RefundSource): Promise<void> =>
  post(tx, 'funding', { environment, storeId: null, sessionId: null, intentId: null }, fundingPostings(funded));

type About = {
  readonly environment: Environment;
  readonly storeId: string | null;
  readonly sessionId: string | null;
  readonly intentId: string | null;
};

/** A second entry of one kind about a refund is a fault, and rolls everything back. */
async function post(tx: Tx, kind: string, about: About, postings: readonly AssetPosting[]): Promise<void> {
  await tx.query({
    name: 'refund-post',
    text: `WITH entry AS (INSERT INTO ledger_entries (kind, store_id, environment, session_id, intent_id)
             VALUES ($1, $2, $3::"Environment", $4, $5) RETURNING id)
           INSERT INTO ledger_postings (entry_id, account, network, currency, amount)
           SELECT entry.id, line.account, line.network, line.currency, line.amount FROM entry,
             unnest($6::text[], $7::text[], $8::text[], $9::numeric[]) AS line (account, network, currency, amount)`,
    values: [
      kind,
      about.storeId,
      about.environment,
      about.sessionId,
      about.intentId,
      postings.map(({ account }) => account),
      postings.map(({ network }) => network),
      postings.map(({ currency }) => currency),
      postings.map(({ amount }) => amount.toString()),
    ],
  });
}
