// Reads one window of a chain again and credits transfers that the watcher missed, through the same idempotent store. It moves no cursor.
// Reconciliation runs it when the balance of a deposit address differs from its stored transfers (lib/ledger/reconciliation/balances). The
// usual endpoint is then suspect, so another one is tried first if there is one, and the adapter uses another request method. Only the last
// method tries the usual endpoint first.

import type { RescanMethod, DueAddress } from '@/lib/networks/chain';
import type { FollowedChain } from '@/lib/networks/registry';
import type { Context } from '@/lib/platform/context';
import { openAddressBook } from '@/lib/payments/watcher/transfers/deposit-addresses';
import type { ChainRow } from '@/lib/payments/watcher/cursors/chain-row';
import { credit } from '@/lib/payments/watcher/transfers/credit';
import { outgoingTransfers } from '@/lib/payments/watcher/transfers/outgoing';
import { creditedBefore } from '@/lib/payments/watcher/transfers/credited';

export type RescanWindow = {
  readonly from: number;
  readonly to: number;
  readonly method: RescanMethod;
  /** The session of the deposit address. */
  readonly sessionId: string;
  readonly address: string;
};

/** Returns the sessions that got a new transfer. Throws a ChainError. */
export async function rescanWindow(
  context: Context,
  chain: FollowedChain,
  row: ChainRow,
  { from, to, method, sessionId, address }: RescanWindow,
): Promise<string[]> {
  const book = openAddressBook(context, chain, { row, openOnly: false });
  // An address of the other environment gets no transfers; its discrepancy is reported unchanged.
  await book.watch.among([address]);
  const owner = { owner: address, accountCursors: await cursorsOf(context, row.id, address) };
  const window = {
    from,
    to,
    parentHash: null,
    final: true,
    second: method === 'address',
    rescan: { method, address },
  };
  const sessionOf = (found: string) => (found === address ? sessionId : book.sessionOf(found));
  const at = { chainId: row.id, now: context.clock.now(), sessionOf };
  const scan = await chain.adapter.scan(window, {
    ...book.watch,
    dueAddresses: async () => [owner],
    credited: (transfers) => creditedBefore(context.pool, transfers, at),
  });
  const sessions = await credit(context, chain, {
    step: `balances ${chain.environment} ${chain.network}`,
    chainId: row.id,
    network: chain.network,
    foundTransfers: scan.transfers
      .filter(({ recipient }) => !book.isForeign(recipient))
      .map((found) => ({ ...found, sessionId: sessionOf(found.recipient) })),
    outgoing: outgoingTransfers(
      chain.spec,
      row.id,
      (scan.outgoing ?? [])
        .filter(({ payer }) => !book.isForeign(payer))
        .map((found) => ({ ...found, sessionId: sessionOf(found.payer) })),
    ),
    cursors: scan.accountCursors
      .filter(({ owner: of }) => !book.isForeign(of))
      .map((cursor) => ({ ...cursor, sessionId: sessionOf(cursor.owner) })),
    through: null,
    hold: async (tx) => {
      const followed = await tx.query({
        name: 'rescan_followed',
        text: 'SELECT 1 FROM chains WHERE id = $1 AND retired_at IS NULL FOR SHARE',
        values: [row.id],
      });
      return followed.rowCount === 1;
    },
  });
  return sessions ?? [];
}

/** The stored cursors of the token accounts of an address, on a network read by account. */
async function cursorsOf(context: Context, chainId: number, owner: string): Promise<DueAddress['accountCursors']> {
  const { rows } = await context.pool.query<{
    account: string;
    currency: string;
    amount: string;
    signature: string | null;
  }>({
    name: 'rescan_marks',
    text: 'SELECT account, currency, amount::text, signature FROM account_cursors WHERE chain_id = $1 AND owner = $2',
    values: [chainId, owner],
  });
  return rows.map(({ amount, ...cursor }) => ({ ...cursor, owner, amount: BigInt(amount) }));
}
