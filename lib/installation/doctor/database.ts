// The doctor's checks of the database: version, durability, role, schema, clock, keys, operators, lists and former refund wallets. Reads only.

import type { Clock } from '@/lib/platform/clock';
import type { Config } from '@/lib/platform/config/config';
import { excessOf, readRole, SEPARATE_ROLES, type DatabaseRole } from '@/lib/platform/database/role';
import type { Pool } from '@/lib/platform/database/db';
import { missingSessionSetting } from '@/lib/platform/database/session';
import { isOwnSandbox } from '@/lib/platform/config/own-sandbox';
import { readWorkerSteps } from '@/lib/installation/status/worker-steps';
import { namedFinding, namedTooEarly } from '@/lib/ledger/reconciliation/former-wallets';
import { networkSpec } from '@/lib/networks/networks';
import type { Environment } from '@/lib/platform/ids';
import { networksWithoutList } from '@/lib/refunds/destination/exchange-wallets/age';
import { isProduction } from '@/lib/platform/config/unsafe-settings';
import type { Finding } from './findings';
import { keyFindings } from './keys';

/** PostgreSQL 15 is the oldest version with MERGE and NULLS NOT DISTINCT, and the oldest tested one. */
const LEAST_VERSION = 150_000;
/** Chain time and leases tolerate a few seconds; deadlines and TOTP codes half a minute. */
const [SKEW_WARN_MS, SKEW_FAIL_MS] = [2000, 30_000];

type Deps = { readonly pool: Pool; readonly clock: Clock; readonly config: Config };

/** `migrations`: the names of this version's migrations. Throws the database's error when it cannot be reached. */
export async function databaseFindings(deps: Deps, migrations: readonly string[]): Promise<readonly Finding[]> {
  const server = await serverFindings(deps);
  const schema = await schemaFinding(deps, migrations);
  if (schema.state === 'fail') return [...server, schema];
  return [
    ...server,
    schema,
    await operatorFinding(deps),
    ...(await keyFindings(deps.pool, deps.config.MASTER_KEYS)),
    ...(await workerFindings(deps)),
    ...(await listFindings(deps)),
    ...(await walletFindings(deps)),
  ];
}

type ServerRow = { version: number; name: string; at: Date; is_read_only: boolean; unsafe: string[] };

async function serverFindings({ pool, clock, config }: Deps): Promise<readonly Finding[]> {
  const sentAt = clock.now().getTime();
  const { rows } = await pool.query<ServerRow>(
    `SELECT current_setting('server_version_num')::int AS version, current_setting('server_version') AS name,
       clock_timestamp() AS at, current_setting('transaction_read_only')::boolean AS is_read_only,
       ARRAY(SELECT name FROM pg_settings WHERE name IN ('fsync', 'full_page_writes', 'synchronous_commit') AND setting = 'off'
         ORDER BY name) AS unsafe`,
  );
  const found = rows[0] as ServerRow;
  const middle = (sentAt + clock.now().getTime()) / 2;
  return [
    versionFinding(found),
    durabilityFinding(found.unsafe, isProduction(config)),
    roleFinding(await readRole(pool), isProduction(config)),
    ...(await sessionFindings(pool, config)),
    clockFinding(Math.round(found.at.getTime() - middle)),
  ];
}

function versionFinding({ version, name, is_read_only: isReadOnly }: ServerRow): Finding {
  const check = 'database';
  if (version < LEAST_VERSION)
    return {
      check,
      state: 'fail',
      message: `PostgreSQL ${name} is too old`,
      todo: 'Upgrade PostgreSQL to version 15 or newer.',
    };
  if (!isReadOnly) return { check, state: 'ok', message: `PostgreSQL ${name}` };
  const todo = 'Follow docs/operate/runbooks/database-read-only.md.';
  return { check, state: 'fail', message: `PostgreSQL ${name} takes no writes`, todo };
}

/** `unsafe`: the settings that are off. A crash could then undo what was answered, signed or shown to a reader of events. */
export function durabilityFinding(unsafe: readonly string[], isReal: boolean): Finding {
  const check = 'durability';
  if (unsafe.length === 0) return { check, state: 'ok', message: 'PostgreSQL keeps what it has committed' };
  const state = isReal ? 'fail' : 'warn';
  const message = `a crash of PostgreSQL can undo what was committed: ${unsafe.join(', ')} off`;
  return { check, state, message, todo: `Set ${unsafe.map((name) => `${name} = on`).join(', ')}.` };
}

/** None without a pooler. */
async function sessionFindings(pool: Pool, config: Config): Promise<readonly Finding[]> {
  if (config.DATABASE_POOLER === 'none') return [];
  const check = 'pooler';
  const missing = await missingSessionSetting(pool, config);
  if (missing === null)
    return [{ check, state: 'ok', message: 'connections from the pooler have UTC and time limits' }];
  return [{ check, state: 'fail', message: 'connections from the pooler lack a setting', todo: missing }];
}

function roleFinding(role: DatabaseRole, isReal: boolean): Finding {
  const excess = excessOf(role);
  if (excess === null) return { check: 'role', state: 'ok', message: `${role.name} can do no more than its work` };
  return { check: 'role', state: isReal ? 'fail' : 'warn', message: excess, todo: SEPARATE_ROLES };
}

