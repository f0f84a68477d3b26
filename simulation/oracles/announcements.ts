// What a store was told: the events that its receivers got with a signature of the service.

import { verifies, type Received } from '@/testing/receivers/receiver';

export type AuditedStore = {
  readonly name: string;
  /** Those that it had at any time. */
  readonly secrets: readonly string[];
  readonly receiver: { readonly received: readonly Received[]; readonly hasFailed: boolean };
};
export type Announcement = { readonly store: AuditedStore; readonly type: string; readonly object: EventObject };
export type EventObject = {
  readonly session_id: string;
  readonly amount?: number;
  readonly amount_received?: number;
  readonly currency?: string;
  readonly network?: string;
  readonly transaction_hash?: string;
  readonly refund_id?: string;
  readonly refund_amount?: number;
  readonly refund_currency?: string;
};

const isSigned = (call: Received, secrets: readonly string[]): boolean =>
  secrets.some((secret) => verifies(call, secret));

/**
 * What an event is about. A restored database announces again what it has forgotten, with another id, and calls a refund
 * "recovered_…" until its merchant repeats the request: only the transaction is the same.
 */
const subjectOf = (
  type: string,
  { session_id: session, refund_id: refund = '', transaction_hash: paid }: EventObject,
) => `${type} ${session} ${type === 'refund.succeeded' ? paid : refund}`;

/** Each event once, if its signature is the service's. */
export function announcementsOf(store: AuditedStore, { isRestored }: { readonly isRestored: boolean }): Announcement[] {
  const events = new Map<string, Announcement>();
  for (const call of store.receiver.received.filter((one) => isSigned(one, store.secrets))) {
    const { id, type, data } = JSON.parse(call.body.toString()) as {
      readonly id: string;
      readonly type: string;
      readonly data: { readonly object: EventObject };
    };
    events.set(isRestored ? subjectOf(type, data.object) : id, { store, type, object: data.object });
  }
  return [...events.values()];
}
