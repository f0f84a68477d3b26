// The payers of a session and what each of them can still get back, for a merchant who refunds each payer separately.

import type { Db } from '@/lib/platform/database/db';
import type { Environment } from '@/lib/platform/ids';
import { centsAddingUp, commonToCents } from '@/lib/money/amounts';
import { payerCount, readPayers } from './payers';
import type { PayerPart } from '@/lib/refunds/request/shares';

/** `count`: all payers of at least a cent. `parts`: the payers whose payments count, one per token and network. */
export type PayerParts = { readonly count: number; readonly parts: readonly PayerPart[] };

/** In the order in which they paid. */
export async function readPayerParts(
  db: Db,
  session: { readonly storeId: string; readonly environment: Environment; readonly sessionId: string },
): Promise<PayerParts> {
  const payers = await readPayers(db, { ...session, caseId: null }, undefined);
  const refunded = await readRefunded(db, session.sessionId);
  const paid = new Map<string, Omit<PayerPart, 'remaining'> & { readonly paid: bigint }>();
  for (const { network, currency, address, counted } of payers) {
    if (counted === 0n) continue;
    const name = nameOf(network, currency, address);
    paid.set(name, { network, currency, address, paid: (paid.get(name)?.paid ?? 0n) + counted });
  }
  // Rounding each part separately would leave cents of the whole that no payer gets back.
  const amounts = [...paid.values()].map((one) => one.paid);
  const total = commonToCents(amounts.reduce((sum, amount) => sum + amount, 0n));
  const cents = centsAddingUp(amounts, total);
  const parts = [...paid].map(([name, { paid: _, ...payer }], index) => {
    const remaining = (cents[index] ?? 0n) - (refunded.get(name) ?? 0n);
    return { ...payer, remaining: remaining > 0n ? remaining : 0n };
  });
  return { count: payerCount(payers), parts };
}

const nameOf = (network: string, currency: string, address: string): string => `${network} ${currency} ${address}`;

/** Cents of the refunds that were made for one payer each and have not failed or been canceled. */
async function readRefunded(db: Db, sessionId: string): Promise<ReadonlyMap<string, bigint>> {
  const { rows } = await db.query<{ network: string; currency: string; payer: string; cents: string }>({
    name: 'refunded-to-payers',
    text: `SELECT network, currency, payer, sum(amount) AS cents FROM refunds
           WHERE session_id = $1 AND payer IS NOT NULL AND status NOT IN ('failed', 'canceled')
           GROUP BY network, currency, payer`,
    values: [sessionId],
  });
  return new Map(rows.map((row) => [nameOf(row.network, row.currency, row.payer), BigInt(row.cents)]));
}
