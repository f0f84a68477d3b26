// Direct access to the sandbox's PostgreSQL, beside the product. It points the stores' webhooks at the test's receiver,
// and later compares the stored data with what merchants received.

import fs from 'node:fs';
import path from 'node:path';
import pg from 'pg';

/** In the data directory: the address of a database that does not run in it. */
export const DATABASE_FILE = 'database-url';

/** Runs `work` with a function that returns the rows of a statement. */
export async function inDatabase(dataDir, work) {
  const client = new pg.Client({ connectionString: databaseUrl(dataDir) });
  client.on('error', () => {}); // A lost connection fails the statement that waits for it.
  await client.connect();
  try {
    return await work(async (text, values = []) => (await client.query(text, values)).rows);
  } finally {
    await client.end().catch(() => {});
  }
}

/** The owner's address. The embedded server writes its port into the fourth line of postmaster.pid. */
function databaseUrl(dataDir) {
  const file = path.join(dataDir, DATABASE_FILE);
  if (fs.existsSync(file)) return fs.readFileSync(file, 'utf8');
  const folder = fs.readdirSync(dataDir).find((name) => fs.existsSync(path.join(dataDir, name, 'postmaster.pid')));
  if (!folder) throw new Error(`no running PostgreSQL below ${dataDir}`);
  const port = fs.readFileSync(path.join(dataDir, folder, 'postmaster.pid'), 'utf8').split('\n')[3];
  const { OWNER_DATABASE_PASSWORD: password } = JSON.parse(fs.readFileSync(path.join(dataDir, 'secrets.json'), 'utf8'));
  return `postgresql://app:${password}@127.0.0.1:${port}/app`;
}

export const pointWebhooks = (dataDir, url) =>
  inDatabase(dataDir, (query) => query(`UPDATE webhook_endpoints SET url = $1 || '/' || store_id`, [url]));

/**
 * Lets every key request payouts, sends their events, and adds an address of the store for the network. The worker announces it, as any
 * other.
 */
export const openPayouts = (dataDir, { storeId, network, address }) =>
  inDatabase(dataDir, async (query) => {
    await query(
      `UPDATE api_keys SET scopes = scopes || '{payouts:read,payouts:write}' WHERE NOT scopes @> '{payouts:read}'`,
    );
    await query(`UPDATE webhook_endpoints SET optional_events = '{payout.paid,payout.failed}'`);
    await query(
      `INSERT INTO payout_addresses (id, store_id, environment, network, address, created_at, created_by)
       SELECT 'pa_' || replace(gen_random_uuid()::text, '-', ''), $1, 'test', $2, $3, now(), user_id FROM members
       WHERE store_id = $1 AND role = 'owner' LIMIT 1`,
      [storeId, network, address],
    );
  });

/** Lets a day pass for the payouts, of which a store may request fifty a day. Their rows say for ever when they were requested. */
export const agePayouts = (dataDir) =>
  inDatabase(dataDir, async (query) => {
    await query('BEGIN');
    await query('ALTER TABLE payouts DISABLE TRIGGER payouts_keep_facts');
    await query(
      `UPDATE payouts SET created_at = created_at - interval '1 day' WHERE created_at > now() - interval '1 day'`,
    );
    await query('ALTER TABLE payouts ENABLE TRIGGER payouts_keep_facts');
    await query('COMMIT');
  });

/** Sessions with pending work or undelivered events. */
export const openSessions = (dataDir, ids) =>
  inDatabase(dataDir, (query) =>
    query(
      `SELECT id FROM sessions WHERE id = ANY($1) AND status = 'pending'
       UNION SELECT v.object_id FROM deliveries d JOIN events v ON v.id = d.event_id
       WHERE v.object_id = ANY($1) AND d.status = 'pending'`,
      [ids],
    ),
  );

/** The stored data of these sessions. */
export function readFacts(dataDir, ids) {
  return inDatabase(dataDir, async (query) => {
    const counts = async (sql) => new Map((await query(sql, [ids])).map((row) => [row.id, Number(row.count)]));
    const held = await query(
      `SELECT coalesce(sum(p.amount / (10::numeric ^ (t.decimals - 2))), 0)::text AS cents FROM ledger_postings p
       JOIN ledger_entries e ON e.id = p.entry_id JOIN transfers t ON t.id = e.transfer_id
       WHERE p.account = 'received' AND e.session_id = ANY($1)`,
      [ids],
    );
    const unbalanced = await query(
      `SELECT 'entry ' || entry_id AS what FROM ledger_postings GROUP BY entry_id, network, currency HAVING sum(amount) <> 0`,
    );
    const undelivered = await query(
      `SELECT concat_ws(' ', v.object_id, v.type, d.status, 'attempts:',
         (SELECT string_agg(concat_ws(' ', a.status_code, a.error), ', ' ORDER BY a.number)
          FROM delivery_attempts a WHERE a.delivery_id = d.id)) AS what
       FROM deliveries d JOIN events v ON v.id = d.event_id WHERE d.status <> 'delivered' AND v.object_id = ANY($1)`,
      [ids],
    );
    return {
      transfers: await counts('SELECT session_id AS id, count(*) FROM transfers WHERE session_id = ANY($1) GROUP BY 1'),
      moves: await counts(
        'SELECT session_id AS id, count(*) FROM session_status_changes WHERE session_id = ANY($1) GROUP BY 1',
      ),
      events: await counts(
        `SELECT object_id AS id, count(*) FROM events WHERE object_id = ANY($1) AND type = 'payment.completed' GROUP BY 1`,
      ),
      undelivered: undelivered.map((row) => row.what),
      unbalanced: unbalanced.map((row) => row.what),
      held: BigInt(held[0].cents.split('.')[0]),
    };
  });
}
