// Loads and locks the inputs of settling, in four statements however many sessions there are. Settling, canceling and expiring
// serialize on the lock of the session row.

import { decimalsOf } from '@/lib/networks/networks';
import { unixSeconds } from '@/lib/platform/clock';
import type { Tx } from '@/lib/platform/database/db';
import type { Environment } from '@/lib/platform/ids';
import type { ExceptionState, SessionException, SessionStatus } from '@/prisma/generated/enums';
import { IS_COMPARED, IS_HELD_BY_BALANCE } from '@/lib/payments/sessions/expire/balance-hold';
import { decisionOf, returnedOf, type JudgedSession, type Payment } from './judge';
import type { JudgedTransfer, TransferException } from './exceptions';

export type SettledSession = JudgedSession & {
  readonly id: string;
  readonly storeId: string;
  readonly environment: Environment;
  readonly orderId: string;
  /** Exact decimal text of the locked rate; null when no conversion applies. */
  readonly exchangeRate: string | null;
  /** The current settlement currency of the store. */
  readonly settlementCurrency: string;
  readonly currencies: readonly string[];
  readonly amountReceived: bigint;
  readonly exception: SessionException;
  readonly transfers: readonly JudgedTransfer[];
  readonly seen: readonly Payment[];
  /** Null for a network where an account of the session could not be read, or a transfer could not be stored. */
  readonly scannedThrough: Readonly<Record<string, number | null>>;
  /** A transfer to it is in quarantine (lib/platform/database/quarantine), or its address holds more than was stored (balance-hold). */
  readonly isHeld: boolean;
};

/** The sessions with all inputs of settling, locked in the order of their ids so that two callers never deadlock. */
export async function loadForSettling(tx: Tx, sessionIds: readonly string[]): Promise<SettledSession[]> {
  if (sessionIds.length === 0) return [];
  // First, so that the following statements see all transfers stored up to these cursors.
  const chains = await tx.query<ChainRow>(CHAINS);
  const sessions = await tx.query<SessionRow>({ ...SESSIONS, values: [sessionIds] });
  const transfers = await tx.query<TransferRow>({ ...TRANSFERS, values: [sessionIds] });
  const seen = await tx.query<PaymentRow & { contract: string }>({ ...SEEN, values: [sessionIds] });
  const [transfersOf, seenOf] = [bySession(transfers.rows), bySession(seen.rows)];
  return sessions.rows.map((row) => ({
    ...sessionFrom(row),
    transfers: (transfersOf.get(row.id) ?? []).map(transferFrom),
    seen: (seenOf.get(row.id) ?? []).flatMap(seenFrom),
    scannedThrough: Object.fromEntries(
      chains.rows
        .filter(({ environment }) => environment === row.environment)
        .map(({ network, final_time }) => [network, isRead(row, network) ? unixSeconds(final_time) : null]),
    ),
    isHeld: row.is_held,
  }));
}

/** In one pass: a batch has many sessions, and a session can have many transfers. */
function bySession<R extends PaymentRow>(rows: readonly R[]): ReadonlyMap<string, readonly R[]> {
  const grouped = new Map<string, R[]>();
  for (const row of rows) {
    const group = grouped.get(row.session_id);
    if (group) group.push(row);
    else grouped.set(row.session_id, [row]);
  }
  return grouped;
}

/** Whether the network was read completely: no quarantined transfer, and the balances match. */
const isRead = ({ unread, proven }: SessionRow, network: string): boolean =>
  proven.includes(network) && !unread.includes(network);

type SessionRow = {
  id: string;
  store_id: string;
  environment: Environment;
  order_id: string;
  exchange_rate: string | null;
  settlement_currency: string;
  status: SessionStatus;
  accepted_from: SessionStatus | null;
  amount_due: string;
  amount_received: string;
  exception: SessionException;
  currencies: string[];
  networks: string[];
  offered_pairs: string[];
  created_at: Date;
  expires_at: Date;
  unread: string[];
  is_held: boolean;
  proven: string[];
};
type PaymentRow = {
  id: string;
  session_id: string;
  network: string;
  currency: string;
  amount: string;
  block_time: Date;
  transaction_hash: string;
  ordinal: number;
};
type TransferRow = PaymentRow & {
  decimals: number;
  decision: ExceptionState | null;
  returned: string;
  /** Null while the transfer is not in the ledger. */
  unresolved: string | null;
} & (
    | { case_id: null }
    | {
        case_id: string;
        case_kind: TransferException['kind'];
        case_state: ExceptionState;
        case_amount: string;
        case_counted: string;
      }
  );
