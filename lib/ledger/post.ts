// Writes ledger entries, each once per transfer, in the transaction that made the transfer a fact.

import type { Tx } from '@/lib/db';
import type { Environment } from '@/lib/ids';
import { transferPostings } from './postings';

export type PostedTransfer = {
  readonly transferId: string;
  readonly storeId: string;
  readonly environment: Environment;
  readonly sessionId: string;
  readonly network: string;
  readonly currency: string;
  /** Base units. */
  readonly amount: bigint;
  readonly counts: boolean;
};

/** Posts transfers that are not in the ledger yet. A transfer that is posted already is left alone. */
export async function postTransfers(tx: Tx, transfers: readonly PostedTransfer[]): Promise<void> {
  if (transfers.length === 0) return;
  const lines = transfers.flatMap((transfer) =>
    transferPostings(transfer).map(({ account, amount }) => ({ ...transfer, account, amount: amount.toString() })),
  );
  await tx.query({
    name: 'post-transfers',
    text: `WITH line AS (SELECT * FROM json_to_recordset($1) AS line("transferId" bigint, "storeId" text, environment "Environment",
               "sessionId" text, network text, currency text, account text, amount numeric)),
             entry AS (INSERT INTO ledger_entries (kind, store_id, environment, session_id, transfer_id)
               SELECT DISTINCT 'transfer', "storeId", environment, "sessionId", "transferId" FROM line
               ON CONFLICT (transfer_id) DO NOTHING RETURNING id, transfer_id)
           INSERT INTO ledger_postings (entry_id, account, network, currency, amount)
           SELECT entry.id, line.account, line.network, line.currency, line.amount
           FROM line JOIN entry ON entry.transfer_id = line."transferId"`,
    values: [JSON.stringify(lines)],
  });
}
