// Selects the deposit addresses that are due on a network read by account, with the cursors of their token accounts. Due are the addresses
// of open sessions that offer the network, of sessions closed within a day, those that a sweep is emptying, and all others in rotation,
// because an address is watched forever. One query per scan.
//
// Each address costs requests, and anyone can open sessions that are never paid. So each scan reads a bounded random sample of open
// sessions, in equal shares for every store and separately for payment links. A later scan then reads the others; an address with a payment
// is read every time. The chain time does not depend on a single address: before a session expires, lib/ledger/reconciliation/balances
// compares its address with the stored transfers, and re-scans it where they differ.

import type { AccountCursor, DueAddress } from '@/lib/networks/chain';
import type { Db } from '@/lib/platform/database/db';
import type { Environment } from '@/lib/platform/ids';
import { isDueAlone, isNotQuarantined } from '@/lib/platform/database/quarantine';
import { READ_THRESHOLD } from '@/lib/payments/sessions/settle/read-threshold';

/** Open sessions created through a store's API that one scan reads: five requests. That is all of them except in the largest shops. */
const OPEN_OF_STORES = 250;
/** The same limit for sessions opened by payment links. */
const OPEN_OF_LINKS = 100;
/** The newest sessions closed within a day are read every time: people pay twice, or just too late. */
const RECENTLY_CLOSED = 500;
const RECENTLY = `interval '1 day'`;
/** Addresses in open sweeps, and those that a sweep within the hour has emptied while the stored transfers say otherwise. */
const SWEPT = 500;
const SWEPT_LATELY = `interval '1 hour'`;
/** Other addresses that each final scan reads in rotation: two requests. A hundred thousand addresses take half an hour. */
const IN_ROTATION = 100;

/** The subject id of an address in quarantine (quarantined.ts, accountSubject). */
const UNREAD = `$3::int || ' ' || due.owner`;

export type DueAddresses = {
  readonly addresses: readonly DueAddress[];
  /** Session by address. */
  readonly sessions: ReadonlyMap<string, string>;
  /** Addresses in quarantine whose retry is due (unread.ts). */
  readonly quarantined: ReadonlySet<string>;
  /** Derivation index that the rotation has reached. */
  readonly through: number;
};

type Columns = {
  id: string;
  owner: string;
  turns: number;
  through: number | null;
  read_threshold: string;
  is_quarantined: boolean;
  is_due: boolean;
} & ({ account: null } | { account: string; currency: string; amount: string; signature: string | null });

/**
 * The due addresses of a followed chain, open sessions first. `openOnly`: open sessions alone, because only they have a payer who
 * watches the page.
 */
export async function findDueAddresses(
  db: Db,
  chain: { environment: Environment; network: string },
  at: { chainId: number; through: number; now: Date; openOnly: boolean },
): Promise<DueAddresses> {
  // OFFSET 0 forces one index lookup per address. Otherwise PostgreSQL reads the token accounts of all addresses that were ever paid.
  const text = `WITH turn AS (SELECT id, solana_address, address_index FROM sessions
      WHERE environment = $1::"Environment" AND address_index > $4 ORDER BY address_index LIMIT $7),
    open AS MATERIALIZED (SELECT id, solana_address, budget, row_number() OVER (PARTITION BY store_id, budget ORDER BY random()) AS place
      FROM sessions WHERE status = 'pending' AND environment = $1::"Environment" AND $2 = ANY(networks)),
    due AS (SELECT 0 AS rank, id, solana_address AS owner FROM open
        WHERE EXISTS (SELECT FROM unconfirmed_transfers s WHERE s.session_id = open.id AND s.chain_id = $3 AND s.orphaned_at IS NULL)
          OR EXISTS (SELECT FROM account_cursors a WHERE a.chain_id = $3 AND a.owner = open.solana_address OFFSET 0)
      UNION ALL (SELECT 0, id, solana_address FROM open WHERE budget = 'store' ORDER BY place, random() LIMIT ${OPEN_OF_STORES})
      UNION ALL (SELECT 0, id, solana_address FROM open WHERE budget = 'links' ORDER BY place, random() LIMIT ${OPEN_OF_LINKS})
      UNION ALL (SELECT 1, id, solana_address FROM sessions
        WHERE environment = $1::"Environment" AND closed_at > $5::timestamptz - ${RECENTLY}
        ORDER BY closed_at DESC LIMIT $6)
      UNION ALL (SELECT 1, session_id, address FROM sweep_items WHERE chain_id = $3 AND ended_at IS NULL LIMIT $8)
      UNION ALL (SELECT 1, i.session_id, i.address FROM sweep_items i
        WHERE i.chain_id = $3 AND i.ended_at > $5::timestamptz - ${SWEPT_LATELY}
          AND EXISTS (SELECT FROM deposit_balances d WHERE d.chain_id = i.chain_id AND d.address = i.address)
        ORDER BY i.ended_at DESC LIMIT $8)
      UNION ALL SELECT 2, id, solana_address FROM turn)
    SELECT due.id, due.owner, (SELECT count(*)::int FROM turn) AS turns,
      (SELECT max(address_index) FROM turn) AS through,
      m.account, m.currency, m.amount::text, m.signature, (SELECT ${READ_THRESHOLD}::text FROM sessions s WHERE s.id = due.id) AS read_threshold,
      NOT ${isNotQuarantined('account', UNREAD)} AS is_quarantined, ${isDueAlone('account', UNREAD, '$5::timestamptz')} AS is_due
    FROM due LEFT JOIN LATERAL (SELECT * FROM account_cursors a WHERE a.chain_id = $3 AND a.owner = due.owner OFFSET 0) AS m ON true
    ORDER BY due.rank, due.id, m.account`;
  const limits = at.openOnly ? [0, 0, 0] : [RECENTLY_CLOSED, IN_ROTATION, SWEPT];
  const values = [chain.environment, chain.network, at.chainId, at.through, at.now, ...limits];
  const { rows } = await db.query<Columns>({ name: 'watch_owners', text, values });
  const addresses = new Map<string, { cursors: Map<string, AccountCursor>; readThreshold: bigint }>();
  const sessions = new Map<string, string>();
  const quarantined = new Set<string>();
  for (const row of rows) {
    const { id, owner, read_threshold: readThreshold } = row;
    if (!row.is_due) continue;
    if (row.is_quarantined) quarantined.add(owner);
    const known = addresses.get(owner) ?? { cursors: new Map(), readThreshold: BigInt(readThreshold) };
    if (row.account !== null) {
      const { account, currency, amount, signature } = row;
      known.cursors.set(account, { account, owner, currency, amount: BigInt(amount), signature });
    }
    addresses.set(owner, known);
    sessions.set(owner, id);
  }
  return {
    addresses: [...addresses].map(([owner, { cursors, readThreshold }]) => ({
      owner,
      accountCursors: [...cursors.values()],
      readThreshold,
    })),
    sessions,
    quarantined,
    through: at.openOnly ? at.through : throughOf(rows[0]),
  };
}

/** Fewer rows than the limit: the rotation reached the end and starts again. */
const throughOf = (row: Columns | undefined): number =>
  row && row.turns === IN_ROTATION && row.through !== null ? row.through : -1;
