// Which moves of statuses happened while which faults lasted: what a run has tried, and what it has not.

import { EXCEPTION_MOVES } from '@/lib/payments/exceptions/states';
import { SESSION_MOVES } from '@/lib/payments/sessions/states';
import { REFUND_MOVES } from '@/lib/refunds/states';
import { activeFaults, FAULTS } from './faults/table';
import type { Snapshot } from './snapshot';
import type { World } from './world';

type Move = { readonly from: string; readonly to: string };
/** A kind of thing with statuses: all its moves, and its first status. */
type Machine = { readonly what: string; readonly moves: readonly Move[]; readonly first: string };
/** By fault, the moves that happened while it lasted, each as a text. */
export type Coverage = Map<string, Set<string>>;

const textOf = (what: string, { from, to }: Move): string => `${what} ${from} → ${to}`;

function machine(
  what: string,
  first: string,
  table: Readonly<Record<string, { readonly from: readonly string[]; readonly to: string }>>,
): Machine {
  const moves = Object.values(table).flatMap(({ from, to }) => from.map((one) => ({ from: one, to })));
  return { what, first, moves: moves.filter(({ from, to }) => from !== to) };
}

const SESSION = machine('session', 'pending', SESSION_MOVES);
const REFUND = machine('refund', 'pending', REFUND_MOVES);
const PAYOUT = machine('payout', 'pending', REFUND_MOVES);
const COLD = machine('cold transfer', 'pending', REFUND_MOVES);
const RETURN = machine('return', 'requested', {
  supersede: { from: ['requested'], to: 'superseded' },
  sign: { from: ['requested'], to: 'signed' },
  land: { from: ['signed'], to: 'landed' },
  revert: { from: ['signed'], to: 'reverted' },
  lapse: { from: ['signed'], to: 'lapsed' },
  giveUp: { from: ['signed'], to: 'given_up' },
});
const EXCEPTION = machine('exception', 'open', EXCEPTION_MOVES);
const EVERY_MOVE = new Set(
  [SESSION, REFUND, PAYOUT, COLD, RETURN, EXCEPTION].flatMap(({ what, moves }) =>
    moves.map((move) => textOf(what, move)),
  ),
);
const EVERY_FAULT = new Set(FAULTS.map(({ name }) => name));

/** The fewest moves that lead from one status to another one. */
function path({ moves }: Machine, from: string, to: string): readonly Move[] {
  const ways = new Map<string, readonly Move[]>([[from, []]]);
  // Every status that is reached is visited in turn, the nearest ones first.
  for (const [status, way] of ways)
    for (const move of moves) if (move.from === status && !ways.has(move.to)) ways.set(move.to, [...way, move]);
  return ways.get(to) ?? [];
}

/** What happened to each thing from one snapshot to the next, also to those that are new. */
function movesBetween<Row extends { readonly id: string }>(
  of: Machine,
  { before, after }: { readonly before: readonly Row[]; readonly after: readonly Row[] },
  statusOf: (row: Row) => string,
): string[] {
  const was = new Map(before.map((row) => [row.id, statusOf(row)]));
  return after.flatMap((row) =>
    path(of, was.get(row.id) ?? of.first, statusOf(row)).map((move) => textOf(of.what, move)),
  );
}

/** What lasts now, and the fault that an action was. */
export const faultsNow = (world: World, action: string): readonly string[] => [
  ...activeFaults(world),
  ...(EVERY_FAULT.has(action) ? [action] : []),
];

/** Adds the moves from one snapshot to the next. */
export function addMoves(coverage: Coverage, faults: Iterable<string>, before: Snapshot, after: Snapshot): void {
  const moves = [
    ...movesBetween(SESSION, { before: before.sessions, after: after.sessions }, ({ status }) => status),
    ...movesBetween(REFUND, { before: before.refunds, after: after.refunds }, ({ status }) => status),
    ...movesBetween(PAYOUT, { before: before.payouts, after: after.payouts }, ({ status }) => status),
    ...movesBetween(COLD, { before: before.cold_transfers, after: after.cold_transfers }, ({ status }) => status),
    ...movesBetween(
      RETURN,
      { before: before.cold_returns, after: after.cold_returns },
      ({ outcome, is_signed: isSigned }) => outcome ?? (isSigned ? 'signed' : 'requested'),
    ),
    ...movesBetween(EXCEPTION, { before: before.exceptions, after: after.exceptions }, ({ state }) => state),
  ];
  for (const fault of new Set(faults)) for (const move of moves) add(coverage, fault, move);
}

const add = (coverage: Coverage, fault: string, move: string): void =>
  void coverage.set(fault, (coverage.get(fault) ?? new Set()).add(move));

export function mergeCoverage(into: Coverage, from: Coverage): void {
  for (const [fault, moves] of from) for (const move of moves) add(into, fault, move);
}

/** The pairs that happened, the moves that no fault met, and the faults under which nothing moved. */
export function coverageLines(coverage: Coverage): string[] {
  const seen = [...coverage].filter(([fault]) => EVERY_FAULT.has(fault));
  const pairs = seen.reduce((sum, [, moves]) => sum + moves.size, 0);
  const met = new Set(seen.flatMap(([, moves]) => [...moves]));
  const listed = (names: readonly string[]): string => (names.length > 0 ? names.join(', ') : 'none');
  return [
    `moves × faults: ${pairs} of ${EVERY_MOVE.size} × ${EVERY_FAULT.size} happened`,
    `moves that no fault met: ${listed([...EVERY_MOVE].filter((move) => !met.has(move)))}`,
    `faults under which nothing moved: ${listed([...EVERY_FAULT].filter((fault) => !coverage.has(fault)))}`,
  ];
}
