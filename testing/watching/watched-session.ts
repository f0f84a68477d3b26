// Puts a session into the database for tests of watching, in the state that the create endpoint leaves.

import { randomBytes, randomUUID } from 'node:crypto';
import type { Pool } from '@/lib/platform/database/db';
import { fromUnixSeconds } from '@/lib/platform/clock';

let stores: WeakMap<Pool, Promise<string>> | undefined;
let index = 0;

/** One approved store per database. */
export function watchedStore(pool: Pool): Promise<string> {
  stores ??= new WeakMap();
  const known = stores.get(pool);
  if (known) return known;
  const made = insertStore(pool);
  stores.set(pool, made);
  return made;
}

/** A further approved store. */
export const anotherStore = (pool: Pool): Promise<string> => insertStore(pool);

async function insertStore(pool: Pool): Promise<string> {
  const owner = randomUUID();
  await pool.query(`INSERT INTO users (id, email, password_hash, role) VALUES ($1, $2, '-', 'merchant')`, [
    owner,
    `${owner}@example.com`,
  ]);
  await pool.query(`INSERT INTO stores (id, owner_id, name, status) VALUES ($1, $2, 'Test', 'approved')`, [
    `st_${owner}`,
    owner,
  ]);
  return `st_${owner}`;
}

export type WatchedSession = { id: string; address: string };

/** A pending session over `amountDue` cents with its own address. */
export async function watchedSession(
  pool: Pool,
  given: {
    createdAt: number;
    amountDue?: bigint;
    networks?: string[];
    expiresIn?: number;
    solanaAddress?: string;
    storeId?: string;
    tronAddress?: string;
    /** The contract whose forwarder that is. */
    tronFactory?: string | null;
    /** A deposit address with its derivation index. */
    deposit?: { readonly index: number; readonly evm: string };
  },
): Promise<WatchedSession> {
  const storeId = given.storeId ?? (await watchedStore(pool));
  const id = `cs_test_${randomBytes(16).toString('hex')}`;
  const address = given.deposit?.evm ?? `0x${randomBytes(20).toString('hex')}`;
  const amount = given.amountDue ?? 1234n;
  await pool.query(
    `INSERT INTO sessions (id, store_id, environment, order_id, amount_total, currency, amount_due, currencies, networks,
       created_at, expires_at, address_index, evm_address, tron_address, solana_address, tron_factory)
     VALUES ($1, $2, 'test', $1, $3, 'USD', $3, '{USDT,USDC}', $4, $5, $6, $7, $8, $10, $9, $11)`,
    [
      id,
      storeId,
      amount,
      given.networks ?? ['ethereum'],
      fromUnixSeconds(given.createdAt),
      fromUnixSeconds(given.createdAt + (given.expiresIn ?? 1800)),
      given.deposit?.index ?? ++index,
      address,
      given.solanaAddress ?? id,
      given.tronAddress ?? id,
      given.tronFactory ?? null,
    ],
  );
  return { id, address };
}

/** The payments of a session in the database. */
export async function paymentsOf(pool: Pool, id: string) {
  const one = async (text: string) => (await pool.query(text, [id])).rows;
  const [session] = await one('SELECT status, exception, amount_received::text FROM sessions WHERE id = $1');
  const transfers = await one(
    'SELECT network, amount::text, currency, decimals FROM transfers WHERE session_id = $1 ORDER BY id',
  );
  const unconfirmed = await one(
    'SELECT orphaned_at IS NOT NULL AS orphaned FROM unconfirmed_transfers WHERE session_id = $1 ORDER BY id',
  );
  const entries = await one('SELECT id FROM ledger_entries WHERE session_id = $1');
  const events = await one('SELECT type FROM events WHERE object_id = $1 ORDER BY type');
  return {
    status: session.status as string,
    exception: session.exception as string,
    received: session.amount_received as string,
    transfers: transfers as { network: string; amount: string; currency: string; decimals: number }[],
    unconfirmed: unconfirmed.map(({ orphaned }) => (orphaned ? 'orphaned' : 'seen')),
    entries: entries.length,
    events: events.map(({ type }) => type as string),
  };
}
