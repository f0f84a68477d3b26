// The database facts of one session for the finder: the fields that judge it, its addresses, and its recorded transfers of one
// transaction. It reads nothing of any other session.

import { unixSeconds } from '@/lib/platform/clock';
import type { Db } from '@/lib/platform/database/db';
import { isSessionId, type Environment } from '@/lib/platform/ids';
import { decisionOf, returnedOf, type JudgedSession } from '@/lib/payments/sessions/settle/judge';
import type { ExceptionState, SessionStatus } from '@/prisma/generated/enums';
import type { NetworkFamily } from '@/lib/networks/chain';

export type FinderSession = JudgedSession & {
  readonly id: string;
  readonly environment: Environment;
  /** Cents. */
  readonly amountReceived: bigint;
  readonly addresses: Readonly<Record<NetworkFamily, string>>;
};

/** A transfer to this session that is final and proven. */
export type RecordedTransfer = {
  readonly network: string;
  readonly currency: string;
  /** Base units. */
  readonly amount: bigint;
  readonly decimals: number;
  readonly blockTime: number;
  readonly decision: ExceptionState | null;
  /** Base units that are owed or already refunded to the sender. */
  readonly returned: bigint;
};

export type Recorded = {
  readonly transfers: readonly RecordedTransfer[];
  /** Per network, the last final block that the watcher has read. */
  readonly readThrough: Readonly<Record<string, number>>;
};

/** The session, or null when there is none with this id. */
export async function readFinderSession(db: Db, sessionId: string): Promise<FinderSession | null> {
  if (!isSessionId(sessionId)) return null;
  const { rows } = await db.query<SessionRow>({
    name: 'finder-session',
    text: `SELECT id, environment, status, accepted_from, amount_due, amount_received, networks, offered_pairs,
             created_at, expires_at, evm_address, tron_address, solana_address FROM sessions WHERE id = $1`,
    values: [sessionId],
  });
  return rows[0] ? sessionFrom(rows[0]) : null;
}

/** The transfers of a transaction to this session, and how far each network was read, in one consistent read. */
export async function readRecorded(db: Db, session: FinderSession, hash: string): Promise<Recorded> {
  const { rows } = await db.query<{ transfers: TransferRow[] | null; chains: Record<string, number> | null }>({
    name: 'finder-recorded',
    text: `SELECT (SELECT json_agg(t) FROM (
                     SELECT t.network, t.currency, t.amount::text, t.decimals, extract(epoch FROM t.block_time)::int AS block_time,
                            ${decisionOf('c')} AS state, (${returnedOf('c')})::text AS returned
                       FROM transfers t LEFT JOIN payment_exceptions c ON c.transfer_id = t.id
                      WHERE t.session_id = $1 AND t.transaction_hash = $2 ORDER BY t.ordinal) t) AS transfers,
                  (SELECT json_object_agg(network, final_number) FROM chains
                    WHERE environment = $3::"Environment" AND retired_at IS NULL) AS chains`,
    values: [session.id, hash, session.environment],
  });
  return {
    transfers: (rows[0]?.transfers ?? []).map((row) => ({
      network: row.network,
      currency: row.currency,
      amount: BigInt(row.amount),
      decimals: row.decimals,
      blockTime: row.block_time,
      decision: row.state,
      returned: BigInt(row.returned),
    })),
    readThrough: rows[0]?.chains ?? {},
  };
}

type SessionRow = {
  id: string;
  environment: Environment;
  status: SessionStatus;
  accepted_from: SessionStatus | null;
  amount_due: string;
  amount_received: string;
  networks: string[];
  offered_pairs: string[];
  created_at: Date;
  expires_at: Date;
  evm_address: string;
  tron_address: string;
  solana_address: string;
};
type TransferRow = {
  network: string;
  currency: string;
  amount: string;
  decimals: number;
  block_time: number;
  state: ExceptionState | null;
  returned: string;
};

const sessionFrom = (row: SessionRow): FinderSession => ({
  id: row.id,
  environment: row.environment,
  status: row.status,
  acceptedFrom: row.accepted_from,
  amountDue: BigInt(row.amount_due),
  amountReceived: BigInt(row.amount_received),
  networks: row.networks,
  offeredPairs: row.offered_pairs,
  createdAt: unixSeconds(row.created_at),
  expiresAt: unixSeconds(row.expires_at),
  addresses: { evm: row.evm_address, tron: row.tron_address, solana: row.solana_address },
});
