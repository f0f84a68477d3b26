// The set-up of the webhook benchmark: its own PostgreSQL, stores with endpoints in the receivers' process, and the
// delivery loop as a process that can be killed.

import { fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { build } from 'esbuild';
import pg from 'pg';
import { tsImport } from 'tsx/esm/api';
import { openBenchServer, withMigrated } from '../database.mjs';

const ROOT = path.join(import.meta.dirname, '../../..');
const PROGRAM = path.join(ROOT, 'dist/bench/webhooks-deliverer.mjs');
const OWNER = '00000000-0000-4000-8000-000000000002';
const ENVIRONMENT = 'test';

/** `hanging` receivers never answer. `stores` are in the order of their receivers, hanging ones first. */
export async function openScene({ receivers, hanging }) {
  const server = await openBenchServer();
  const merchants = await startReceivers(receivers, hanging);
  const masterKey = randomBytes(32);
  const keys = new Map([[1, masterKey]]);
  const stores = merchants.ports.map((port, n) => ({ id: `st_hook_${String(n).padStart(4, '0')}`, port }));
  await withMigrated(server.url, (client) => addStores(client, keys, stores));
  await bundle();
  const pool = new pg.Pool({ connectionString: server.url, max: 8 });
  pool.on('error', () => {});
  const open = [];
  const startDeliverer = async () => {
    const one = await deliverer({ url: server.url, masterKeys: `1:${masterKey.toString('base64')}` });
    open.push(one);
    return one;
  };
  const stop = async () => {
    for (const one of open) await one.kill();
    merchants.stop();
    await pool.end();
    await server.stop();
  };
  return { pool, stores, merchants, startDeliverer, stop };
}

async function addStores(client, keys, stores) {
  const { sealSecret } = await tsImport('../../../lib/platform/crypto.ts', import.meta.url);
  const { webhookSecretPurpose } = await tsImport('../../../lib/webhooks/endpoint/secret.ts', import.meta.url);
  await client.query(
    `INSERT INTO users (id, email, password_hash, role) VALUES ($1, 'hooks@example.com', '-', 'merchant')`,
    [OWNER],
  );
  for (const { id, port } of stores) {
    await client.query(`INSERT INTO stores (id, owner_id, name, status) VALUES ($1, $2, $1, 'approved')`, [id, OWNER]);
    const sealed = sealSecret(keys, `whsec_${randomBytes(24).toString('hex')}`, webhookSecretPurpose(id, ENVIRONMENT));
    await client.query(
      `INSERT INTO webhook_endpoints (id, store_id, environment, url, secret_ciphertext) VALUES (gen_random_uuid(), $1, $2, $3, $4)`,
      [id, ENVIRONMENT, `http://127.0.0.1:${port}/hook`, sealed],
    );
  }
}

const bundle = () =>
  build({
    entryPoints: [path.join(import.meta.dirname, 'deliverer.ts')],
    outfile: PROGRAM,
    ...{ bundle: true, platform: 'node', format: 'esm', target: 'node20', packages: 'external', logLevel: 'warning' },
  });

function startReceivers(count, hanging) {
  const child = fork(path.join(import.meta.dirname, 'receivers.mjs'), [String(count), String(hanging)]);
  const next = () => new Promise((resolve) => child.once('message', resolve));
  const ask = (what) => {
    const answer = next();
    child.send({ ask: what });
    return answer;
  };
  return next().then(({ ports }) => ({
    ports,
    count: () => ask('count'),
    take: () => ask('take'),
    stop: () => child.kill('SIGKILL'),
  }));
}

async function deliverer({ url, masterKeys }) {
  const env = {
    PATH: process.env.PATH ?? '',
    NODE_ENV: 'production',
    DATABASE_URL: url,
    MASTER_KEYS: masterKeys,
    PUBLIC_URL: 'http://127.0.0.1:1',
    WEBHOOKS_TO_LOOPBACK: 'on',
    TEST_CHAINS: 'local',
    TEST_ETHEREUM_URLS: 'http://127.0.0.1:9',
    TEST_BSC_URLS: 'http://127.0.0.1:9',
    NEXTAUTH_SECRET: masterKeys,
  };
  const child = fork(PROGRAM, [], { cwd: ROOT, env, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  await Promise.race([
    new Promise((resolve) => child.once('message', resolve)),
    ended.then(() => Promise.reject(new Error('the delivery loop did not start'))),
  ]);
  const status = () => fs.readFileSync(`/proc/${child.pid}/status`, 'utf8');
  return {
    megabytes: () => Number(/VmRSS:\s+(\d+)/.exec(status())[1]) / 1024,
    kill: () => {
      child.kill('SIGKILL');
      return ended;
    },
  };
}
