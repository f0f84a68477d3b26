// The databases of the watcher benchmark: one PostgreSQL with a database per number of watched addresses. The first
// addresses are the same in each, and only they are paid.

import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { migrate } from '../../migrate.mjs';
import { startPostgres } from '../../postgres.mjs';

/** Rows per insert. */
const CHUNK = 10_000;

/** Starts the server. `fill` makes a database; `stop` removes everything. */
export async function openDatabases() {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'stabletill-watch-'));
  fs.chmodSync(directory, 0o755);
  const server = await startPostgres({ directory: path.join(directory, 'postgres') });
  const stop = async () => {
    await server.stop();
    fs.rmSync(directory, { recursive: true, force: true });
  };
  return { stop, fill: (sessions, chains) => fill(server.url, sessions, chains) };
}

/**
 * A migrated database with one pending session per address and one row per chain, whose cursor is at block 0.
 * @param {string} server
 * @param {{ evm: string, tron: string, solana: string }[]} sessions deposit addresses
 * @param {{ network: string, genesis: string }[]} chains
 */
async function fill(server, sessions, chains) {
  const name = `watched_${sessions.length}`;
  const url = new URL(server);
  url.pathname = `/${name}`;
  await on(server, (client) => client.query(`CREATE DATABASE ${name}`));
  await migrate(url.href);
  await on(url.href, async (client) => {
    await client.query(`INSERT INTO users (id, email, password_hash, role)
      VALUES ('00000000-0000-4000-8000-000000000001', 'bench@example.com', '-', 'merchant')`);
    await client.query(`INSERT INTO stores (id, owner_id, name, status)
      VALUES ('st_bench', '00000000-0000-4000-8000-000000000001', 'Benchmark', 'approved')`);
    await client.query(
      `INSERT INTO chains (environment, network, genesis, tip_number, tip_hash, final_number, final_hash, final_time)
       SELECT 'test', network, genesis, 0, genesis, 0, genesis, now() FROM unnest($1::text[], $2::text[]) AS c (network, genesis)`,
      [chains.map((one) => one.network), chains.map((one) => one.genesis)],
    );
    for (let from = 0; from < sessions.length; from += CHUNK) {
      const part = sessions.slice(from, from + CHUNK);
      await client.query(
        `INSERT INTO sessions (id, store_id, environment, order_id, amount_total, currency, amount_due, currencies, networks,
           description, metadata, created_at, expires_at, address_index, evm_address, tron_address, solana_address)
         SELECT 'cs_test_' || lpad(n::text, 22, '0'), 'st_bench', 'test', 'order-' || n, 1250, 'USD', 1250, '{USDT,USDC}',
           '{ethereum,bsc,tron,solana}', 'One blue mug', '{"cart":"42"}', now(), now() + interval '1 day', n, evm, tron, solana
         FROM unnest($1::int[], $2::text[], $3::text[], $4::text[]) AS s (n, evm, tron, solana)`,
        [
          part.map((_, index) => from + index),
          part.map((one) => one.evm),
          part.map((one) => one.tron),
          part.map((one) => one.solana),
        ],
      );
    }
    await client.query('VACUUM ANALYZE');
    await client.query('CHECKPOINT');
  });
  return url.href;
}

async function on(url, work) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
