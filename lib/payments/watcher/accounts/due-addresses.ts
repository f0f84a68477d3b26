// Which deposit addresses are due on a network that is read by account, with what is known of their token accounts: those of open
// sessions that offer the network, those of sessions closed within a day, and in turn all others, because an address is watched
// for ever. One query per scan.
//
// Each address costs requests, and anybody can open sessions that are never paid. So each scan reads a bounded number of open
// sessions, drawn at random, in equal shares for every store and apart for payment links. A scan may leave a payment to one of the
// others for a later one; an address with a payment is read every time. The chain's time waits for no address: before a session
// ends, lib/ledger/reconciliation/balances compares its address with the stored transfers, and re-scans it where they differ.

import type { AccountCursor, DueAddress } from '@/lib/networks/chain';
import type { Db } from '@/lib/platform/database/db';
import type { Environment } from '@/lib/platform/ids';
import { isDueAlone, isNotQuarantined } from '@/lib/platform/database/quarantine';
import { UNREAD_BELOW } from '@/lib/payments/sessions/settle/unread-below';

/** Open sessions of the store's own looked at in one scan: five requests. All of them in any shop but the largest. */
const OPEN_OF_STORES = 250;
/** The same for those that were opened by payment links. */
const OPEN_OF_LINKS = 100;
/** The newest of those that were closed within a day are looked at every time: people pay twice, or just too late. */
const CLOSED_OF_LATE = 500;
const OF_LATE = `interval '1 day'`;
/** So many others have their turn in each final scan: two requests. A hundred thousand addresses take half an hour. */
const IN_TURN = 100;

/** What an owner is called in quarantine (quarantined.ts, accountSubject). */
const UNREAD = `$3::int || ' ' || due.owner`;

export type DueOwners = {
  readonly owners: readonly DueAddress[];
  /** Session by address. */
  readonly sessions: ReadonlyMap<string, string>;
  /** Those of the owners that are in quarantine and due to be tried again (unread.ts). */
  readonly quarantined: ReadonlySet<string>;
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
  unread_below: string;
  is_quarantined: boolean;
  is_due: boolean;
};

/**
 * The owners due on a followed chain, open sessions first. With `openOnly` those alone: only they have someone watching.
 */
export async function dueOwners(
  db: Db,
  chain: { environment: Environment; network: string },
  at: { chainId: number; through: number; now: Date; openOnly: boolean },
): Promise<DueOwners> {
  const text = `WITH turn AS (SELECT id, solana_address, address_index FROM sessions
      WHERE environment = $1::"Environment" AND address_index > $4 ORDER BY address_index LIMIT $7),
    open AS MATERIALIZED (SELECT id, solana_address, budget, row_number() OVER (PARTITION BY store_id, budget ORDER BY random()) AS place
      FROM sessions WHERE status = 'pending' AND environment = $1::"Environment" AND $2 = ANY(networks)),
    due AS (SELECT 0 AS rank, id, solana_address AS owner FROM open
        WHERE EXISTS (SELECT FROM sightings s WHERE s.session_id = open.id AND s.chain_id = $3 AND s.orphaned_at IS NULL)
          OR EXISTS (SELECT FROM account_marks a WHERE a.chain_id = $3 AND a.owner = open.solana_address)
      UNION ALL (SELECT 0, id, solana_address FROM open WHERE budget = 'store' ORDER BY place, random() LIMIT ${OPEN_OF_STORES})
      UNION ALL (SELECT 0, id, solana_address FROM open WHERE budget = 'links' ORDER BY place, random() LIMIT ${OPEN_OF_LINKS})
      UNION ALL (SELECT 1, id, solana_address FROM sessions
        WHERE environment = $1::"Environment" AND closed_at > $5::timestamptz - ${OF_LATE}
        ORDER BY closed_at DESC LIMIT $6)
      UNION ALL SELECT 2, id, solana_address FROM turn)
    SELECT due.id, due.owner, (SELECT count(*)::int FROM turn) AS turns,
      (SELECT max(address_index) FROM turn) AS through,
      m.account, m.currency, m.amount::text, m.signature, (SELECT ${UNREAD_BELOW}::text FROM sessions s WHERE s.id = due.id) AS unread_below,
      NOT ${isNotQuarantined('account', UNREAD)} AS is_quarantined, ${isDueAlone('account', UNREAD, '$5::timestamptz')} AS is_due
    FROM due LEFT JOIN account_marks m ON m.chain_id = $3 AND m.owner = due.owner
    ORDER BY due.rank, due.id, m.account`;
  const limits = at.openOnly ? [0, 0] : [CLOSED_OF_LATE, IN_TURN];
  const values = [chain.environment, chain.network, at.chainId, at.through, at.now, ...limits];
  const { rows } = await db.query<Columns>({ name: 'watch_owners', text, values });
  const owners = new Map<string, { marks: Map<string, AccountCursor>; unreadBelow: bigint }>();
  const sessions = new Map<string, string>();
  const quarantined = new Set<string>();
  for (const { id, owner, account, currency, amount, signature, unread_below: unreadBelow, ...state } of rows) {
    if (!state.is_due) continue;
    if (state.is_quarantined) quarantined.add(owner);
    const known = owners.get(owner) ?? { marks: new Map(), unreadBelow: BigInt(unreadBelow) };
    if (account !== null) known.marks.set(account, { account, owner, currency, amount: BigInt(amount), signature });
    owners.set(owner, known);
    sessions.set(owner, id);
  }
  return {
    owners: [...owners].map(([owner, { marks, unreadBelow }]) => ({
      owner,
      accountCursors: [...marks.values()],
      unreadBelow,
    })),
    sessions,
    quarantined,
    through: at.openOnly ? at.through : throughOf(rows[0]),
  };
}

/** Fewer than could be: the end was reached, and the turn begins anew. */
const throughOf = (row: Columns | undefined): number =>
  row && row.turns === IN_TURN && row.through !== null ? row.through : -1;
