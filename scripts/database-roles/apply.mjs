// Gives the database's roles exactly the rights in grants.mjs: web, worker, and a read-only role for reports and
// support. Role names begin with the database's name, so installations can share a server. It is idempotent. The
// caller's role owns the tables. It creates missing roles when it may (CREATEROLE), else it uses the administrator's.

import pg from 'pg';
import { ALL, FUNCTIONS, WEB, WEB_IN_SANDBOX, WORKER } from './grants.mjs';
import { SECRETS } from './secrets.mjs';

export const KINDS = /** @type {const} */ (['web', 'worker', 'read']);
/** @typedef {(typeof KINDS)[number]} Kind */

/** PostgreSQL truncates longer names. */
const LONGEST_NAME = 63;
/** What web and worker rely on in each connection. A pooler passes on no start-up parameters (lib/platform/database/session.ts). */
const SESSION = ["TimeZone = 'UTC'", "statement_timeout = '15s'", "idle_in_transaction_session_timeout = '15s'"];
/** Rights that no role of a running process may have, by their column of pg_roles. */
const FORBIDDEN = ['rolsuper', 'rolcreaterole', 'rolcreatedb', 'rolreplication', 'rolbypassrls'];
const INSUFFICIENT_PRIVILEGE = '42501';
/** Two concurrent runs would undo each other's grants. Any number that no other code locks. */
const LOCK = 7_001_002;

/** The role of DATABASE_URL may not create roles, and this role does not exist. */
export class MayNotMakeRoles extends Error {
  constructor(role, options) {
    super(
      `DATABASE_URL's role may not make the role ${role}: give it CREATEROLE, or make that role yourself.`,
      options,
    );
  }
}

/** The role of a kind of process in a database. */
export const roleName = (database, kind) => `${database}_${kind}`;

/** @param {string} databaseUrl @param {Kind} kind @param {string} password */
export function urlOfRole(databaseUrl, kind, password) {
  const url = new URL(databaseUrl);
  url.username = roleName(decodeURIComponent(url.pathname.slice(1)), kind);
  url.password = password;
  return url.href;
}

/**
 * Creates missing roles that have a password, updates the passwords of the others, and grants every existing role its
 * rights. Resolves to the kinds that have a role. Throws when a role has rights that would make the list worthless.
 * @param {string} databaseUrl the owner's
 * @param {{ passwords?: Partial<Record<Kind, string>>, sandbox?: boolean }} [options]
 * @returns {Promise<Kind[]>}
 */
export async function applyRoles(databaseUrl, { passwords = {}, sandbox = false } = {}) {
  const client = new pg.Client({ connectionString: databaseUrl });
  client.on('error', () => {}); // A lost connection fails the statement that waits for it.
  await client.connect();
  try {
    await client.query('BEGIN');
    await client.query('SELECT pg_advisory_xact_lock($1)', [LOCK]);
    const { rows } = await client.query('SELECT current_database() AS database');
    const present = [];
    for (const kind of KINDS) {
      const role = roleName(rows[0].database, kind);
      if (!(await makeRole(client, role, passwords[kind]))) continue;
      await refuseExcessRights(client, role);
      if (kind !== 'read') await setSession(client, role);
      await grant(client, { kind, role, database: rows[0].database, sandbox });
      present.push(kind);
    }
    await client.query('COMMIT');
    return present;
  } finally {
    await client.end();
  }
}

/** False when the role does not exist and no password was given to create it. Throws MayNotMakeRoles. */
async function makeRole(client, role, password) {
  if (Buffer.byteLength(role) > LONGEST_NAME)
    throw new Error(`The role name ${role} is longer than ${LONGEST_NAME} bytes.`);
  const { rowCount } = await client.query('SELECT FROM pg_roles WHERE rolname = $1', [role]);
  const isThere = rowCount === 1;
  if (password === undefined) return isThere;
  await client.query('SAVEPOINT role');
  try {
    const verb = isThere ? 'ALTER' : 'CREATE';
    await client.query(`${verb} ROLE ${pg.escapeIdentifier(role)} LOGIN PASSWORD ${pg.escapeLiteral(password)}`);
  } catch (error) {
    if (error.code !== INSUFFICIENT_PRIVILEGE) throw error;
    // An administrator created the role, so the administrator sets its password.
    if (!isThere) throw new MayNotMakeRoles(role, { cause: error });
    await client.query('ROLLBACK TO SAVEPOINT role');
  }
  return true;
}