type ChainRow = { environment: Environment; network: string; final_time: Date };

/** Networks where the comparison of balances is closed (lib/ledger/reconciliation/balances). */
const PROVEN = `ARRAY(SELECT c.network FROM balance_checks b JOIN chains c ON c.id = b.chain_id AND c.retired_at IS NULL
             WHERE b.session_id = s.id AND ${IS_COMPARED})`;

const SESSIONS = {
  name: 'settle-sessions',
  text: `SELECT id, store_id, environment, order_id, exchange_rate, status, accepted_from, amount_due, amount_received, exception,
           currencies, networks, offered_pairs, created_at, expires_at, ${PROVEN} AS proven,
           (SELECT settlement_currency FROM stores WHERE id = s.store_id) AS settlement_currency,
           ARRAY(SELECT q.network FROM quarantine q WHERE q.session_id = s.id AND q.resolved_at IS NULL) AS unread,
           ${IS_HELD_BY_BALANCE} OR EXISTS (SELECT FROM quarantine q WHERE q.session_id = s.id AND q.resolved_at IS NULL
             AND q.kind = 'transfer') AS is_held
         FROM sessions s WHERE id = ANY($1) ORDER BY id FOR UPDATE OF s`,
};
const TRANSFERS = {
  name: 'settle-transfers',
  text: `SELECT t.id, t.session_id, t.network, t.currency, t.amount, t.decimals, t.block_time, t.transaction_hash, t.ordinal,
           (SELECT coalesce(-sum(p.amount) FILTER (WHERE p.account LIKE 'unresolved:%'), 0)
              FROM ledger_entries e JOIN ledger_postings p ON p.entry_id = e.id WHERE e.transfer_id = t.id
            HAVING count(*) > 0) AS unresolved,
           ${decisionOf('c')} AS decision, ${returnedOf('c')} AS returned, c.id AS case_id, c.kind AS case_kind, c.state AS case_state, c.amount AS case_amount,
           c.counted AS case_counted
         FROM transfers t LEFT JOIN payment_exceptions c ON c.transfer_id = t.id WHERE t.session_id = ANY($1)`,
};
const SEEN = {
  name: 'settle-seen',
  text: `SELECT s.id, s.session_id, c.network, s.currency, s.contract, s.amount, s.block_time, s.transaction_hash, s.ordinal
         FROM unconfirmed_transfers s JOIN chains c ON c.id = s.chain_id WHERE s.session_id = ANY($1) AND s.orphaned_at IS NULL AND c.retired_at IS NULL`,
};
const CHAINS = {
  name: 'settle-chains',
  text: 'SELECT environment, network, final_time FROM chains WHERE retired_at IS NULL',
};

const sessionFrom = (row: SessionRow) => ({
  id: row.id,
  storeId: row.store_id,
  environment: row.environment,
  orderId: row.order_id,
  exchangeRate: row.exchange_rate,
  settlementCurrency: row.settlement_currency,
  status: row.status,
  acceptedFrom: row.accepted_from,
  amountDue: BigInt(row.amount_due),
  amountReceived: BigInt(row.amount_received),
  exception: row.exception,
  currencies: row.currencies,
  networks: row.networks,
  offeredPairs: row.offered_pairs,
  createdAt: unixSeconds(row.created_at),
  expiresAt: unixSeconds(row.expires_at),
});

const paymentFrom = (row: PaymentRow, decimals: number): Payment => ({
  id: row.id,
  network: row.network,
  currency: row.currency,
  amount: BigInt(row.amount),
  decimals,
  blockTime: unixSeconds(row.block_time),
  transactionHash: row.transaction_hash,
  ordinal: row.ordinal,
  decision: null,
  returned: 0n,
});

const transferFrom = (row: TransferRow): JudgedTransfer => ({
  ...paymentFrom(row, row.decimals),
  decision: row.decision,
  returned: BigInt(row.returned),
  unresolved: row.unresolved === null ? null : BigInt(row.unresolved),
  exception: exceptionFrom(row),
});

const exceptionFrom = (row: TransferRow): TransferException | null =>
  row.case_id === null
    ? null
    : {
        id: row.case_id,
        kind: row.case_kind,
        state: row.case_state,
        amount: BigInt(row.case_amount),
        counted: BigInt(row.case_counted),
      };

function seenFrom(row: PaymentRow & { contract: string }): Payment[] {
  const decimals = decimalsOf(row.network, row.contract);
  return decimals === null ? [] : [paymentFrom(row, decimals)];
}
