// Writes the ledger entry of a transfer out of a deposit address, once.

import type { Tx } from '@/lib/platform/database/db';
import type { Environment } from '@/lib/platform/ids';
import { outflowPostings, type OutflowKind } from './postings';

/** An outgoing transfer that the ledger does not have yet. `amount`: base units. */
export type Outflow = {
  readonly id: string;
  readonly environment: Environment;
  readonly network: string;
  readonly currency: string;
  readonly amount: bigint;
};

/** Books outgoing transfers. One that was booked before is skipped. */
export async function bookOutflows(
  tx: Tx,
  kind: OutflowKind,
  { outflows, now }: { readonly outflows: readonly Outflow[]; readonly now: Date },
): Promise<void> {
  const lines = outflows.flatMap(({ id, environment, network, currency, amount }) =>
    outflowPostings(kind, amount).map((one) => ({
      ...{ id, environment, network, currency, account: one.account },
      amount: one.amount.toString(),
    })),
  );
  await tx.query({
    name: 'book-outflows',
    text: `WITH line AS (SELECT * FROM json_to_recordset($1) AS line(id bigint, environment "Environment", network text, currency text,
               account text, amount numeric)),
             booked AS (UPDATE outgoing_transfers SET booked_at = $3, is_refill = $2 = 'refill'
               WHERE id IN (SELECT id FROM line) AND booked_at IS NULL RETURNING id),
             entry AS (INSERT INTO ledger_entries (kind, environment, outgoing_transfer_id)
               SELECT DISTINCT $2, line.environment, booked.id FROM booked JOIN line USING (id) RETURNING id, outgoing_transfer_id)
           INSERT INTO ledger_postings (entry_id, account, network, currency, amount)
           SELECT entry.id, line.account, line.network, line.currency, line.amount
           FROM line JOIN entry ON entry.outgoing_transfer_id = line.id`,
    values: [JSON.stringify(lines), kind, now],
  });
}
