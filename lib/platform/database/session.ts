// What the service relies on in every connection: times in UTC, and limits on a statement and on an idle transaction. Without a pooler, they
// are start-up parameters (db.ts). A pooler passes none on, so there the role has them (scripts/database-roles/apply.mjs).

import type { Connecting } from '@/lib/platform/config/processes';
import type { Db } from './db';

type Session = { readonly role: string; readonly zone: string; readonly statement: number; readonly idle: number };

/** A sentence about a setting that connections from a pooler lack; null when none is missing. */
export async function missingSessionSetting(db: Db, { DATABASE_POOLER }: Connecting): Promise<string | null> {
  if (DATABASE_POOLER === 'none') return null;
  const { rows } = await db.query<Session>(
    `SELECT current_user::text AS role, current_setting('TimeZone') AS zone, max(setting::int) FILTER (WHERE name = 'statement_timeout') AS statement,
       max(setting::int) FILTER (WHERE name = 'idle_in_transaction_session_timeout') AS idle
     FROM pg_settings WHERE name IN ('statement_timeout', 'idle_in_transaction_session_timeout')`,
  );
  const { role, zone, statement, idle } = rows[0] as Session;
  const missing = [
    ...(/^(?:Etc\/)?UTC$/i.test(zone) ? [] : [`TimeZone = 'UTC'`]),
    ...(statement > 0 ? [] : [`statement_timeout = '15s'`]),
    ...(idle > 0 ? [] : [`idle_in_transaction_session_timeout = '15s'`]),
  ];
  if (missing.length === 0) return null;
  const statements = missing.map((one) => `ALTER ROLE ${role} SET ${one};`).join(' ');
  return `Connections of ${role} come from a pooler and lack a setting. Run \`npm run migrate\` (docs/operate/pooler.md), or as an administrator: ${statements} Then RECONNECT in the pooler.`;
}

/** Throws an Error when a process would run without limits, or read times in another zone. */
export async function refuseUnsafeSession(db: Db, connecting: Connecting): Promise<void> {
  const missing = await missingSessionSetting(db, connecting);
  if (missing !== null) throw new Error(missing);
}
