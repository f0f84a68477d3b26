// The rows in quarantine: rows on which a worker step fails, each with its error and next retry.

import { recordAudit } from '@/lib/merchants/audit/record';
import type { Context } from '@/lib/platform/context';
import { transaction } from '@/lib/platform/database/db';
import { ServiceError } from '@/lib/platform/errors/errors';
import type { Environment } from '@/lib/platform/ids';
import type { QuarantineKind } from '@/lib/platform/database/quarantine';
import { CONTRADICTION, STORED, type Contradiction } from './contradiction';
import { numberIn, paged, type Page, type Paged, type Retry } from './jobs';

export type QuarantinedItem = {
  readonly id: string;
  readonly kind: QuarantineKind;
  readonly subjectId: string;
  readonly storeId: string | null;
  readonly storeName: string | null;
  readonly environment: Environment | null;
  readonly network: string | null;
  readonly step: string;
  readonly error: string;
  readonly attempts: number;
  readonly firstAt: Date;
  readonly nextRunAt: Date;
  /** Set for a transfer that is stored with other facts. */
  readonly contradiction: Contradiction | null;
};

/** The newest first. */
export async function listQuarantine(
  { pool }: Pick<Context, 'pool'>,
  { before, limit }: Page,
): Promise<Paged<QuarantinedItem>> {
  const { rows } = await pool.query<QuarantinedItem>({
    name: 'operator-quarantine',
    text: `SELECT q.id, q.kind, q.subject_id AS "subjectId", q.store_id AS "storeId", s.name AS "storeName", q.environment,
             q.network, q.step, q.error, q.attempts, q.first_at AS "firstAt", q.next_run_at AS "nextRunAt",
             ${CONTRADICTION} AS contradiction
           FROM quarantine q LEFT JOIN stores s ON s.id = q.store_id LEFT JOIN transfers t ON ${STORED}
           WHERE q.resolved_at IS NULL AND ($1::bigint IS NULL OR q.id < $1) ORDER BY q.id DESC LIMIT $2`,
    values: [before, limit + 1],
  });
  return paged(rows, limit);
}

/** Makes an item due at once. Throws NOTHING_TO_RETRY. */
export async function retryQuarantined(
  { pool, clock }: Pick<Context, 'pool' | 'clock'>,
  { id, by, address }: Retry,
): Promise<void> {
  const now = clock.now();
  await transaction(pool, async (tx) => {
    const { rows } = await tx.query<{ kind: string; subject_id: string; store_id: string | null }>({
      name: 'retry-quarantined',
      text: `UPDATE quarantine SET next_run_at = $2 WHERE id = $1 AND resolved_at IS NULL RETURNING kind, subject_id, store_id`,
      values: [numberIn(id), now],
    });
    const [item] = rows;
    if (!item) throw new ServiceError('NOTHING_TO_RETRY');
    const target = `${item.kind}/${item.subject_id}`;
    await recordAudit(tx, { actor: by, storeId: item.store_id, action: 'quarantine.retry', target, address, now });
  });
}
