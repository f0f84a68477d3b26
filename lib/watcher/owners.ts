// Which receiving addresses are due for a look on a network that is read by account, with what is known of their token
// accounts: those of open sessions that offer the network, those closed of late, and in turn everybody else, so that an
// address is watched for ever, after closing less often. One query per scan.

import type { AccountMark, WatchedOwner } from '@/lib/chains/chain';
import type { Db } from '@/lib/db';
import type { Environment } from '@/lib/ids';

/** The newest of those that were closed within a day are looked at every time: people pay twice, or just too late. */
const CLOSED_OF_LATE = 500;
const OF_LATE = `interval '1 day'`;
/** So many others have their turn in each final scan: two requests. A hundred thousand addresses take half an hour. */
const IN_TURN = 100;

export type DueOwners = {
  readonly owners: readonly WatchedOwner[];
  /** Session by address. */
  readonly sessions: ReadonlyMap<string, string>;
  /** Derivation index up to which addresses have had their turn by now. */
  readonly through: number;
};

type Columns = {
  id: string;
  owner: string;
  turns: number;
  through: number | null;
  account: string | null;
  currency: string;
  amount: string;
  signature: string | null;
};

/** The owners due on a followed chain, open sessions first. With `openOnly` those alone: only they have someone watching. */
export async function dueOwners(
  db: Db,
  chain: { environment: Environment; network: string },
  at: { chainId: number; through: number; now: Date; openOnly: boolean },
): Promise<DueOwners> {
  const text = `WITH turn AS (SELECT id, solana_address, address_index FROM sessions
      WHERE environment = $1::"Environment" AND address_index > $4 ORDER BY address_index LIMIT $7),
    due AS (SELECT 0 AS rank, id, solana_address AS owner FROM sessions
        WHERE status = 'pending' AND environment = $1::"Environment" AND $2 = ANY(networks)
      UNION ALL (SELECT 1, id, solana_address FROM sessions
        WHERE environment = $1::"Environment" AND closed_at > $5::timestamptz - ${OF_LATE}
        ORDER BY closed_at DESC LIMIT $6)
      UNION ALL SELECT 2, id, solana_address FROM turn)
    SELECT due.id, due.owner, (SELECT count(*)::int FROM turn) AS turns,
      (SELECT max(address_index) FROM turn) AS through, m.account, m.currency, m.amount::text, m.signature
    FROM due LEFT JOIN account_marks m ON m.chain_id = $3 AND m.owner = due.owner
    ORDER BY due.rank, due.id, m.account`;
  const limits = at.openOnly ? [0, 0] : [CLOSED_OF_LATE, IN_TURN];
  const values = [chain.environment, chain.network, at.chainId, at.through, at.now, ...limits];
  const { rows } = await db.query<Columns>({ name: 'watch_owners', text, values });
  const owners = new Map<string, Map<string, AccountMark>>();
  const sessions = new Map<string, string>();
  for (const { id, owner, account, currency, amount, signature } of rows) {
    const marks = owners.get(owner) ?? new Map<string, AccountMark>();
    if (account !== null) marks.set(account, { account, owner, currency, amount: BigInt(amount), signature });
    owners.set(owner, marks);
    sessions.set(owner, id);
  }
  return {
    owners: [...owners].map(([owner, marks]) => ({ owner, marks: [...marks.values()] })),
    sessions,
    through: at.openOnly ? at.through : throughOf(rows[0]),
  };
}

/** Fewer than could be: the end was reached, and the turn begins anew. */
const throughOf = (row: Columns | undefined): number =>
  row && row.turns === IN_TURN && row.through !== null ? row.through : -1;
