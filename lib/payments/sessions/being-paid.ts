// Finds open sessions with a payment on its way. Such a session cannot be canceled, and it occupies a place of a payment link with a
// limited number of payments.

import { decimalsOf } from '@/lib/networks/networks';
import { unixSeconds } from '@/lib/platform/clock';
import type { Db } from '@/lib/platform/database/db';
import type { ExceptionState, SessionStatus } from '@/prisma/generated/enums';
import { decisionOf, isDust, objection } from './settle/judge';

/** Of these sessions, those with a transfer, final or not, that counts by the rules of `objection` and is at least a cent. */
export async function sessionsBeingPaid(db: Db, sessionIds: readonly string[]): Promise<Set<string>> {
  if (sessionIds.length === 0) return new Set();
  const { rows } = await db.query<Row>({ ...PAYMENTS, values: [sessionIds] });
  return new Set(rows.filter(isPaying).map(({ id }) => id));
}

type Row = {
  id: string;
  status: SessionStatus;
  accepted_from: SessionStatus | null;
  networks: string[];
  offered_pairs: string[];
  created_at: Date;
  expires_at: Date;
  network: string;
  currency: string;
  contract: string;
  amount: string;
  block_time: Date;
  decision: ExceptionState | null;
};

const PAYMENTS = {
  name: 'sessions-being-paid',
  text: `SELECT s.id, s.status, s.accepted_from, s.networks, s.offered_pairs, s.created_at, s.expires_at,
           p.network, p.currency, p.contract, p.amount, p.block_time, p.decision
         FROM sessions s JOIN LATERAL (
           SELECT c.network, i.currency, i.contract, i.amount, i.block_time, NULL::"ExceptionState" AS decision
             FROM unconfirmed_transfers i JOIN chains c ON c.id = i.chain_id WHERE i.session_id = s.id AND i.orphaned_at IS NULL
           UNION ALL
           SELECT t.network, t.currency, t.contract, t.amount, t.block_time, ${decisionOf('d')}
             FROM transfers t LEFT JOIN payment_exceptions d ON d.transfer_id = t.id WHERE t.session_id = s.id
         ) AS p ON true WHERE s.id = ANY($1)`,
};

function isPaying(row: Row): boolean {
  const { network, currency, contract, decision } = row;
  const decimals = decimalsOf(network, contract);
  if (decimals !== null && isDust({ amount: BigInt(row.amount), decimals })) return false;
  const session = {
    status: row.status,
    acceptedFrom: row.accepted_from,
    networks: row.networks,
    offeredPairs: row.offered_pairs,
    createdAt: unixSeconds(row.created_at),
    expiresAt: unixSeconds(row.expires_at),
  };
  return objection(session, { network, currency, decision, blockTime: unixSeconds(row.block_time) }) === null;
}
