// The trace of a history in plain words. Things have the names of their order of appearance, such as "session 1", because
// real ids mean nothing to a reader.

import type { Snapshot } from './snapshot';

type Kind =
  | 'session'
  | 'refund'
  | 'exception'
  | 'event'
  | 'payment'
  | 'sweep'
  | 'payout'
  | 'payout address'
  | 'cold transfer'
  | 'return'
  | 'screening';

export type Story = {
  /** The name of a thing: the first id of its kind is number 1. */
  readonly name: (kind: Kind, id: string) => string;
  /** Traces what happened in a step, and what changed in the database meanwhile. */
  readonly addStep: (line: {
    readonly step: number;
    readonly seconds: number;
    readonly says: string;
    readonly changes: readonly string[];
  }) => void;
  readonly lines: readonly string[];
  /** The differences between two snapshots, in words. */
  readonly changes: (before: Snapshot, after: Snapshot) => string[];
};

export function openStory(): Story {
  const names = new Map<string, string>();
  const counts = new Map<Kind, number>();
  const lines: string[] = [];
  const name = (kind: Kind, id: string): string => {
    const known = names.get(`${kind} ${id}`);
    if (known !== undefined) return known;
    const count = (counts.get(kind) ?? 0) + 1;
    counts.set(kind, count);
    names.set(`${kind} ${id}`, `${kind} ${count}`);
    return `${kind} ${count}`;
  };
  return {
    ...{ name, lines },
    addStep: ({ step, seconds, says, changes }) => {
      const at = `${String(step).padStart(3)}  ${String(Math.floor(seconds / 60)).padStart(3)}:${String(Math.floor(seconds % 60)).padStart(2, '0')}`;
      lines.push(`${at}  ${says}`, ...changes.map((one) => `             ${one}`));
    },
    changes: (before, after) => changesOf(name, before, after),
  };
}

function changesOf(name: Story['name'], before: Snapshot, after: Snapshot): string[] {
  const changes: string[] = [];
  each(before.sessions, after.sessions, (was, is) => {
    const own = name('session', is.id);
    if (!was) changes.push(`${own} over ${cents(is.amount_due)} is created on ${is.networks.join(' and ')}`);
    if (was && was.status !== is.status) changes.push(`${own}: ${was.status} → ${is.status}`);
    if (was && was.amount_received !== is.amount_received)
      changes.push(`${own} has received ${cents(is.amount_received)} of ${cents(is.amount_due)}`);
    if (is.exception !== (was?.exception ?? 'none')) changes.push(`${own} has the exception ${is.exception}`);
  });
  each(before.transfers, after.transfers, (was, is) => {
    if (!was) changes.push(`${name('payment', is.hash)} is stored for ${name('session', is.session_id)}`);
  });
  each(before.exceptions, after.exceptions, (was, is) => {
    const own = name('exception', is.id);
    if (!was) changes.push(`${own} (${is.kind}) of ${name('session', is.session_id)} is ${is.state}`);
    else if (was.state !== is.state) changes.push(`${own}: ${was.state} → ${is.state}`);
  });
  each(before.refunds, after.refunds, (was, is) => {
    const own = name('refund', is.id);
    if (!was)
      changes.push(`${own} over ${cents(is.amount)} ${is.currency} of ${name('session', is.session_id)} is created`);
    else if (was.status !== is.status) changes.push(`${own}: ${was.status} → ${is.status}`);
    if (was && is.hold !== null && is.hold !== was.hold) changes.push(`${own} is on hold: ${is.hold}`);
  });
  each(before.payouts, after.payouts, (was, is) => {
    const own = name('payout', is.id);
    if (!was) changes.push(`${own} over ${cents(is.amount)} ${is.currency} on ${is.network} is requested`);
    else if (was.status !== is.status) changes.push(`${own}: ${was.status} → ${is.status}`);
    if (was && is.hold !== null && is.hold !== was.hold) changes.push(`${own} is on hold: ${is.hold}`);
  });
  each(before.cold_transfers, after.cold_transfers, (was, is) => {
    const own = name('cold transfer', is.id);
    if (!was) changes.push(`${own} over ${cents(is.amount)} ${is.currency} on ${is.network} is ${is.status}`);
    else if (was.status !== is.status) changes.push(`${own}: ${was.status} → ${is.status}`);
    if (was && is.hold !== null && is.hold !== was.hold) changes.push(`${own} is on hold: ${is.hold}`);
  });
  each(before.cold_returns, after.cold_returns, (was, is) => {
    const own = name('return', is.id);
    if (!was) changes.push(`${own} over ${is.amount} base units of ${is.currency} on ${is.network} is requested`);
    if (is.is_signed && was?.is_signed !== true) changes.push(`${own} is signed`);
    if (is.outcome !== null && is.outcome !== was?.outcome) changes.push(`${own} has ended: ${is.outcome}`);
  });
  each(before.payout_addresses, after.payout_addresses, (was, is) => {
    if (was?.state !== is.state) changes.push(`${name('payout address', is.id)} on ${is.network} is ${is.state}`);
  });
  each(before.screenings, after.screenings, (was, is) => {
    const own = `${name('screening', is.id)} of a ${is.role} on ${is.network}`;
    if (was?.verdict !== is.verdict) changes.push(`${own} is ${is.verdict}`);
    if (is.is_released && was?.is_released !== true) changes.push(`${own} is released`);
  });
  each(before.sweeps, after.sweeps, (was, is) => {
    const own = name('sweep', is.id);
    if (!was) changes.push(`${own} (${is.kind} on ${is.network} for ${is.addresses.length} addresses) is ${is.status}`);
    else if (was.status !== is.status) changes.push(`${own}: ${was.status} → ${is.status}`);
    if (was && was.hashes.length !== is.hashes.length) changes.push(`${own} has ${is.hashes.length} variants`);
  });
  for (const { network, hold } of after.sweep_states) {
    const was = before.sweep_states.find((one) => one.network === network)?.hold ?? null;
    if (was !== hold) changes.push(`sweeps on ${network} are ${hold === null ? 'not on hold' : `on hold: ${hold}`}`);
  }
  each(before.events, after.events, (was, is) => {
    if (!was) changes.push(`${name('event', is.id)} ${is.type} is recorded`);
  });
  each(before.deliveries, after.deliveries, (was, is) => {
    const event = name('event', is.event_id);
    if ((was?.status ?? 'pending') !== is.status)
      changes.push(`${event} is ${is.status} after ${is.attempts} attempts`);
  });
  return changes;
}

function each<Row extends { readonly id: string }>(
  before: readonly Row[],
  after: readonly Row[],
  visit: (was: Row | undefined, is: Row) => void,
): void {
  const known = new Map(before.map((row) => [row.id, row]));
  for (const row of after) visit(known.get(row.id), row);
}

/** Cents as an amount: 1250 is 12.50. */
export function cents(amount: string | bigint): string {
  const text = String(amount).padStart(3, '0');
  return `${text.slice(0, -2)}.${text.slice(-2)}`;
}
