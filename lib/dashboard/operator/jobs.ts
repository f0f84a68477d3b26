// Failed work: steps of the worker, deliveries of webhooks, mails. Safe retries can be started here; steps retry by themselves.

import { recordAudit } from '@/lib/merchants/audit/record';
import type { Context } from '@/lib/platform/context';
import { transaction } from '@/lib/platform/database/db';
import { prismaOn } from '@/lib/platform/database/prisma';
import { ServiceError } from '@/lib/platform/errors/errors';
import type { Environment } from '@/lib/platform/ids';
import { resendEvent } from '@/lib/webhooks/console/resend';

export type FailingStep = {
  readonly step: string;
  readonly message: string;
  readonly failures: number;
  readonly since: Date;
  readonly lastAt: Date;
  /** When it worked again; null while it fails. */
  readonly endedAt: Date | null;
};

export type FailedDelivery = {
  readonly id: string;
  readonly storeId: string;
  readonly storeName: string;
  readonly environment: Environment;
  readonly eventId: string;
  readonly type: string;
  readonly attempts: number;
  readonly finishedAt: Date | null;
  /** The result of the last attempt. */
  readonly statusCode: number | null;
  readonly error: string | null;
};

/** Never includes a mail's text, which may hold a link that opens an account. */
export type FailedMail = {
  readonly id: string;
  readonly recipient: string;
  readonly subject: string;
  readonly attempts: number;
  readonly failedAt: Date;
  readonly trouble: string | null;
};

export type Page = { readonly before: string | null; readonly limit: number };
type Deps = Pick<Context, 'pool'>;

/** Failing steps first. Bounded by the number of the worker's steps. */
export async function listSteps({ pool }: Deps): Promise<readonly FailingStep[]> {
  const { rows } = await pool.query<FailingStep>({
    name: 'operator-steps',
    text: `SELECT step, message, failures, since, last_at AS "lastAt", ended_at AS "endedAt" FROM step_failures
           ORDER BY ended_at IS NOT NULL, last_at DESC LIMIT 200`,
    values: [],
  });
  return rows;
}

export async function listFailedDeliveries({ pool }: Deps, { before, limit }: Page): Promise<Paged<FailedDelivery>> {
  const { rows } = await pool.query<FailedDelivery>({
    name: 'operator-deliveries',
    text: `WITH page AS (SELECT * FROM deliveries WHERE status = 'failed' AND ($1::bigint IS NULL OR id < $1)
                         ORDER BY id DESC LIMIT $2)
           SELECT d.id, d.store_id AS "storeId", s.name AS "storeName", d.environment, d.event_id AS "eventId", e.type, d.attempts,
             d.finished_at AS "finishedAt", a.status_code AS "statusCode", a.error
           FROM page d JOIN stores s ON s.id = d.store_id JOIN events e ON e.id = d.event_id
           LEFT JOIN delivery_attempts a ON a.delivery_id = d.id AND a.number = d.attempts ORDER BY d.id DESC`,
    values: [before, limit + 1],
  });
  return paged(rows, limit);
}

export async function listFailedMails({ pool }: Deps, { before, limit }: Page): Promise<Paged<FailedMail>> {
  const { rows } = await pool.query<FailedMail>({
    name: 'operator-mails',
    text: `SELECT id, recipient, subject, attempts, failed_at AS "failedAt", trouble FROM mails
           WHERE failed_at IS NOT NULL AND ($1::bigint IS NULL OR id < $1) ORDER BY id DESC LIMIT $2`,
    values: [before, limit + 1],
  });
  return paged(rows, limit);
}

export type Paged<Row> = { readonly rows: readonly Row[]; readonly next: string | null };

export const paged = <Row extends { readonly id: string }>(rows: readonly Row[], limit: number): Paged<Row> => {
  const shown = rows.slice(0, limit);
  return { rows: shown, next: rows.length > limit ? (shown.at(-1)?.id ?? null) : null };
};

export type Retry = { readonly id: string; readonly by: string; readonly address: string };

/** Resends the event of a failed delivery. Throws NOTHING_TO_RETRY, or RATE_LIMITED for one that was resent too often. */
export async function retryDelivery(
  { pool, clock }: Pick<Context, 'pool' | 'clock'>,
  { id, by, address }: Retry,
): Promise<void> {
  const prisma = await prismaOn(pool);
  const failed = await prisma.delivery.findUnique({
    where: { id: BigInt(numberIn(id)), status: 'failed' },
    select: { storeId: true, eventId: true },
  });
  const made = failed && (await resendEvent({ pool }, failed));
  if (!made) throw new ServiceError('NOTHING_TO_RETRY');
  const entry = { actor: by, storeId: failed.storeId, action: 'delivery.retry', target: failed.eventId };
  const details = { delivery: made.deliveryId };
  await transaction(pool, (tx) => recordAudit(tx, { ...entry, details, address, now: clock.now() }));
}

/** Retries a mail that had failed for good. Throws NOTHING_TO_RETRY. */
export async function retryMail(
  { pool, clock }: Pick<Context, 'pool' | 'clock'>,
  { id, by, address }: Retry,
): Promise<void> {
  const now = clock.now();
  await transaction(pool, async (tx) => {
    const prisma = await prismaOn(tx);
    const { count } = await prisma.mail.updateMany({
      where: { id: BigInt(numberIn(id)), failedAt: { not: null }, sentAt: null, body: { not: '' } },
      data: { failedAt: null, attempts: 0, epoch: { increment: 1 }, nextAt: now },
    });
    if (count !== 1) throw new ServiceError('NOTHING_TO_RETRY');
    await recordAudit(tx, { actor: by, storeId: null, action: 'mail.retry', target: `mail/${id}`, address, now });
  });
}

/** Text that is not a row number becomes 0, which matches no row. */
export const numberIn = (text: string): string => (/^[1-9][0-9]{0,17}$/.test(text) ? text : '0');
