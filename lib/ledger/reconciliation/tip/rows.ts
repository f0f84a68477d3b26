// The statements of the step of the tip. A row is a transaction that enough endpoints report and no intent explains. It waits until the
// signer is frozen for it, also across a restart, a signer that is away, and a freeze for another reason. Any number of workers may run.

import type { FoundTransfer } from '@/lib/networks/chain';
import type { Db } from '@/lib/platform/database/db';

/** A row that has frozen nothing yet. */
export type WaitingOutflow = {
  readonly transactionHash: string;
  readonly currency: string;
  readonly payer: string;
  readonly recipient: string;
  readonly blockTime: Date;
};

/** Sweeps that ended earlier are in no block near the tip. */
const SWEPT_MILLISECONDS = 86_400_000;

/** Transactions, by their hashes. `signed`: payments of this database; a hash is stored before it is sent. `swept`: its sweeps. */
export type KnownTransactions = {
  readonly signed: ReadonlySet<string>;
  readonly swept: ReadonlySet<string>;
  /** Those that have a row here. */
  readonly stored: ReadonlySet<string>;
};

/** What this database knows of these transactions. */
export async function readKnown(
  db: Db,
  { chainId, hashes, now }: { readonly chainId: number; readonly hashes: readonly string[]; readonly now: Date },
): Promise<KnownTransactions> {
  const { rows } = await db.query<{ signed: string[]; swept: string[]; stored: string[] }>({
    name: 'tip-outflows-known',
    text: `SELECT ARRAY(SELECT hash FROM refund_attempts WHERE chain_id = $1 AND hash = ANY($2)) AS signed,
             ARRAY(SELECT unnest(hashes) FROM sweeps
               WHERE chain_id = $1 AND (ended_at IS NULL OR ended_at > $3) AND hashes && $2::text[]) AS swept,
             ARRAY(SELECT transaction_hash FROM tip_outflows WHERE chain_id = $1 AND transaction_hash = ANY($2)) AS stored`,
    values: [chainId, hashes, new Date(now.getTime() - SWEPT_MILLISECONDS)],
  });
  const [found] = rows;
  return { signed: new Set(found?.signed), swept: new Set(found?.swept), stored: new Set(found?.stored) };
}

/** False: another worker has stored the transaction. */
export async function storeOutflow(
  db: Db,
  { chainId, transfer, now }: { readonly chainId: number; readonly transfer: FoundTransfer; readonly now: Date },
): Promise<boolean> {
  const { transactionHash, currency, payer, recipient, blockTime } = transfer;
  const { rowCount } = await db.query({
    name: 'tip-outflows-store',
    text: `INSERT INTO tip_outflows (chain_id, transaction_hash, currency, payer, recipient, block_time, found_at)
           VALUES ($1, $2, $3, $4, $5, to_timestamp($6), $7) ON CONFLICT DO NOTHING`,
    values: [chainId, transactionHash, currency, payer, recipient, blockTime, now],
  });
  return rowCount === 1;
}

/** At most so many at once: the first one freezes, and the others wait for the same operator. */
const MAX_WAITING = 100;

export async function readWaiting(db: Db, chainId: number): Promise<readonly WaitingOutflow[]> {
  const { rows } = await db.query<WaitingOutflow>({
    name: 'tip-outflows-waiting',
    text: `SELECT transaction_hash AS "transactionHash", currency, payer, recipient, block_time AS "blockTime" FROM tip_outflows
           WHERE chain_id = $1 AND acted_at IS NULL ORDER BY found_at, transaction_hash LIMIT ${MAX_WAITING}`,
    values: [chainId],
  });
  return rows;
}

export async function markActed(db: Db, chainId: number, hashes: readonly string[], now: Date): Promise<void> {
  await db.query({
    name: 'tip-outflows-acted',
    text: `UPDATE tip_outflows SET acted_at = $3 WHERE chain_id = $1 AND transaction_hash = ANY($2) AND acted_at IS NULL`,
    values: [chainId, hashes, now],
  });
}