/** An administrator who created the role sets them too; web and worker say which are missing. */
async function setSession(client, role) {
  await client.query('SAVEPOINT session');
  try {
    for (const setting of SESSION) await client.query(`ALTER ROLE ${pg.escapeIdentifier(role)} SET ${setting}`);
  } catch (error) {
    if (error.code !== INSUFFICIENT_PRIVILEGE) throw error;
    await client.query('ROLLBACK TO SAVEPOINT session');
  }
}

/** Grants do not restrict a superuser, an owner or a member of a server-wide role. */
async function refuseExcessRights(client, role) {
  const { rows } = await client.query(
    `SELECT ${FORBIDDEN.map((right) => `r.${right}`).join(' OR ')} AS is_mighty,
       ARRAY(SELECT g.rolname::text FROM pg_auth_members m JOIN pg_roles g ON g.oid = m.roleid WHERE m.member = r.oid) AS groups
     FROM pg_roles r WHERE r.rolname = $1`,
    [role],
  );
  const { is_mighty: isMighty, groups } = rows[0];
  if (isMighty)
    throw new Error(`The role ${role} has SUPERUSER, CREATEROLE, CREATEDB, REPLICATION or BYPASSRLS: take it away.`);
  if (groups.length > 0) throw new Error(`The role ${role} is a member of ${groups.join(', ')}: take it out.`);
}

async function grant(client, { kind, role, database, sandbox }) {
  const name = pg.escapeIdentifier(role);
  const statements = [
    'REVOKE CREATE ON SCHEMA public FROM PUBLIC',
    `GRANT CONNECT ON DATABASE ${pg.escapeIdentifier(database)} TO ${name}`,
    `GRANT USAGE ON SCHEMA public TO ${name}`,
    `REVOKE ALL ON ALL TABLES IN SCHEMA public FROM ${name}`,
    `REVOKE ALL ON ALL SEQUENCES IN SCHEMA public FROM ${name}`,
    ...(kind === 'read' ? await readGrants(client, name) : await writeGrants(client, name, listOf(kind, sandbox))),
  ];
  for (const statement of statements) await client.query(statement);
}

/** @returns {Record<string, import('./grants.mjs').Grant>} */
function listOf(kind, sandbox) {
  if (kind === 'worker') return WORKER;
  if (!sandbox) return WEB;
  const added = Object.entries(WEB_IN_SANDBOX).map(([table, { update }]) => {
    const own = WEB[table] ?? {};
    return [table, { ...own, update: `${own.update} ${update}` }];
  });
  return { ...WEB, ...Object.fromEntries(added) };
}

async function writeGrants(client, name, list) {
  const statements = [`GRANT SELECT ON ALL TABLES IN SCHEMA public TO ${name}`];
  for (const [table, { insert, update, ...more }] of Object.entries(list)) {
    const on = `ON ${pg.escapeIdentifier(table)} TO ${name}`;
    if (insert) statements.push(`GRANT INSERT ${columnsOf(insert)} ${on}`);
    if (update) statements.push(`GRANT UPDATE ${columnsOf(update)} ${on}`);
    if (more.delete) statements.push(`GRANT DELETE ${on}`);
    if (insert)
      statements.push(...(await sequencesOf(client, table)).map((one) => `GRANT USAGE ON SEQUENCE ${one} TO ${name}`));
  }
  return [...statements, ...FUNCTIONS.map((one) => `GRANT EXECUTE ON FUNCTION ${one} TO ${name}`)];
}

const columnsOf = (text) => (text === ALL ? '' : `(${text.split(' ').map(pg.escapeIdentifier).join(', ')})`);

/** The sequences that number the table's rows. */
async function sequencesOf(client, table) {
  const { rows } = await client.query(
    `SELECT d.objid::regclass::text AS name FROM pg_depend d JOIN pg_class s ON s.oid = d.objid AND s.relkind = 'S'
     WHERE d.refobjid = $1::regclass AND d.classid = 'pg_class'::regclass AND d.deptype IN ('a', 'i')`,
    [`public.${pg.escapeIdentifier(table)}`],
  );
  return rows.map((row) => row.name);
}

/** All columns except secrets. */
async function readGrants(client, name) {
  const { rows } = await client.query(
    `SELECT table_name AS table, array_agg(column_name::text) AS columns FROM information_schema.columns
     WHERE table_schema = 'public' GROUP BY 1`,
  );
  return rows.map(({ table, columns }) => {
    const secret = new Set((SECRETS[table] ?? '').split(' '));
    const shown = columns.filter((column) => !secret.has(column)).map(pg.escapeIdentifier);
    return `GRANT SELECT (${shown.join(', ')}) ON ${pg.escapeIdentifier(table)} TO ${name}`;
  });
}
