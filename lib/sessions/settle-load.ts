// Loads and locks what settling needs, in four statements however many sessions there are. The lock on the session's row is
// what settling, cancelling and expiring take turns by.

import { decimalsOf } from '@/lib/chains/networks';
import { unixSeconds } from '@/lib/clock';
import type { Tx } from '@/lib/db';
import type { Environment } from '@/lib/ids';
import type { CaseState, SessionException, SessionStatus } from '@/prisma/generated/enums';
import type { JudgedSession, Payment } from './judge';
import type { CaseKind } from './oddities';

/** A final transfer, whether the ledger has it already, and the kind of its case when it has one. */
export type SettledTransfer = Payment & { readonly isPosted: boolean; readonly caseKind: CaseKind | null };

export type SettledSession = JudgedSession & {
  readonly id: string;
  readonly storeId: string;
  readonly environment: Environment;
  readonly orderId: string;
  /** Exact decimal text of the locked rate; null when no conversion applies. */
  readonly exchangeRate: string | null;
  /** The store's, as it is now. */
  readonly settlementCurrency: string;
  readonly amountReceived: bigint;
  readonly exception: SessionException;
  readonly transfers: readonly SettledTransfer[];
  readonly seen: readonly Payment[];
  readonly scannedThrough: Readonly<Record<string, number | null>>;
};

/** The sessions with everything that decides about them, locked in the order of their ids so that two callers never deadlock. */
export async function loadForSettling(tx: Tx, sessionIds: readonly string[]): Promise<SettledSession[]> {
  if (sessionIds.length === 0) return [];
  const sessions = await tx.query<SessionRow>({ ...SESSIONS, values: [sessionIds] });
  const transfers = await tx.query<TransferRow>({ ...TRANSFERS, values: [sessionIds] });
  const seen = await tx.query<PaymentRow & { contract: string }>({ ...SEEN, values: [sessionIds] });
  const chains = await tx.query<ChainRow>(CHAINS);
  return sessions.rows.map((row) => ({
    ...sessionFrom(row),
    transfers: transfers.rows
      .filter(({ session_id }) => session_id === row.id)
      .map((one) => ({
        ...paymentFrom(one, one.decimals),
        decision: one.case_state,
        isPosted: one.posted,
        caseKind: one.case_kind,
      })),
    seen: seen.rows.filter(({ session_id }) => session_id === row.id).flatMap(seenFrom),
    scannedThrough: Object.fromEntries(
      chains.rows
        .filter(({ environment }) => environment === row.environment)
        .map(({ network, final_time }) => [network, unixSeconds(final_time)]),
    ),
  }));
}

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
  accepts_other_token: boolean;
  expires_at: Date;
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
  posted: boolean;
  decimals: number;
  case_kind: CaseKind | null;
  case_state: CaseState | null;
};
type ChainRow = { environment: Environment; network: string; final_time: Date };

const SESSIONS = {
  name: 'settle-sessions',
  text: `SELECT id, store_id, environment, order_id, exchange_rate, status, accepted_from, amount_due, amount_received, exception, currencies,
           networks, accepts_other_token, expires_at,
           (SELECT settlement_currency FROM stores WHERE id = store_id) AS settlement_currency FROM sessions WHERE id = ANY($1) ORDER BY id FOR UPDATE`,
};
const TRANSFERS = {
  name: 'settle-transfers',
  text: `SELECT t.id, t.session_id, t.network, t.currency, t.amount, t.decimals, t.block_time, t.transaction_hash, t.ordinal,
           EXISTS (SELECT FROM ledger_entries e WHERE e.transfer_id = t.id) AS posted, c.kind AS case_kind, c.state AS case_state
         FROM transfers t LEFT JOIN payment_cases c ON c.transfer_id = t.id WHERE t.session_id = ANY($1)`,
};
const SEEN = {
  name: 'settle-seen',
  text: `SELECT s.id, s.session_id, c.network, s.currency, s.contract, s.amount, s.block_time, s.transaction_hash, s.ordinal
         FROM sightings s JOIN chains c ON c.id = s.chain_id WHERE s.session_id = ANY($1) AND s.orphaned_at IS NULL AND c.retired_at IS NULL`,
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
  acceptsOtherToken: row.accepts_other_token,
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
});

function seenFrom(row: PaymentRow & { contract: string }): Payment[] {
  const decimals = decimalsOf(row.network, row.contract);
  return decimals === null ? [] : [paymentFrom(row, decimals)];
}
