// All state machines of the product, for the tests that compare them with the triggers, the documents and the code that changes them.

import type { Tx } from '@/lib/platform/database/db';
import { moveSql, type Machine } from '@/lib/platform/database/moves';
import { BALANCE_CHECK_MOVES, BALANCE_CHECKS } from '@/lib/ledger/reconciliation/balances/states';
import { moveStore, STORE_MOVES, type StoreMove } from '@/lib/merchants/stores/states';
import { EXCEPTION_ACTIONS, EXCEPTION_MOVES, EXCEPTIONS, moveException } from '@/lib/payments/exceptions/states';
import { moveStatus, SESSION_MOVES, type SessionMove } from '@/lib/payments/sessions/states';
import {
  ATTEMPT_MOVES,
  moveAttempts,
  movePayment,
  moveRefund,
  REFUND_MOVES,
  type AttemptMove,
  type RefundMove,
} from '@/lib/refunds/states';
import { DELIVERIES, DELIVERY_MOVES } from '@/lib/webhooks/delivery/states';
import {
  AttemptStatus,
  BalanceCheckState,
  ExceptionState,
  DeliveryStatus,
  RefundStatus,
  SessionStatus,
  StoreStatus,
} from '@/prisma/generated/enums';
import type { MovingTable } from './database/forced-status';

export type StateMachine = {
  /** Its heading in docs/architecture.md. */
  readonly title: string;
  readonly table: MovingTable;
  readonly key: 'id' | 'session_id';
  readonly column: 'status' | 'state';
  /** In the order of the enum: the first is the column's default. */
  readonly statuses: readonly string[];
  readonly moves: Machine<string>['moves'];
  /** Makes a move with the row and returns whether it happened. */
  readonly make: (tx: Tx, row: string, move: string) => Promise<boolean>;
};

const at = new Date('2026-01-01T00:00:00Z');
const byStatus = { key: 'id', column: 'status' } as const;

export const STATE_MACHINES: readonly StateMachine[] = [
  {
    ...{ title: 'Session', table: 'sessions', ...byStatus, statuses: Object.values(SessionStatus) },
    moves: SESSION_MOVES,
    make: (tx, row, move) => moveStatus(tx, row, move as SessionMove, { at }),
  },
  {
    ...{ title: 'Refund', table: 'refunds', ...byStatus, statuses: Object.values(RefundStatus) },
    moves: REFUND_MOVES,
    make: (tx, row, move) => moveRefund(tx, row, move as RefundMove, { at, signAfter: at }),
  },
  {
    ...{ title: 'Payout', table: 'payouts', ...byStatus, statuses: Object.values(RefundStatus) },
    moves: REFUND_MOVES,
    make: (tx, row, move) => movePayment(tx, { table: 'payouts', id: row }, move as RefundMove, { at, signAfter: at }),
  },
  {
    ...{ title: 'Cold transfer', table: 'cold_transfers', ...byStatus, statuses: Object.values(RefundStatus) },
    moves: REFUND_MOVES,
    make: (tx, row, move) =>
      movePayment(tx, { table: 'cold_transfers', id: row }, move as RefundMove, { at, signAfter: at }),
  },
  {
    ...{ title: 'Refund attempt', table: 'refund_attempts', ...byStatus, statuses: Object.values(AttemptStatus) },
    moves: ATTEMPT_MOVES,
    make: async (tx, row, move) => {
      const update = { name: `test-${move}`, set: 'outcome = $2', where: 'id = $1', values: [row, move] };
      return (await moveAttempts(tx, { ...update, move: move as AttemptMove })).length === 1;
    },
  },
  {
    ...{ title: 'Payment exception', table: 'payment_exceptions', key: 'id', column: 'state' },
    statuses: Object.values(ExceptionState),
    moves: EXCEPTION_MOVES,
    make: (tx, row, move) => {
      const action = EXCEPTION_ACTIONS.find((one) => one === move);
      // Settling makes the two other moves within its statement about all counted payments.
      if (action === undefined) return made(tx, 'payment_exceptions c', 'c.id', row, EXCEPTIONS, move);
      return moveException(tx, { caseId: row, action, by: 'rule:test', at });
    },
  },
  {
    ...{ title: 'Store', table: 'stores', ...byStatus, statuses: Object.values(StoreStatus) },
    moves: STORE_MOVES,
    make: (tx, row, move) =>
      moveStore(tx, { storeId: row, move: move as StoreMove, reason: null, version: null, now: at }),
  },
  {
    ...{ title: 'Webhook delivery', table: 'deliveries', ...byStatus, statuses: Object.values(DeliveryStatus) },
    moves: DELIVERY_MOVES,
    make: (tx, row, move) => made(tx, 'deliveries d', 'd.id', row, DELIVERIES, move),
  },
  {
    ...{ title: 'Balance check', table: 'balance_checks', key: 'session_id', column: 'state' },
    statuses: Object.values(BalanceCheckState),
    moves: BALANCE_CHECK_MOVES,
    make: (tx, row, move) => made(tx, 'balance_checks b', 'b.session_id', row, BALANCE_CHECKS, move),
  },
];

/** Every change of status that a move of the machine makes, as `from to`, with the names of the moves. */
export function changesOf({ moves }: Pick<StateMachine, 'moves'>): ReadonlyMap<string, readonly string[]> {
  const changes = new Map<string, string[]>();
  for (const [name, { from, to }] of Object.entries(moves)) {
    for (const one of from) changes.set(`${one} ${to}`, [...(changes.get(`${one} ${to}`) ?? []), name]);
  }
  return changes;
}

/** The SQL that larger statements of the product contain. */
async function made(
  tx: Tx,
  table: string,
  key: string,
  row: string,
  machine: Machine<string>,
  move: string,
): Promise<boolean> {
  const { to, isFrom } = moveSql(machine, move);
  const column = machine.column.split('.').at(-1);
  const { rowCount } = await tx.query(`UPDATE ${table} SET ${column} = ${to} WHERE ${key} = $1 AND ${isFrom}`, [row]);
  return rowCount === 1;
}
