// What this database knows about the refund wallet's transactions, for the check before a refund is drafted (check.ts): from which time
// they must be compared, which of them are known, and whether this is still the database that they were compared with.

import type { Context } from '@/lib/platform/context';
import type { Db } from '@/lib/platform/database/db';
import type { Environment } from '@/lib/platform/ids';
import { IS_OPEN_DRAFT } from '@/lib/refunds/sending/draft/open-draft';

export type WalletChain = { readonly context: Pick<Context, 'pool' | 'clock'>; readonly chainId: number };

/** A database as it was observed. `newestAttempt`: the largest id of a refund's attempt. */
export type SeenDatabase = {
  readonly identity: string;
  readonly knownUntil: Date | null;
  readonly newestAttempt: bigint;
};

/** The clocks of the chain and of this service differ by less, and so do the nodes behind one address. */
export const CLOCK_MARGIN_SECONDS = 120;
/**
 * The newest block is ahead of a correct clock by less. TRON's producers make a block in its slot of three seconds, and the time of a
 * Solana block is the median of what validators voted some seconds before. A wider margin hides a snapshot of that age.
 */
export const NEWEST_AHEAD_SECONDS = 30;
/**
 * A final block is a minute old on TRON. The report of an endpoint that is further behind proves nothing about later transactions, so no
 * refund is drafted then. So a draft is dated at most this much later than the chain's newest block.
 */
export const BEHIND_SECONDS = 300;

/** A different value after the server was replaced or restarted, or after the database or its tables were created again. */
const IDENTITY = `concat_ws(' ', extract(epoch FROM pg_postmaster_start_time()),
  (SELECT oid FROM pg_database WHERE datname = current_database()), 'chains'::regclass::oid)`;
const SEEN = `${IDENTITY} AS identity, c.wallet_known_until,
  (SELECT coalesce(max(id), 0) FROM refund_attempts) AS newest_attempt`;

type SeenRow = {
  readonly identity: string;
  readonly wallet_known_until: Date | null;
  readonly newest_attempt: string;
};

const seenOf = (row: SeenRow): SeenDatabase => ({
  identity: row.identity,
  knownUntil: row.wallet_known_until,
  newestAttempt: BigInt(row.newest_attempt),
});

/**
 * From when transactions matter, in Unix seconds, at the earliest since the chain is followed here. Transactions before the last comparison
 * and the newest draft are in this database, and an operator has checked those up to `wallet_reviewed_until`. A draft that is dated in
 * the future shows a wrong clock and is left out. `firstCompared`: null in a database in which the wallet was never compared.
 */
export async function readSince({
  context,
  chainId,
}: WalletChain): Promise<{ readonly since: number; readonly seen: SeenDatabase; readonly firstCompared: Date | null }> {
  const { rows } = await context.pool.query<SeenRow & { since: string; first_compared: Date | null }>({
    name: 'wallet-known-since',
    text: `SELECT ${SEEN}, floor(extract(epoch FROM greatest(c.created_at, c.wallet_reviewed_until + interval '1 second',
                    greatest(c.wallet_known_until, (SELECT max(drafted_at) FROM refund_attempts
                      WHERE chain_id = c.id AND drafted_at <= $2)) - make_interval(secs => ${BEHIND_SECONDS})))) AS since,
             CASE WHEN c.wallet_identity = ${IDENTITY} THEN c.wallet_identity_at END AS first_compared
             FROM chains c WHERE c.id = $1`,
    values: [chainId, context.clock.now()],
  });
  const [row] = rows;
  if (!row) throw new Error(`there is no chain ${chainId}`);
  return { since: Number(row.since), seen: seenOf(row), firstCompared: row.first_compared };
}

/**
 * The present state of the database; null when it is not, or may not be, the one that was observed: a backup may have replaced it. A final
 * block that is later than this machine's clock shows a machine that was resumed from a snapshot of its memory.
 */
export async function readAgain({ context, chainId }: WalletChain, seen: SeenDatabase): Promise<SeenDatabase | null> {
  const latest = new Date(context.clock.now().getTime() + CLOCK_MARGIN_SECONDS * 1000);
  const { rows } = await context.pool.query<SeenRow & { is_clock_late: boolean }>({
    name: 'wallet-database-seen',
    text: `SELECT ${SEEN}, coalesce(c.final_time > $2, false) AS is_clock_late FROM chains c WHERE c.id = $1`,
    values: [chainId, latest],
  });
  const now = rows[0] && !rows[0].is_clock_late ? seenOf(rows[0]) : null;
  if (!now || now.identity !== seen.identity || now.newestAttempt < seen.newestAttempt) return null;
  const isOlder = seen.knownUntil !== null && (now.knownUntil === null || now.knownUntil < seen.knownUntil);
  return isOlder ? null : now;
}

/**
 * Stores that every transaction of the wallet up to a block time is known. Returns the resulting state of the database. Returns null, and
 * stores nothing, when the database is older than the one that was observed, or a different one.
 */
export async function storeKnown(
  { context, chainId }: WalletChain,
  { through, seen }: { readonly through: Date; readonly seen: SeenDatabase },
): Promise<SeenDatabase | null> {
  const { rows } = await context.pool.query<SeenRow>({
    name: 'wallet-known-until',
    text: `UPDATE chains c SET wallet_known_until = greatest(c.wallet_known_until, $2), wallet_trouble_at = NULL
            WHERE c.id = $1 AND ${IDENTITY} = $3
              AND ($4::timestamptz IS NULL OR c.wallet_known_until >= $4)
              AND (SELECT coalesce(max(id), 0) FROM refund_attempts) >= $5
           RETURNING ${SEEN}`,
    values: [chainId, through, seen.identity, seen.knownUntil, seen.newestAttempt.toString()],
  });
  return rows[0] ? seenOf(rows[0]) : null;
}

