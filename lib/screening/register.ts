// Requests the answers about senders: those of new transfers in each run, and those of everything that deposit addresses hold a page at a
// time. The latter finds what was stored before the screening was switched on, or while no worker ran.

import { isRowFault, type Db } from '@/lib/platform/database/db';
import type { Environment } from '@/lib/platform/ids';
import { isSender } from './sender-sql';

/** Time between two walks over all deposit addresses with money, and how far back new transfers are read meanwhile. */
const [WALK_MILLISECONDS, RECENT_MILLISECONDS] = [300_000, 600_000];
/** Balances that one run reads, so that a run is short however many addresses hold money. */
export const HELD_PAGE = 2000;
/** Transfers that one statement registers. */
const MAX_REGISTERED = 500;

/** How far the walk over all deposit addresses has come; the step keeps it in memory. `after` is null between two walks. */
export type Walk = { allAt: number; after?: HeldKey | null };
type HeldKey = { readonly address: string; readonly currency: string };
type Held = HeldKey & { readonly sessionId: string };

type Of = { readonly environment: Environment; readonly network: string; readonly now: Date };

/** Runs both parts even if the first fails. Without a `walk`, all deposit addresses are read from the first one, and one page of them. */
export async function registerSenders(db: Db, of: Of, walk: Walk = { allAt: Number.NEGATIVE_INFINITY }): Promise<void> {
  try {
    await registerRecent(db, of);
  } finally {
    await registerPage(db, of, walk);
  }
}

// OFFSET 0, here and below, makes PostgreSQL look up each row by an index. Otherwise it may read a whole table for one page.
const IS_UNKNOWN = `NOT EXISTS (SELECT FROM screenings x
  WHERE ${isSender({ screening: 'x', transfer: 't', environment: '$1::"Environment"' })} OFFSET 0)`;

/** A statement that registers the senders of transfers `t`. It returns how many transfers lacked a request. */
const registering = (
  from: string,
): string => `WITH missing AS MATERIALIZED (SELECT t.network, t.payer, t.transaction_hash, t.session_id FROM chains c ${from}
    WHERE c.environment = $1::"Environment" AND c.network = $2 AND c.retired_at IS NULL AND ${IS_UNKNOWN}
    LIMIT ${MAX_REGISTERED}),
  registered AS (INSERT INTO screenings (environment, network, address, role, transaction_hash, store_id, requested_at, next_at)
    SELECT DISTINCT $1::"Environment", m.network, m.payer, 'sender', m.transaction_hash,
      coalesce((SELECT store_id FROM sessions WHERE id = m.session_id), ''), $3::timestamptz, $3::timestamptz
    FROM missing m ON CONFLICT DO NOTHING)
  SELECT count(*)::int AS missing FROM missing`;

/** Requests the answers about the senders of recent transfers, the newest first, because those before them may be a flood. */
export async function registerRecent(db: Db, { environment, network, now }: Of): Promise<void> {
  await db.query({
    name: 'screening-register-recent',
    text: registering(`CROSS JOIN LATERAL (SELECT * FROM transfers
      WHERE chain_id = c.id AND created_at >= $4 ORDER BY created_at DESC OFFSET 0) AS t`),
    values: [environment, network, now, new Date(now.getTime() - RECENT_MILLISECONDS)],
  });
}

/** The next page of the walk. It stays at a page until all its senders are registered, and skips a page whose registration fails because of a row. */
async function registerPage(db: Db, of: Of, walk: Walk): Promise<void> {
  const at = of.now.getTime();
  if (!walk.after && Math.abs(at - walk.allAt) < WALK_MILLISECONDS) return;
  const page = await readHeld(db, of, walk.after ?? { address: '', currency: '' });
  const goOn = (): void => {
    const isLast = page.length < HELD_PAGE;
    Object.assign(walk, isLast ? { allAt: at, after: null } : { after: page.at(-1) });
  };
  try {
    if (!(await registerHeld(db, of, page)).more) goOn();
  } catch (error) {
    if (isRowFault(error)) goOn();
    throw error;
  }
}

/** The balances of deposit addresses behind a key, in the order of the primary key. */
async function readHeld(
  db: Db,
  { environment, network }: Of,
  { address, currency }: HeldKey,
): Promise<readonly Held[]> {
  const { rows } = await db.query<Held>({
    name: 'screening-held',
    text: `SELECT address, currency, session_id AS "sessionId" FROM deposit_balances
           WHERE chain_id = (SELECT id FROM chains WHERE environment = $1::"Environment" AND network = $2 AND retired_at IS NULL)
             AND (address, currency) > ($3, $4)
           ORDER BY address, currency LIMIT ${HELD_PAGE}`,
    values: [environment, network, address, currency],
  });
  return rows;
}

/** Requests the answers about everyone who paid to these deposit addresses. */
async function registerHeld(
  db: Db,
  { environment, network, now }: Of,
  held: readonly Held[],
): Promise<{ more: boolean }> {
  if (held.length === 0) return { more: false };
  const { rows } = await db.query<{ missing: number }>({
    name: 'screening-register-held',
    text: registering(`CROSS JOIN unnest($4::text[], $5::text[]) AS d (session_id, address)
      JOIN LATERAL (SELECT * FROM transfers WHERE session_id = d.session_id AND recipient = d.address OFFSET 0) AS t
        ON t.chain_id = c.id`),
    values: [environment, network, now, held.map(({ sessionId }) => sessionId), held.map(({ address }) => address)],
  });
  return { more: rows[0]?.missing === MAX_REGISTERED };
}
