// Reads one window of a chain again and credits what the watcher missed, by the same idempotent store. It moves no cursor. It
// runs where the balance of a deposit address differs from its stored transfers (lib/reconcile/balances), so the endpoint's
// usual answer is not trusted: another endpoint is asked first where there is one, and the adapter asks in another way. The
// last method asks the usual endpoint first.

import type { RescanMethod, Scan, WatchedOwner } from '@/lib/chains/chain';
import type { FollowedChain } from '@/lib/chains/registry';
import type { Context } from '@/lib/context';
import { transaction } from '@/lib/db';
import { settleSessions } from '@/lib/sessions/settle';
import { openAddressBook } from './addresses';
import type { ChainRow } from './chain-row';
import { creditedBefore } from './credited';
import { storeTransfers, type Find } from './finds';
import { storeMarks } from './marks';

export type RescanWindow = {
  readonly from: number;
  readonly to: number;
  readonly method: RescanMethod;
  /** Whose deposit address is read. */
  readonly sessionId: string;
  readonly address: string;
};

/** Answers the sessions that got a transfer which they did not have. Throws a ChainError. */
export async function rescanWindow(
  context: Context,
  chain: FollowedChain,
  row: ChainRow,
  { from, to, method, sessionId, address }: RescanWindow,
): Promise<string[]> {
  const book = openAddressBook(context, chain, { row, openOnly: false, until: 0 });
  const owner = { owner: address, marks: await marksOf(context, row.id, address) };
  const window = {
    from,
    to,
    parentHash: null,
    final: true,
    second: method === 'recipient',
    rescan: { method, recipient: address },
  };
  const sessionOf = (recipient: string) => (recipient === address ? sessionId : book.sessionOf(recipient));
  const at = { chainId: row.id, now: context.clock.now(), sessionOf };
  const scan = await chain.adapter.scan(window, {
    ...book.watch,
    owners: async () => [owner],
    credited: (transfers) => creditedBefore(context.pool, transfers, at),
  });
  const finds = scan.transfers.map((found) => ({ ...found, sessionId: sessionOf(found.recipient) }));
  return credit(context, chain, { chainId: row.id, finds, scan });
}

async function credit(
  context: Context,
  chain: FollowedChain,
  { chainId, finds, scan }: { chainId: number; finds: readonly Find[]; scan: Scan },
): Promise<string[]> {
  if (finds.length === 0 && scan.marks.length === 0) return [];
  const now = context.clock.now();
  const evidenceKey = context.config.EVIDENCE_KEY;
  return transaction(context.pool, async (tx) => {
    const followed = await tx.query({
      name: 'rescan_followed',
      text: 'SELECT 1 FROM chains WHERE id = $1 AND retired_at IS NULL FOR SHARE',
      values: [chainId],
    });
    if (followed.rowCount === 0) return [];
    const sessions = await storeTransfers(tx, chain.spec, { chainId, finds, now, evidenceKey });
    await storeMarks(tx, { chainId, marks: scan.marks, now });
    if (sessions.length > 0) await settleSessions(tx, sessions, { now });
    return sessions;
  });
}

/** What is stored of the address's token accounts, where a network is read by account. */
async function marksOf(context: Context, chainId: number, owner: string): Promise<WatchedOwner['marks']> {
  const { rows } = await context.pool.query<{ account: string; currency: string; amount: string; signature: string }>({
    name: 'rescan_marks',
    text: 'SELECT account, currency, amount::text, signature FROM account_marks WHERE chain_id = $1 AND owner = $2',
    values: [chainId, owner],
  });
  return rows.map(({ amount, ...mark }) => ({ ...mark, owner, amount: BigInt(amount) }));
}
