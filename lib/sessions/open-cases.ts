// Writes the cases of payments that somebody has to decide about, in the transaction that settles them: one per transfer,
// however often its session is settled. While a case of an unfinished payment is open, nobody may dispose of its coins.

import type { Tx } from '@/lib/db';
import { postMoves, type MoveKind, type PostedMove } from '@/lib/ledger/post';
import type { SessionStatus } from '@/prisma/generated/enums';
import { newOddities, type Oddity } from './oddities';
import type { SettledSession, SettledTransfer } from './settle-load';

/** Opens what is missing. `status` is what the session is after this settling. */
export async function openCases(tx: Tx, session: SettledSession, status: SessionStatus): Promise<void> {
  const odd = newOddities(session, session.transfers, status);
  if (odd.length === 0) return;
  await tx.query({
    name: 'open-cases',
    text: `INSERT INTO payment_cases (store_id, environment, session_id, transfer_id, kind, amount)
           SELECT $1, $2::"Environment", $3, "transferId", kind, amount
             FROM json_to_recordset($4) AS one("transferId" bigint, kind text, amount numeric)
           ON CONFLICT (transfer_id) DO NOTHING`,
    values: [session.storeId, session.environment, session.id, JSON.stringify(odd.map(caseRow))],
  });
  const wereStores = odd.filter(({ kind, transfer }) => kind === 'unfinished' && transfer.isPosted);
  await postMoves(
    tx,
    wereStores.map(({ transfer }) => moveOf(session, transfer, 'unfinished')),
  );
}

/** The price was reached after all: the parts that nobody sends back are payments now, by the rule that made it complete. */
export async function acceptUnfinished(tx: Tx, session: SettledSession, now: Date): Promise<void> {
  const { rows } = await tx.query<{ transfer_id: string }>({
    name: 'accept-unfinished',
    text: `UPDATE payment_cases SET state = 'accepted', decided_by = 'rule:completed', decided_at = $2
            WHERE session_id = $1 AND kind = 'unfinished' AND state IN ('open', 'left') RETURNING transfer_id`,
    values: [session.id, now],
  });
  const accepted = new Set(rows.map(({ transfer_id }) => transfer_id));
  const transfers = session.transfers.filter(({ id }) => accepted.has(id));
  await postMoves(
    tx,
    transfers.map((transfer) => moveOf(session, transfer, 'accepted')),
  );
}

const caseRow = ({ transfer, kind, amount }: Oddity<SettledTransfer>) => ({
  transferId: transfer.id,
  kind,
  amount: amount.toString(),
});

const WAYS = {
  unfinished: { from: 'store', to: 'unresolved' },
  accepted: { from: 'unresolved', to: 'store' },
} as const satisfies Partial<Record<MoveKind, Pick<PostedMove, 'from' | 'to'>>>;

const moveOf = (session: SettledSession, transfer: SettledTransfer, kind: keyof typeof WAYS): PostedMove => ({
  ...WAYS[kind],
  kind,
  transferId: transfer.id,
  storeId: session.storeId,
  environment: session.environment,
  sessionId: session.id,
  network: transfer.network,
  currency: transfer.currency,
  amount: transfer.amount,
});
