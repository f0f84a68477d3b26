// What signed transactions of the refund wallet are for, by the rows of a snapshot.

import type { Snapshot } from './snapshot';

/** `transfer`: the payment that goes back by its own refund, as "network hash ordinal"; null for a refund of the price. */
export type SentRefund = {
  readonly hash: string;
  readonly refund: string;
  readonly session: string;
  readonly transfer: string | null;
};

export const placeOf = (one: { readonly network: string; readonly hash: string; readonly ordinal: number }): string =>
  `${one.network} ${one.hash} ${one.ordinal}`;

/** Every signed transaction whose refund the snapshot has. */
export function sentRefundsOf({ attempts, refunds, exceptions, transfers }: Snapshot): SentRefund[] {
  const refundsById = new Map(refunds.map((one) => [one.id, one]));
  const transferOf = (caseId: string | null): string | null => {
    const exception = exceptions.find(({ id }) => id === caseId);
    const transfer = transfers.find(({ id }) => id === exception?.transfer_id);
    return transfer ? placeOf(transfer) : null;
  };
  return attempts.flatMap(({ hash, refund_id: id }) => {
    const refund = refundsById.get(id);
    return refund ? [{ hash, refund: id, session: refund.session_id, transfer: transferOf(refund.case_id) }] : [];
  });
}
