// Whether the database role of a process has more rights than it needs (docs/operate.md#database-roles). A superuser runs
// programs on the database's machine. An owner can switch off what protects the ledger and the audit log from changes.

import type { Config } from '@/lib/platform/config/config';
import type { Db } from './db';
import { hasLiveNetwork, isProduction } from '@/lib/platform/config/unsafe-settings';

export type DatabaseRole = { readonly name: string; readonly isSuperuser: boolean; readonly isOwner: boolean };

/** The role of this connection. */
export async function readRole(db: Db): Promise<DatabaseRole> {
  const { rows } = await db.query<DatabaseRole>(
    `SELECT rolname AS name, rolsuper AS "isSuperuser",
       coalesce((SELECT pg_has_role(c.relowner, 'MEMBER') FROM pg_class c WHERE c.oid = to_regclass('public.audit_entries')), false)
         AS "isOwner"
     FROM pg_roles WHERE rolname = current_user`,
  );
  const [role] = rows;
  if (!role) throw new Error('the database does not know its own role');
  return role;
}

/** A sentence about the excess rights of a role; null when it has none. */
export function excessOf({ name, isSuperuser, isOwner }: DatabaseRole): string | null {
  if (isSuperuser)
    return `${name} is a superuser: it could erase the audit log and run programs on the database's machine`;
  if (isOwner) return `${name} owns the tables: it could erase the audit log and change the ledger`;
  return null;
}

export const SEPARATE_ROLES =
  'Run `npm run migrate` with WEB_DATABASE_PASSWORD and WORKER_DATABASE_PASSWORD, and give web and worker those roles (docs/operate.md, Database roles).';

/** Throws an Error when a process that handles real money has a role with excess rights. */
export async function refuseUnsafeRole(db: Db, config: Config): Promise<void> {
  if (!isProduction(config) || !hasLiveNetwork(config)) return;
  const excess = excessOf(await readRole(db));
  if (excess !== null) throw new Error(`The role in DATABASE_URL is unsafe: ${excess}. ${SEPARATE_ROLES}`);
}
