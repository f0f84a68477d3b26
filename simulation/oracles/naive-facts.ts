// What the naive implementation is compared with: the facts of all sessions in the order of the transactions that recorded them,
// and what the product made of them. One statement.

import type { Pool } from '@/lib/platform/database/db';
import type { State, Status } from './naive-types';

/** `tx`: the number of the transaction. Transactions of a history run one after the other. Amounts are texts. */
type FoundRow = {
  readonly tx: number;
  readonly session_id: string;
  readonly id: string;
  readonly network: string;
  readonly currency: string;
  readonly decimals: number;
  readonly amount: string;
  readonly block_time: number;
  readonly hash: string;
  readonly ordinal: number;
};
type MoveRow = { readonly tx: number; readonly session_id: string; readonly to: Status; readonly at: number };
type DecisionRow = {
  readonly tx: number;
  readonly session_id: string;
  readonly transfer_id: string;
  readonly action: 'accept' | 'keep' | 'refund' | 'leave';
};
/** The end of a refund that sends a payment back. */
type ReturnRow = {
  readonly tx: number;
  readonly session_id: string;
  readonly transfer_id: string;
  readonly status: 'completed' | 'failed' | 'canceled';
  readonly cents: string;
};
/** A merchant's refund that has reserved money. */
type RefundRow = {
  readonly id: string;
  readonly session_id: string;
  readonly cents: string;
  readonly network: string;
  readonly currency: string;
  readonly status: string;
  readonly is_converted: boolean;
  readonly takes: readonly { readonly network: string; readonly currency: string; readonly amount: string }[];
};
/** A payout that an owner requested. */
type PayoutRow = {
  readonly store_id: string;
  readonly cents: string;
  readonly network: string;
  readonly currency: string;
  readonly status: string;
};
type SessionRow = {
  readonly id: string;
  readonly store_id: string;
  readonly status: Status;
  readonly exception: string;
  readonly received: string;
  readonly pairs: readonly string[];
  readonly created_at: number;
};
type ExceptionRow = { readonly transfer_id: string; readonly kind: string; readonly state: State };
type BalanceRow = {
  readonly account: string;
  readonly network: string;
  readonly currency: string;
  readonly amount: string;
};

export type NaiveFacts = {
  readonly found: readonly FoundRow[];
  readonly moves: readonly MoveRow[];
  readonly decisions: readonly DecisionRow[];
  readonly returns: readonly ReturnRow[];
  readonly refunds: readonly RefundRow[];
  readonly payouts: readonly PayoutRow[];
  readonly sessions: readonly SessionRow[];
  readonly exceptions: readonly ExceptionRow[];
  readonly balances: readonly BalanceRow[];
};

const listOf = (select: string): string => `(SELECT coalesce(json_agg(one), '[]') FROM (${select}) AS one)`;
const seconds = (column: string): string => `floor(extract(epoch FROM ${column}))::bigint`;
const txOf = (table: string): string => `${table}.xmin::text::bigint AS tx`;

/** A transfer is known to its session when it is in the ledger, which is when it is settled. */
const READ = {
  name: 'simulation-naive-facts',
  text: `SELECT json_build_object(
    'found', ${listOf(`SELECT ${txOf('e')}, t.session_id, t.id::text, t.network, t.currency, t.decimals, t.amount::text,
        ${seconds('t.block_time')} AS block_time, t.transaction_hash AS hash, t.ordinal
      FROM ledger_entries e JOIN transfers t ON t.id = e.transfer_id WHERE e.kind = 'transfer' ORDER BY e.id`)},
    'moves', ${listOf(`SELECT ${txOf('m')}, m.session_id, m."to", ${seconds('m.at')} AS at FROM session_status_changes m ORDER BY m.id`)},
    'decisions', ${listOf(`SELECT ${txOf('a')}, c.session_id, c.transfer_id::text, substr(a.action, 6) AS action
      FROM audit_entries a JOIN payment_exceptions c ON c.id::text = a.target WHERE a.action LIKE 'case.%' ORDER BY a.number`)},
    'returns', ${listOf(`SELECT ${txOf('m')}, r.session_id, c.transfer_id::text, m."to" AS status, r.amount::text AS cents
      FROM refund_status_changes m JOIN refunds r ON r.id = m.intent_id JOIN payment_exceptions c ON c.id = r.case_id
      WHERE m."to" IN ('completed', 'failed', 'canceled') ORDER BY m.id`)},
    'refunds', ${listOf(`SELECT r.id, r.session_id, r.amount::text AS cents, r.network, r.currency, r.status,
        EXISTS (SELECT FROM ledger_entries o WHERE o.intent_id = r.id AND o.kind = 'refund_converted') AS is_converted,
        (SELECT json_agg(json_build_object('network', p.network, 'currency', p.currency, 'amount', p.amount::text))
          FROM ledger_postings p WHERE p.entry_id = e.id AND split_part(p.account, ':', 1) IN ('store', 'quarantined')) AS takes
      FROM refunds r JOIN ledger_entries e ON e.intent_id = r.id AND e.kind = 'refund_reserved'`)},
    'payouts', ${listOf('SELECT p.store_id, (p.amount + p.fee + p.network_cost)::text AS cents, p.network, p.currency, p.status FROM payouts p')},
    'sessions', ${listOf(`SELECT s.id, s.store_id, s.status, s.exception, s.amount_received::text AS received,
        s.offered_pairs AS pairs, ${seconds('s.created_at')} AS created_at FROM sessions s`)},
    'exceptions', ${listOf('SELECT c.transfer_id::text, c.kind, c.state FROM payment_exceptions c')},
    'balances', ${listOf(`SELECT account, network, currency, (-amount)::text AS amount FROM ledger_balances
      WHERE split_part(account, ':', 1) IN ('store', 'unresolved', 'refund', 'payout', 'quarantined')`)}
  ) AS facts`,
};

export async function readNaiveFacts(pool: Pool): Promise<NaiveFacts> {
  const { rows } = await pool.query<{ facts: NaiveFacts }>(READ);
  return (rows[0] as { facts: NaiveFacts }).facts;
}
