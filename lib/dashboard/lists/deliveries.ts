// The console's list of deliveries: the filters in its address, and one page of it with the data of each row.

import { z } from 'zod';
import { unixSeconds } from '@/lib/platform/clock';
import type { Context } from '@/lib/platform/context';
import { ServiceError } from '@/lib/platform/errors/errors';
import type { DeliveryStatus } from '@/prisma/generated/enums';
import { listDeliveries, type DeliveryQuery, type ListedDelivery } from '@/lib/webhooks/console/list-deliveries';
import type { Lane } from '@/lib/webhooks/delivery/schedule';
import { readEventFilters, type Parameters } from './filters';
import { PAGE_ROWS, writeCursor, type PageRequest } from './keyset';
import type { StoreScope } from './payments';

export const DELIVERY_STATUSES = ['pending', 'delivered', 'failed'] as const satisfies readonly DeliveryStatus[];

export type DeliveryFilters = Pick<
  DeliveryQuery,
  'types' | 'status' | 'eventId' | 'sessionId' | 'refundId' | 'from' | 'to'
>;

/** A row for a client component. Times in Unix seconds. */
export type DeliveryRow = {
  readonly id: string;
  readonly eventId: string;
  readonly type: string;
  readonly isTest: boolean;
  readonly status: DeliveryStatus;
  readonly lane: Lane;
  readonly createdAt: number;
  readonly attempts: number;
  readonly statusCode: number | null;
  readonly error: string | null;
  readonly milliseconds: number | null;
};

const status = z.enum(DELIVERY_STATUSES);
/** A merchant's own refund id may be as long. */
const LONGEST_NAME = 200;

/** Throws INVALID_PARAMETER with the name of an invalid filter. A search is for an event, a session or a refund. */
export function readDeliveryFilters(given: Parameters): DeliveryFilters {
  const { q, type, from, to } = readEventFilters(given);
  return {
    ...(type !== undefined && { types: [type] }),
    ...(from && { from }),
    ...(to && { to }),
    ...(q !== undefined && namedBy(q)),
    ...readStatus(given.status),
  };
}

function namedBy(q: string): DeliveryFilters {
  if (q.startsWith('evt_')) return { eventId: q };
  if (/^cs_(live|test)_/.test(q)) return { sessionId: q };
  return { refundId: q.slice(0, LONGEST_NAME) };
}

function readStatus(given: Parameters[string]): DeliveryFilters {
  const [text, ...others] = [given ?? []].flat().filter((one) => one !== '');
  if (text === undefined) return {};
  const read = status.safeParse(text);
  if (!read.success || others.length > 0) throw new ServiceError('INVALID_PARAMETER', { param: 'status' });
  return { status: read.data };
}

/** One page, the newest first. `older`: the cursor of the next page. */
export async function readDeliveryPage(
  context: Pick<Context, 'pool'>,
  of: StoreScope,
  filters: DeliveryFilters,
  pageRequest: Pick<PageRequest, 'after'>,
): Promise<{ rows: DeliveryRow[]; older: string | null }> {
  const { deliveries, next } = await listDeliveries(context, {
    ...of,
    ...filters,
    after: deliveryPlace(pageRequest.after),
    limit: PAGE_ROWS,
  });
  return { rows: deliveries.map(rowOf), older: next && writeCursor(next) };
}

/** A cursor of another list has an id that is not a number, so it is ignored. */
const deliveryPlace = (place: PageRequest['after']): PageRequest['after'] =>
  place && /^[1-9]\d{0,17}$/.test(place.id) ? place : null;

const rowOf = ({ last, createdAt, ...delivery }: ListedDelivery): DeliveryRow => ({
  id: delivery.id,
  eventId: delivery.eventId,
  type: delivery.type,
  isTest: delivery.isTest,
  status: delivery.status,
  lane: delivery.lane,
  createdAt: unixSeconds(createdAt),
  attempts: delivery.attempts,
  statusCode: last?.statusCode ?? null,
  error: last?.error ?? null,
  milliseconds: last?.milliseconds ?? null,
});
