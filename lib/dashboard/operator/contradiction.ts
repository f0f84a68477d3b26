// Decides about a stored transfer that endpoints now report with other facts. The operator has compared both with block
// explorers. The stored row and the ledger do not change. The decision closes the item, so the session can end by the stored
// facts, and the same report does not reopen it (lib/payments/watcher/transfers/store).

import { recordAudit } from '@/lib/merchants/audit/record';
import type { Context } from '@/lib/platform/context';
import { transaction } from '@/lib/platform/database/db';
import { ServiceError } from '@/lib/platform/errors/errors';
import { numberIn, type Retry } from './jobs';

/** `corrected_by_hand`: the report is right, and the operator has corrected the money outside of the service. */
export const OUTCOMES = ['stored_is_right', 'corrected_by_hand'] as const;

export type ContradictionDecision = Retry & {
  readonly outcome: (typeof OUTCOMES)[number];
  readonly note: string;
};

/** `amount` in base units. */
type Facts = {
  readonly amount: string;
  readonly currency: string;
  readonly decimals: number;
  readonly payer: string;
  readonly recipient: string;
};
/** Quarantine holds the facts that endpoints report now. */
export type Contradiction = { readonly stored: Facts; readonly reported: Facts };

/** SQL: the stored transfer `t` of a quarantined one `q`. */
export const STORED = `q.kind = 'transfer' AND t.chain_id = (q.facts->>'chainId')::int
  AND t.transaction_hash = q.facts->>'transactionHash' AND t.ordinal = (q.facts->>'ordinal')::int`;

/** SQL: a `Contradiction` of `q` and `t`, or null when no transfer is stored. */
export const CONTRADICTION = `CASE WHEN t.id IS NOT NULL THEN json_build_object(
  'stored', json_build_object('amount', t.amount::text, 'currency', t.currency, 'decimals', t.decimals, 'payer', t.payer,
    'recipient', t.recipient),
  'reported', json_build_object('amount', q.facts->>'amount', 'currency', q.facts->>'currency',
    'decimals', q.facts->'decimals', 'payer', q.facts->>'payer', 'recipient', q.facts->>'recipient')) END`;

/** Throws NOTHING_TO_RETRY unless the item is open and its transfer is stored. */
export async function decideContradiction(
  { pool, clock }: Pick<Context, 'pool' | 'clock'>,
  { id, outcome, note, by, address }: ContradictionDecision,
): Promise<void> {
  const now = clock.now();
  await transaction(pool, async (tx) => {
    const { rows } = await tx.query<{ subject_id: string; store_id: string | null; details: Contradiction }>({
      name: 'decide-contradiction',
      text: `UPDATE quarantine q SET resolved_at = $2, decision = $3 FROM transfers t
             WHERE q.id = $1 AND q.resolved_at IS NULL AND ${STORED}
             RETURNING q.subject_id, q.store_id, ${CONTRADICTION} AS details`,
      values: [numberIn(id), now, outcome],
    });
    const [item] = rows;
    if (!item) throw new ServiceError('NOTHING_TO_RETRY');
    const of = { actor: by, address, storeId: item.store_id, target: `transfer/${item.subject_id}` };
    await recordAudit(tx, { ...of, action: 'quarantine.decide', details: { outcome, note, ...item.details }, now });
  });
}
