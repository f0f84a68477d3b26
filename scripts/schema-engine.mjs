#!/usr/bin/env node
// Replaces Prisma's native schema engine, which the Prisma CLI would otherwise download before every command. It speaks
// the same JSON-RPC on standard input and output, backed by the official WebAssembly build of that engine and the pg
// driver adapter. prisma.config.ts names it. A machine with the native engine can set PRISMA_SCHEMA_ENGINE_BINARY.

import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import readline from 'node:readline';
import { PrismaPg } from '@prisma/adapter-pg';
import { bindMigrationAwareSqlAdapterFactory, ColumnTypeEnum } from '@prisma/driver-adapter-utils';
import * as bindings from '@prisma/schema-engine-wasm/schema_engine_bg';
import pg from 'pg';

const WASM_MODULE = '@prisma/schema-engine-wasm/schema_engine_bg';
/** The types "char" (as PostgreSQL's catalogue names it) and varchar. */
const OID_CHAR = 18;
const OID_VARCHAR = 1043;
/** The code that the CLI expects with an engine error. */
const ENGINE_ERROR = 4466;

const args = process.argv.slice(2);
if (args.includes('--version')) console.log(`schema-engine-wasm ${bindings.version?.()}`);
else if (args.includes('cli')) await databaseCommand(args[args.indexOf('cli') + 1]);
else await serve();

/** `schema-engine cli can-connect-to-database | create-database | drop-database`: exits with 0 on success. */
async function databaseCommand(command) {
  const { database } = connectionTo();
  const name = pg.escapeIdentifier(database);
  const statements = {
    'create-database': `CREATE DATABASE ${name}`,
    'drop-database': `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`,
  };
  const statement = statements[command];
  try {
    await execute(connectionTo(statement ? 'postgres' : undefined), statement ?? 'SELECT 1');
  } catch (error) {
    const [code, meta] = knownError(error, database);
    const fields = { is_panic: false, error_code: code, message: error.message, meta };
    // The CLI reads the last line that is JSON.
    console.error(
      `schema-engine (wasm)\n${JSON.stringify({ level: 'ERROR', fields, target: 'schema_engine::logger' })}`,
    );
    process.exitCode = 1;
  }
}

/** Prisma's code for a PostgreSQL error, with the details for Prisma's message. */
function knownError({ code }, database) {
  if (code === '3D000') return ['P1003', { database_name: database }];
  if (code === '42P04') return ['P1009', { database_name: database }];
  if (code?.startsWith('28')) return ['P1000', { database_user: connectionTo().user }];
  return ['P1001', { database_location: `${connectionTo().host}:${connectionTo().port}` }];
}

/** Serves the CLI's requests one after the other until it closes standard input. */
async function serve() {
  const engine = await openEngine();
  for await (const line of readline.createInterface({ input: process.stdin })) {
    const { id, method, params } = JSON.parse(line);
    // Without a method it is the CLI's response to our print request.
    if (method) write({ id, ...(await answer(engine, { id, method, params })) });
  }
  process.exit(0);
}

async function answer(engine, { id, method, params }) {
  try {
    const call = method === 'getDatabaseVersion' ? 'version' : method;
    const result = (await engine[call](params)) ?? null;
    // The native engine prints a diff through the CLI; the WebAssembly build returns it.
    if (method === 'diff' && result.stdout) {
      write({ method: 'print', params: { content: result.stdout }, id: `print-${id}` });
    }
    return { result };
  } catch (error) {
    const { message = String(error), meta = {}, code } = error;
    const data = { is_panic: false, message, meta, ...(code ? { error_code: code } : {}) };
    return { error: { code: ENGINE_ERROR, message: 'An error happened. Check the data field for details.', data } };
  }
}

function write(message) {
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
}

async function openEngine() {
  globalThis.PRISMA_WASM_PANIC_REGISTRY = { set_message: (message) => console.error(message) };
  const file = createRequire(import.meta.url)
    .resolve(WASM_MODULE)
    .replace(/\.js$/, '.wasm');
  const { instance } = await WebAssembly.instantiate(fs.readFileSync(file), { './schema_engine_bg.js': bindings });
  bindings.__wbg_set_wasm(instance.exports);
  instance.exports.__wbindgen_start();

  const adapter = new PrismaPg(connectionTo());
  const factory = bindMigrationAwareSqlAdapterFactory({
    provider: adapter.provider,
    adapterName: adapter.adapterName,
    connect: async () => repair(await adapter.connect()),
    connectToShadowDb: openShadowDatabase,
  });
  const schemas = options('--datamodels').map((one) => [one, fs.readFileSync(one, 'utf8')]);
  return bindings.SchemaEngine.new({ datamodels: schemas.length > 0 ? schemas : undefined }, () => {}, factory);
}

/** A database for replaying the migrations. The adapter's own version drops it while its pool still uses it. */
async function openShadowDatabase() {
  const name = `prisma_migrate_shadow_db_${randomUUID()}`;
  await execute(connectionTo('postgres'), `CREATE DATABASE "${name}"`);
  const connection = repair(await new PrismaPg(connectionTo(name)).connect());
  const dispose = connection.dispose.bind(connection);
  connection.dispose = async () => {
    await dispose();
    await execute(connectionTo('postgres'), `DROP DATABASE IF EXISTS "${name}" WITH (FORCE)`);
  };
  return connection;
}

/** Adds adapter features that migrations need. */
function repair(connection) {
  readCatalogueChars(connection);
  // The adapter splits a script at every semicolon, which breaks function bodies.
  connection.executeScript = async (script) => {
    try {
      await connection.client.query(script);
    } catch (error) {
      connection.onError(error);
    }
  };
  const startTransaction = connection.startTransaction?.bind(connection);
  if (startTransaction) connection.startTransaction = async (...given) => repair(await startTransaction(...given));
  return connection;
}

/** The adapter lacks "char". Its columns are read as varchar and reported to the engine as characters. */
function readCatalogueChars(connection) {
  const performIO = connection.performIO.bind(connection);
  const queryRaw = connection.queryRaw.bind(connection);
  let columns = [];
  connection.performIO = async (query) => {
    const result = await performIO(query);
    const fields = result.fields ?? [];
    columns = fields.flatMap(({ dataTypeID }, index) => (dataTypeID === OID_CHAR ? [index] : []));
    if (columns.length === 0) return result;
    const mended = fields.map((field, index) =>
      columns.includes(index) ? { ...field, name: field.name, dataTypeID: OID_VARCHAR } : field,
    );
    return { ...result, fields: mended };
  };
  connection.queryRaw = async (query) => {
    const result = await queryRaw(query);
    for (const index of columns) result.columnTypes[index] = ColumnTypeEnum.Character;
    return result;
  };
}

/** Separate fields, so that a shadow database can differ in its name alone. */
function connectionTo(database) {
  const url = new URL(JSON.parse(options('--datasource')[0] ?? '{}').url);
  return {
    host: url.hostname,
    port: Number(url.port || 5432),
    user: decodeURIComponent(url.username),
    password: decodeURIComponent(url.password) || undefined,
    database: database ?? decodeURIComponent(url.pathname.slice(1)),
  };
}

async function execute(connection, statement) {
  const client = new pg.Client(connection);
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

/** The values of an option that may be repeated. */
function options(name) {
  return args.flatMap((one, index) => (one === name ? [args[index + 1]] : []));
}