/** Stores once that the wallet was compared in this database. Copies of it, and later starts of its server, count as other databases. */
export async function recordDatabase({ context, chainId }: WalletChain, at: Date): Promise<void> {
  await context.pool.query({
    name: 'wallet-identity',
    text: `UPDATE chains SET wallet_identity = ${IDENTITY}, wallet_identity_at = $2
           WHERE id = $1 AND wallet_identity IS DISTINCT FROM ${IDENTITY}`,
    values: [chainId, at],
  });
}

/** Marks the wallet as never compared in this database, because transactions that another machine signed may still land. */
export async function forgetDatabase({ context, chainId }: WalletChain): Promise<void> {
  await context.pool.query({
    name: 'wallet-identity-forgotten',
    text: 'UPDATE chains SET wallet_identity = NULL, wallet_identity_at = NULL WHERE id = $1',
    values: [chainId],
  });
}

/** Call this once the signer is frozen for them: an operator who unfreezes the signer has checked all of them. */
export async function rememberUnknown({ context, chainId }: WalletChain, at: Date): Promise<void> {
  await context.pool.query({
    name: 'wallet-unknown',
    text: 'UPDATE chains SET wallet_reviewed_until = greatest(wallet_reviewed_until, $2) WHERE id = $1',
    values: [chainId, at],
  });
}

/**
 * Stores that an operator has checked the wallet of a network. Unknown transactions of a test network freeze no signer, so no unfreeze
 * confirms the check; the same holds where a list is too long to be compared. False: the network is not followed.
 */
export async function confirmWallet(
  db: Db,
  { environment, network }: { readonly environment: Environment; readonly network: string },
  now: Date,
): Promise<boolean> {
  const { rowCount } = await db.query(
    `UPDATE chains SET wallet_reviewed_until = greatest(wallet_reviewed_until, $3)
     WHERE environment = $1::"Environment" AND network = $2 AND retired_at IS NULL`,
    [environment, network, now],
  );
  return rowCount === 1;
}

/** Records that a comparison failed, and returns since when all of them fail; `lastComparison` is the last one that succeeded. */
export async function recordTrouble(
  { context, chainId }: WalletChain,
  { now, lastComparison }: { readonly now: Date; readonly lastComparison: Date | null },
): Promise<Date> {
  const { rows } = await context.pool.query<{ wallet_trouble_at: Date | null }>({
    name: 'wallet-trouble',
    text: `UPDATE chains SET wallet_trouble_at =
             CASE WHEN wallet_trouble_at >= coalesce($3::timestamptz, '-infinity') THEN wallet_trouble_at ELSE $2 END
           WHERE id = $1 RETURNING wallet_trouble_at`,
    values: [chainId, now, lastComparison],
  });
  return rows[0]?.wallet_trouble_at ?? now;
}

/**
 * When the wallet was last compared or used, whichever is later; null when it was never compared in this database. As in readSince, a draft
 * that is dated in the future is left out.
 */
export async function readLastComparison({ context, chainId }: WalletChain): Promise<Date | null> {
  const { rows } = await context.pool.query<{ at: Date | null }>({
    name: 'wallet-last-look',
    text: `SELECT greatest(c.wallet_known_until, (SELECT max(drafted_at) FROM refund_attempts
                    WHERE chain_id = c.id AND drafted_at <= $2)) AS at
             FROM chains c WHERE c.id = $1 AND c.wallet_identity = ${IDENTITY}`,
    values: [chainId, context.clock.now()],
  });
  return rows[0]?.at ?? null;
}

/** Whether a signed payment may exist whose hash this database has not stored yet, as after `npm run refunds -- recover`. */
export async function hasOpenDraft({ context, chainId }: WalletChain): Promise<boolean> {
  const { rowCount } = await context.pool.query({
    name: 'wallet-open-draft',
    text: `SELECT 1 FROM refund_attempts a WHERE a.chain_id = $1 AND ${IS_OPEN_DRAFT} LIMIT 1`,
    values: [chainId],
  });
  return rowCount === 1;
}

/** Which of these transactions are payments of this database. Their hashes are stored before they are sent (broadcast.ts). */
export async function knownAmong(
  { context, chainId }: WalletChain,
  hashes: readonly string[],
): Promise<ReadonlySet<string>> {
  const { rows } = await context.pool.query<{ hash: string }>({
    name: 'wallet-known-hashes',
    text: 'SELECT hash FROM refund_attempts WHERE chain_id = $1 AND hash IS NOT NULL AND hash = ANY($2)',
    values: [chainId, hashes],
  });
  return new Set(rows.map(({ hash }) => hash));
}

/** When the last signed payment on TRON expires, in Unix seconds; null when there is none. */
export async function knownExpiry({ context, chainId }: WalletChain): Promise<number | null> {
  const { rows } = await context.pool.query<{ expiry: string | null }>({
    name: 'wallet-known-expiry',
    text: `SELECT max((validity->>'expiresAt')::numeric) AS expiry FROM refund_attempts
           WHERE chain_id = $1 AND hash IS NOT NULL`,
    values: [chainId],
  });
  const expiry = rows[0]?.expiry ?? null;
  return expiry === null ? null : Number(expiry);
}