export function clockFinding(skewMs: number): Finding {
  const off = Math.abs(skewMs);
  const message = `this machine and the database differ by ${(off / 1000).toFixed(1)} s`;
  if (off < SKEW_WARN_MS) return { check: 'clock', state: 'ok', message };
  const todo = 'Synchronise both clocks (NTP): deadlines, leases and one-time codes depend on them.';
  return { check: 'clock', state: off < SKEW_FAIL_MS ? 'warn' : 'fail', message, todo };
}

async function schemaFinding({ pool }: Deps, migrations: readonly string[]): Promise<Finding> {
  const todo = 'Run `npm run migrate` with the version that web and worker run.';
  const { rows: tables } = await pool.query<{ is_there: boolean }>(
    `SELECT to_regclass('_prisma_migrations') IS NOT NULL AS is_there`,
  );
  if (!tables[0]?.is_there) return { check: 'schema', state: 'fail', message: 'the database is empty', todo };
  const { rows } = await pool.query<{ name: string }>(
    'SELECT migration_name AS name FROM _prisma_migrations WHERE finished_at IS NOT NULL AND rolled_back_at IS NULL',
  );
  const applied = new Set(rows.map(({ name }) => name));
  const missing = migrations.filter((name) => !applied.has(name));
  const newer = [...applied].filter((name) => !migrations.includes(name));
  if (missing.length > 0) {
    const message = `${missing.length} migrations are not applied, the first is ${missing[0]}`;
    return { check: 'schema', state: 'fail', message, todo };
  }
  if (newer.length > 0) {
    const message = `the database is newer than this version (${newer[0]})`;
    return { check: 'schema', state: 'fail', message, todo: 'Run the version that made the database, or a newer one.' };
  }
  return { check: 'schema', state: 'ok', message: `all ${migrations.length} migrations are applied` };
}

async function operatorFinding({ pool, config }: Deps): Promise<Finding> {
  const { rows } = await pool.query<{ all: number; bare: string[] }>(
    `SELECT count(*)::int AS all, coalesce(array_agg(email ORDER BY email) FILTER (WHERE totp_confirmed_at IS NULL
       AND NOT EXISTS (SELECT FROM passkeys p WHERE p.user_id = u.id)), '{}') AS bare
     FROM users u WHERE role = 'operator' AND disabled_at IS NULL`,
  );
  const { all, bare } = rows[0] ?? { all: 0, bare: [] };
  const check = 'operators';
  if (all === 0) {
    return {
      check,
      state: 'warn',
      message: 'there is none',
      todo: 'Open the set-up link that the web process prints.',
    };
  }
  if (bare.length === 0) return { check, state: 'ok', message: `${all}, each with a second factor` };
  return {
    check,
    state: isOwnSandbox(config) ? 'warn' : 'fail',
    message: `without a second factor: ${bare.join(', ')}`,
    todo: 'Another operator, or npm run attest-operator -- factor EMAIL, opens an hour to set one up.',
  };
}

/** None while no worker runs, as before the first start. */
async function workerFindings({ pool }: Deps): Promise<readonly Finding[]> {
  const { processes, steps, missing } = await readWorkerSteps(pool);
  if (processes === 0) return [];
  const check = 'workers';
  const message = `${processes} worker process${processes === 1 ? '' : 'es'}`;
  if (missing.length === 0) return [{ check, state: 'ok', message: `${message} run all ${steps} steps` }];
  return [
    {
      ...{ check, state: 'fail', message: `${message}, and none runs: ${missing.join(', ')}` },
      todo: 'Add the steps or their groups to WORKER_STEPS of one process (docs/operate/workers.md).',
    },
  ];
}

async function listFindings(deps: Deps): Promise<readonly Finding[]> {
  const networks = await networksWithoutList(deps);
  if (networks.length === 0) return [];
  return [
    {
      check: 'exchanges',
      state: 'warn',
      message: `no fresh list of exchange wallets for ${networks.join(', ')}: refunds there ask the customer for an address`,
      todo: 'Run npm run exchange-wallets -- load.',
    },
  ];
}

type WalletRow = {
  readonly environment: Environment;
  readonly network: string;
  readonly currency: string;
  readonly readings: readonly { readonly address: string; readonly amount: string }[];
};

/** Former refund wallets that were named for another purpose before they were empty. The books miss what they hold. */
async function walletFindings({ pool, config }: Deps): Promise<readonly Finding[]> {
  const { rows } = await pool.query<WalletRow>(
    `SELECT c.environment, c.network, w.asset AS currency,
       json_agg(json_build_object('address', w.address, 'amount', w.amount::text) ORDER BY w.read_at DESC) AS readings
     FROM wallet_balances w JOIN chains c ON c.id = w.chain_id AND c.retired_at IS NULL
     WHERE w.asset <> 'fee' GROUP BY 1, 2, 3 ORDER BY 1, 2, 3`,
  );
  return rows.flatMap(({ environment, network, currency, readings }) => {
    const spec = networkSpec(environment, network, config.TEST_CHAINS);
    const named = spec ? namedTooEarly(readings, readings[0]?.address ?? '', { config, spec }) : [];
    if (named.length === 0) return [];
    const { message, todo } = namedFinding(named);
    return [
      {
        check: 'wallet',
        state: 'fail' as const,
        message: `${currency} on ${network} (${environment}): ${message}`,
        todo,
      },
    ];
  });
}
