#!/usr/bin/env node
// Offline stand-in for Prisma's native schema-engine: speaks its JSON-RPC on stdio, backed by the
// official @prisma/schema-engine-wasm build of the same commit + @prisma/adapter-pg.
// Use: PRISMA_SCHEMA_ENGINE_BINARY=./scripts/schema-engine.mjs npx prisma migrate dev|deploy|status|diff|reset, db push|pull
import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import readline from 'node:readline';
import pg from 'pg';
import { PrismaPg } from '@prisma/adapter-pg';
import { bindMigrationAwareSqlAdapterFactory, ColumnTypeEnum } from '@prisma/driver-adapter-utils';
import * as bg from '@prisma/schema-engine-wasm/schema_engine_bg';

const require = createRequire(import.meta.url);
const argv = process.argv.slice(2);
const opt = (name) => argv.flatMap((a, i) => (a === name ? [argv[i + 1]] : []));
if (argv.includes('--version')) {
  console.log('schema-engine-wasm ' + bg.version?.());
  process.exit(0);
}
const url = new URL(JSON.parse(opt('--datasource')[0] ?? '{}').url);
const conn = (database) => ({
  // discrete fields: adapter-pg's shadow database must be able to override `database`
  host: url.hostname,
  port: Number(url.port || 5432),
  user: decodeURIComponent(url.username),
  password: decodeURIComponent(url.password) || undefined,
  database: database ?? decodeURIComponent(url.pathname.slice(1)),
});

// `schema-engine cli can-connect-to-database | create-database | drop-database`
if (argv.includes('cli')) {
  const cmd = argv[argv.indexOf('cli') + 1],
    db = conn().database,
    id = pg.escapeIdentifier(db);
  const sql = {
    'create-database': `CREATE DATABASE ${id}`,
    'drop-database': `DROP DATABASE IF EXISTS ${id} WITH (FORCE)`,
  }[cmd];
  const c = new pg.Client(conn(sql ? 'postgres' : undefined));
  try {
    await c.connect();
    if (sql) await c.query(sql);
    await c.end();
    process.exit(0);
  } catch (e) {
    const [error_code, meta] =
      e.code === '3D000'
        ? ['P1003', { database_name: db }]
        : e.code?.startsWith('28')
          ? ['P1000', { database_user: url.username }]
          : e.code === '42P04'
            ? ['P1009', { database_name: db }]
            : ['P1001', { database_location: url.host }];
    console.error(
      'schema-engine (wasm)\n' +
        JSON.stringify({
          level: 'ERROR',
          fields: { is_panic: false, error_code, message: e.message, meta },
          target: 'schema_engine::logger',
        }),
    );
    process.exit(1);
  }
}

globalThis.PRISMA_WASM_PANIC_REGISTRY = {
  set_message: (m) => {
    console.error(m);
  },
};
const wasm = new WebAssembly.Module(
  fs.readFileSync(require.resolve('@prisma/schema-engine-wasm/schema_engine_bg').replace(/\.js$/, '.wasm')),
);
const instance = new WebAssembly.Instance(wasm, { './schema_engine_bg.js': bg });
bg.__wbg_set_wasm(instance.exports);
instance.exports.__wbindgen_start();

const patch = (a) => {
  const io = a.performIO.bind(a),
    raw = a.queryRaw.bind(a);
  let chars = []; // adapter-pg 7 has no mapping for oid 18 ("char", used by the catalogue)
  a.performIO = async (q) => {
    const r = await io(q);
    chars = r.fields?.flatMap((f, i) => (f.dataTypeID === 18 ? [i] : [])) ?? [];
    return chars.length
      ? { ...r, fields: r.fields.map((f) => (f.dataTypeID === 18 ? { ...f, name: f.name, dataTypeID: 1043 } : f)) }
      : r;
  };
  a.queryRaw = async (q) => {
    const r = await raw(q);
    for (const i of chars) r.columnTypes[i] = ColumnTypeEnum.Character;
    return r;
  };
  a.executeScript = async (s) => {
    try {
      await a.client.query(s);
    } catch (e) {
      a.onError(e);
    }
  }; // adapter-pg splits at every ';' and so breaks $$ bodies
  const tx = a.startTransaction?.bind(a);
  if (tx) a.startTransaction = async (...x) => patch(await tx(...x));
  return a;
};
const admin = async (sql) => {
  const c = new pg.Client(conn('postgres'));
  await c.connect();
  try {
    await c.query(sql);
  } finally {
    await c.end();
  }
};
const shadow = async () => {
  // adapter-pg drops its shadow database while its own pool still holds it
  const name = `prisma_migrate_shadow_db_${randomUUID()}`;
  await admin(`CREATE DATABASE "${name}"`);
  const a = patch(await new PrismaPg(conn(name)).connect()),
    dispose = a.dispose.bind(a);
  a.dispose = async () => {
    await dispose();
    await admin(`DROP DATABASE IF EXISTS "${name}" WITH (FORCE)`);
  };
  return a;
};
const base = new PrismaPg(conn());
const factory = bindMigrationAwareSqlAdapterFactory({
  provider: base.provider,
  adapterName: base.adapterName,
  connect: async () => patch(await base.connect()),
  connectToShadowDb: shadow,
});
const files = opt('--datamodels');
const engine = await bg.SchemaEngine.new(
  { datamodels: files.length ? files.map((f) => [f, fs.readFileSync(f, 'utf8')]) : undefined },
  () => {},
  factory,
);

let queue = Promise.resolve();
const rl = readline.createInterface({ input: process.stdin });
rl.on('line', (line) => {
  queue = queue.then(async () => {
    const { id, method, params } = JSON.parse(line);
    let out;
    if (!method) return; // the CLI's answer to our print
    try {
      out = { result: (await engine[method === 'getDatabaseVersion' ? 'version' : method](params)) ?? null };
      if (process.env.SHIM_TRACE)
        fs.appendFileSync(process.env.SHIM_TRACE, method + ' ' + JSON.stringify(out).slice(0, 800) + '\n');
      if (method === 'diff' && out.result.stdout)
        process.stdout.write(
          JSON.stringify({
            jsonrpc: '2.0',
            method: 'print',
            params: { content: out.result.stdout },
            id: 'print-' + id,
          }) + '\n',
        );
    } catch (e) {
      if (process.env.SHIM_TRACE)
        fs.appendFileSync(process.env.SHIM_TRACE, method + ' ERR ' + e.message + JSON.stringify(e) + '\n');
      out = {
        error: {
          code: 4466,
          message: 'An error happened. Check the data field for details.',
          data: {
            is_panic: false,
            message: e.message ?? String(e),
            meta: e.meta ?? {},
            ...(e.code ? { error_code: e.code } : {}),
          },
        },
      };
    }
    process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, ...out }) + '\n');
  });
});
rl.on('close', () => queue.then(() => process.exit(0)));
