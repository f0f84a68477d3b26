// The benchmarks' own PostgreSQL and its data: one approved store with one key, followed chains and older sessions. It
// holds more deposit addresses than a run uses. They are counters and not derived, because no payment is ever made
// here.

import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { tsImport } from 'tsx/esm/api';
import { migrate } from '../migrate.mjs';
import { startPostgres } from '../postgres.mjs';

/** More than all servers can assign in all rounds together. */
const ADDRESSES = 600_000;
/** Existing sessions, because PostgreSQL plans queries by table size. */
const PAST_SESSIONS = 100_000;
/** The store whose key the benchmarks sign with, and its owner. */
export const STORE = 'st_bench';
const OWNER = '00000000-0000-4000-8000-000000000001';

/** As in compose.yaml. */
const SETTINGS = ['max_wal_size=4GB', 'min_wal_size=512MB'];

/** PostgreSQL configured as in an installation: every commit reaches the disk. `stop` removes everything. */
export async function openBenchServer() {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'stabletill-bench-'));
  fs.chmodSync(directory, 0o755);
  const server = await startPostgres({ directory: path.join(directory, 'postgres'), settings: SETTINGS });
  const stop = async () => {
    await server.stop();
    fs.rmSync(directory, { recursive: true, force: true });
  };
  return { url: server.url, stop };
}

/**
 * A server with one database, migrated and filled. Resolves to its address, the key pair for signing, the master keys
 * that seal it, sessions to read, and `stop`, which removes everything.
 */
export async function openBenchDatabase() {
  const server = await openBenchServer();
  try {
    const keys = await withMigrated(server.url, async (client) => {
      const made = await addStore(client);
      await addAddresses(client, ADDRESSES);
      await addPast(client);
      await client.query('VACUUM ANALYZE');
      // A long-running installation reuses its log segments. A fresh one must first allocate each segment on disk while
      // every commit waits (measured: p99 of creates 90 ms instead of 27).
      await client.query('CHECKPOINT');
      return made;
    });
    const ids = Array.from({ length: 1000 }, (_, n) => `cs_test_${String(1 + n * 97).padStart(22, '0')}`);
    return { url: server.url, ...keys, ids, stop: server.stop };
  } catch (error) {
    await server.stop();
    throw error;
  }
}

/** Migrates a database, runs the work in it, and resolves to the result of the work. */
export async function withMigrated(url, work) {
  await migrate(url);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** One approved store with one key, and two followed chains. Resolves to the key pair and its master keys. */
export async function addStore(client, masterKey = randomBytes(32)) {
  const { sealSecret, sha256 } = await tsImport('../../lib/platform/crypto.ts', import.meta.url);
  const { apiSecretPurpose } = await tsImport('../../lib/merchants/api-keys/verify-key.ts', import.meta.url);
  const { newApiKey, newApiSecret } = await tsImport('../../lib/platform/ids.ts', import.meta.url);
  const [apiKey, apiSecret] = [newApiKey('test'), newApiSecret('test')];
  const keyHash = sha256(apiKey);
  const sealed = sealSecret(new Map([[1, masterKey]]), apiSecret, apiSecretPurpose(keyHash));
  await client.query(
    `INSERT INTO users (id, email, password_hash, role) VALUES ($1, 'bench@example.com', '-', 'merchant')`,
    [OWNER],
  );
  await client.query(`INSERT INTO stores (id, owner_id, name, status) VALUES ($1, $2, 'Benchmark', 'approved')`, [
    STORE,
    OWNER,
  ]);
  await client.query(
    `INSERT INTO api_keys (store_id, environment, name, key_hash, key_hint, secret_ciphertext)
     VALUES ($1, 'test', 'bench', $2, $3, $4)`,
    [STORE, keyHash, apiKey.slice(-4), sealed],
  );
  // No worker reads them here, and a network that was not read for a minute is not offered.
  await client.query(`INSERT INTO chains (environment, network, genesis, tip_number, tip_hash, final_number, final_hash, final_time, scanned_at)
    SELECT 'test', network, '0x00', 1, '0x01', 1, '0x01', now(), now() + interval '1 day' FROM unnest(ARRAY['ethereum', 'bsc']) AS network`);
  return { apiKey, apiSecret, masterKeys: `1:${masterKey.toString('base64')}` };
}

/** Free deposit addresses with indexes above `after`. */
export async function addAddresses(client, count, after = 0) {
  await client.query(
    `INSERT INTO address_pool (environment, address_index, evm_address, tron_address, solana_address)
     SELECT 'test', n, '0x' || lpad(to_hex(n), 40, '0'), 'T' || lpad(n::text, 33, 'x'), lpad(n::text, 44, 'x')
     FROM generate_series($1::int + 1, $1::int + $2::int) AS n`,
    [after, count],
  );
}

async function addPast(client) {
  await client.query(`INSERT INTO sessions (id, store_id, environment, order_id, amount_total, currency, amount_due, currencies,
      networks, description, metadata, created_at, expires_at, address_index, evm_address, tron_address, solana_address)
    SELECT 'cs_test_' || lpad(n::text, 22, '0'), '${STORE}', 'test', 'past-' || n, 1250, 'USD', 1250, '{USDT,USDC}',
      '{bsc,ethereum}', 'One blue mug', '{"cart":"42"}', now(), now() + interval '30 minutes', -n, 'p' || n, 'p' || n, 'p' || n
    FROM generate_series(1, ${PAST_SESSIONS}) AS n`);
  await client.query(
    `INSERT INTO nonces (key_id, nonce) SELECT 1, gen_random_uuid() FROM generate_series(1, ${PAST_SESSIONS})`,
  );
}
