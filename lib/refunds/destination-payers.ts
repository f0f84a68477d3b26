// The transfers that a refund gives back, read from the database: for a merchant's refund the final ones that count for the
// session on the refund's network, for a case's refund the one that the case is about.

import { unixSeconds } from '@/lib/clock';
import type { Db } from '@/lib/db';
import type { Environment } from '@/lib/ids';
import { isVouchedFor } from '@/lib/payer-evidence';
import { decisionOf, objection } from '@/lib/sessions/judge';
import type { CaseState, SessionStatus } from '@/prisma/generated/enums';

/** The refund whose destination is looked for. `id` is its own id (intentIdOf). `caseId`: null for a merchant's refund. */
export type DestinedRefund = {
  readonly id: string;
  readonly storeId: string;
  readonly environment: Environment;
  readonly sessionId: string;
  readonly network: string;
  readonly caseId: bigint | string | null;
};

/** Who sent a transfer. `isProven`: the watcher's word for it holds. `reference` names the transfer. */
export type Payer = { readonly address: string; readonly reference: string; readonly isProven: boolean };

/** The payers in the order of the chain's time, one per transfer. Without a key none is proven. */
export async function payersOf(db: Db, refund: DestinedRefund, key: Uint8Array | undefined): Promise<readonly Payer[]> {
  const { rows } = await db.query<Columns>({
    name: 'refund-payers',
    text: `SELECT c.genesis, t.transaction_hash, t.ordinal, t.block_number, t.block_hash, t.block_time, t.currency,
             t.contract, t.payer, t.recipient, t.amount, t.decimals, t.mac, p.id AS case_id,
             ${decisionOf('p')} AS case_state, s.status, s.accepted_from, s.networks, s.offered_pairs, s.created_at, s.expires_at
           FROM transfers t JOIN sessions s ON s.id = t.session_id JOIN chains c ON c.id = t.chain_id
           LEFT JOIN payment_cases p ON p.transfer_id = t.id
           WHERE t.session_id = $1 AND t.network = $2 AND c.network = $2 AND s.store_id = $3
             AND s.environment = $4::"Environment" AND c.environment = $4::"Environment"
           ORDER BY t.block_time, t.transaction_hash, t.ordinal`,
    values: [refund.sessionId, refund.network, refund.storeId, refund.environment],
  });
  const concerned = rows.filter((row) =>
    refund.caseId === null ? counts(refund, row) : row.case_id === String(refund.caseId),
  );
  return concerned.map((row) => ({
    address: row.payer,
    reference: `${refund.network}/${row.transaction_hash}/${row.ordinal}`,
    isProven: key !== undefined && isVouchedFor(key, factsOf(refund, row), row.mac),
  }));
}

/** As the session was judged; what was decided to go back to its sender is no part of what the merchant gives back. */
function counts({ network }: DestinedRefund, row: Columns): boolean {
  if (row.case_state === 'refund') return false;
  const session = {
    status: row.status,
    acceptedFrom: row.accepted_from,
    networks: row.networks,
    offeredPairs: row.offered_pairs,
    createdAt: unixSeconds(row.created_at),
    expiresAt: unixSeconds(row.expires_at),
  };
  const payment = {
    network,
    currency: row.currency,
    blockTime: unixSeconds(row.block_time),
    decision: row.case_state,
  };
  return objection(session, payment) === null;
}

const factsOf = ({ environment, network, sessionId }: DestinedRefund, row: Columns) => ({
  environment,
  network,
  sessionId,
  genesis: row.genesis,
  transactionHash: row.transaction_hash,
  ordinal: row.ordinal,
  blockNumber: Number(row.block_number),
  blockHash: row.block_hash,
  blockTime: unixSeconds(row.block_time),
  currency: row.currency,
  contract: row.contract,
  payer: row.payer,
  recipient: row.recipient,
  amount: BigInt(row.amount),
  decimals: row.decimals,
});

type Columns = {
  genesis: string;
  transaction_hash: string;
  ordinal: number;
  block_number: string;
  block_hash: string;
  block_time: Date;
  currency: string;
  contract: string;
  payer: string;
  recipient: string;
  amount: string;
  decimals: number;
  mac: Buffer | null;
  case_id: string | null;
  case_state: CaseState | null;
  status: SessionStatus;
  accepted_from: SessionStatus | null;
  networks: string[];
  offered_pairs: string[];
  created_at: Date;
  expires_at: Date;
};
