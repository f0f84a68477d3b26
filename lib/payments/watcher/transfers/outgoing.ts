// Stores final transfers out of deposit addresses, each once by its identity (chain, transaction, ordinal). They are
// facts of the chain, whatever caused them; lib/ledger/reconciliation/outflows books them.

import type { FoundTransfer } from '@/lib/networks/chain';
import { tokenOf, type NetworkSpec } from '@/lib/networks/networks';
import { fromUnixSeconds } from '@/lib/platform/clock';
import type { Tx } from '@/lib/platform/database/db';
import type { Subject } from '@/lib/platform/database/quarantine';
import { placeOf } from './store';

/** A final transfer out of a deposit address with all columns of its row. `sessionId`: the session of the address. */
export type OutgoingTransfer = FoundTransfer & {
  readonly chainId: number;
  readonly network: string;
  readonly sessionId: string;
  readonly decimals: number;
};

/** Throws when a contract is not in the networks table. */
export function outgoingTransfers(
  spec: NetworkSpec,
  chainId: number,
  found: readonly (FoundTransfer & { readonly sessionId: string })[],
): readonly OutgoingTransfer[] {
  return found.map((transfer) => {
    const token = tokenOf(spec, transfer.contract);
    if (token?.currency !== transfer.currency)
      throw new Error(`${transfer.contract} is not ${transfer.currency} on ${spec.network}`);
    return { ...transfer, chainId, network: spec.network, decimals: token.token.decimals };
  });
}

const FACTS = `chain_id, network, session_id, transaction_hash, ordinal, block_number, block_hash, block_time, currency, contract,
  payer, recipient, amount, decimals`;

/** Throws when a transfer is already stored with other facts: the caller quarantines it, and operators decide which is true. */
export async function storeOutgoing(tx: Tx, transfers: readonly OutgoingTransfer[], now: Date): Promise<void> {
  if (transfers.length === 0) return;
  const rows = transfers.map((one) => ({
    chain_id: one.chainId,
    network: one.network,
    session_id: one.sessionId,
    transaction_hash: one.transactionHash,
    ordinal: one.ordinal,
    block_number: one.blockNumber,
    block_hash: one.blockHash,
    block_time: fromUnixSeconds(one.blockTime),
    currency: one.currency,
    contract: one.contract,
    payer: one.payer,
    recipient: one.recipient,
    amount: one.amount.toString(),
    decimals: one.decimals,
  }));
  const { rows: differing } = await tx.query<{ transaction_hash: string }>({
    name: 'outgoing-store',
    text: `WITH found AS (SELECT ${FACTS} FROM json_populate_recordset(NULL::outgoing_transfers, $1)),
             stored AS (INSERT INTO outgoing_transfers (${FACTS}, created_at) SELECT ${FACTS}, $2 FROM found
               ON CONFLICT (chain_id, transaction_hash, ordinal) DO NOTHING)
           SELECT o.transaction_hash FROM found JOIN outgoing_transfers o USING (chain_id, transaction_hash, ordinal)
           WHERE (o.contract, o.payer, o.recipient, o.amount) <> (found.contract, found.payer, found.recipient, found.amount)`,
    values: [JSON.stringify(rows), now],
  });
  const [one] = differing;
  if (one)
    throw new Error(`the transfer out of a deposit address by ${one.transaction_hash} is stored with other facts`);
}

export const outgoingSubject = (transfer: OutgoingTransfer): Subject => ({
  kind: 'outgoing_transfer',
  id: placeOf(transfer.chainId, transfer),
  network: transfer.network,
  facts: { ...transfer, amount: String(transfer.amount) },
});
