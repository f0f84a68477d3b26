// The state machines rule: their tables, the triggers of the database, the statements of the product and the documents agree.

import fs from 'node:fs';
import path from 'node:path';
import { execFileSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { moveSql, type Machine } from '@/lib/platform/database/moves';
import { transaction, violatedConstraint } from '@/lib/platform/database/db';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { changesOf, STATE_MACHINES, type StateMachine } from '@/testing/state-machines';
import { isProduct, MOVING_TABLES, rawStatusUpdates } from './check/status-updates';

const ROOT = path.join(import.meta.dirname, '..');
const ROW = '1';

let db: TestDatabase;
beforeAll(async () => void (db = await openTestDatabase(2)));
afterAll(() => db.close());

test('every status column of the database has a state machine', async () => {
  // Health and days of the status page are measurements: any value may follow any other. Totals count the sessions of a status.
  const { rows } = await db.pool.query<{ name: string }>(
    `SELECT c.table_name AS name FROM information_schema.columns c JOIN pg_type t ON t.typname = c.udt_name AND t.typtype = 'e'
     WHERE c.table_schema = 'public' AND c.column_name IN ('status', 'state') AND c.table_name <> 'session_totals' ORDER BY 1`,
  );
  const tables = STATE_MACHINES.map(({ table }) => table).toSorted();
  expect(rows.map(({ name }) => name)).toEqual(tables);
  expect(Object.keys(MOVING_TABLES).toSorted()).toEqual(tables);
});

describe.each(STATE_MACHINES)('$title', (machine) => {
  const { table, column, statuses, moves, make } = machine;
  beforeAll(() => isolate(machine));

  test('the database refuses exactly the changes that no move makes', async () => {
    const allowed: string[] = [];
    for (const from of statuses) {
      for (const to of statuses) {
        await reset(machine, from);
        const change = db.pool.query(`UPDATE ${table} SET ${column} = '${to}'`);
        const error = await change.then(
          () => null,
          (one: unknown) => one,
        );
        if (error === null) allowed.push(`${from} ${to}`);
        else {
          expect(violatedConstraint(error)).toBe(`${table}_moves`);
          expect(String(error)).toContain(`${table} ${ROW}: no move leads from ${from} to ${to}`);
        }
      }
    }
    // A status that stays as it is is no change.
    const unchanged = statuses.map((one) => `${one} ${one}`);
    expect(allowed.toSorted()).toEqual([...new Set([...changesOf(machine).keys(), ...unchanged])].toSorted());
  });

  const tries = statuses.flatMap((status) => Object.keys(moves).map((move) => [move, status] as const));
  test.each(tries)('%s of a row that is %s follows the table of moves', async (move, status) => {
    await reset(machine, status);
    const before = await rowOf(machine);
    const { from = [], to } = moves[move] ?? {};
    const isAllowed = from.includes(status);
    expect(await transaction(db.pool, (tx) => make(tx, ROW, move))).toBe(isAllowed);
    const after = await rowOf(machine);
    expect(isAllowed ? after[column] : after).toEqual(isAllowed ? to : before);
  });

  test('every status can be reached, and docs/architecture.md shows every move', () => {
    const [first] = statuses;
    const reached = new Set([first, ...Object.values(moves).map(({ to }) => to)]);
    expect(reached).toEqual(new Set(statuses));
    expect(fs.readFileSync(path.join(ROOT, 'docs/architecture.md'), 'utf8')).toContain(diagram(machine));
  });
});

describe('alternative moves in one statement', () => {
  const machine: Machine<'open' | 'shut'> = {
    column: 'd.status',
    type: 'DoorStatus',
    moves: { open: { from: ['shut'], to: 'open' }, shut: { from: ['open', 'ajar'], to: 'shut' } },
  };

  test('a row makes the first move whose condition and status fit', () => {
    expect(moveSql(machine, { open: '$1', shut: 'true' })).toEqual({
      to:
        `CASE WHEN ($1) AND d.status IN ('shut') THEN 'open' ` +
        `WHEN (true) AND d.status IN ('open', 'ajar') THEN 'shut' END::"DoorStatus"`,
      isFrom: `d.status IN ('shut', 'open', 'ajar')`,
    });
  });
});

describe('a status changes only by a move', () => {
  const files = execFileSync('git', ['ls-files', '*.ts', '*.tsx', '*.mts', '*.mjs'], { cwd: ROOT, encoding: 'utf8' });
  const product = files.trim().split('\n').filter(isProduct);

  test('no statement of the product sets a status itself', () => {
    expect(product.length).toBeGreaterThan(500);
    const raw = product.flatMap((file) => rawStatusUpdates(file, fs.readFileSync(path.join(ROOT, file), 'utf8')));
    expect(raw).toEqual([]);
  });

  test.each([
    "query(`UPDATE refund_attempts SET status = 'sent', sent_at = $2 WHERE id = $1`)",
    "query('UPDATE stores SET status = $2 WHERE id = $1')",
    'query(`UPDATE stores SET status = ${status} WHERE id = $1`)',
    "query(`UPDATE sessions s SET closed_at = $2,\n  status = 'expired' FROM due`)",
    'query(`WITH a AS (UPDATE deliveries SET status = ${FAILED.to}), b AS (UPDATE deliveries SET status = $1) SELECT 1`)',
    "query(`INSERT INTO balance_checks AS b VALUES ($1) ON CONFLICT (a) DO UPDATE SET state = 'due'`)",
    "prisma.store.update({ where: { id }, data: { status: 'approved' } })",
    "prisma.store.updateMany({ where: { id, version: now() }, data: { version: { increment: 1 }, status: 'approved' } })",
    "prisma.session.upsert({ where: { id }, create, update: { status: 'completed' } })",
  ])('such a statement is found: %s', (text) => {
    expect(rawStatusUpdates('lib/api/routes.ts', `\n${text}`)).toEqual([
      expect.stringMatching(/^lib\/api\/routes.ts:2 /),
    ]);
    expect(rawStatusUpdates('lib/api/routes.test.ts', text)).toEqual([]);
  });

  test.each([
    'query(`UPDATE deliveries d SET status = ${WRITTEN.to}, next_at = $1 WHERE ${WRITTEN.isFrom}`)',
    "query(`UPDATE refunds SET next_at = $2 WHERE id = $1 AND status = 'processing'`)",
    "query(`UPDATE balance_checks SET state = ${moveSql(BALANCE_CHECKS, 'rescan').to}`)",
    'query(`UPDATE discrepancies SET status = $1`)',
    "prisma.store.updateMany({ where: { id, status: 'approved' }, data: { version: { increment: 1 } } })",
  ])('any other statement is fine: %s', (text) => {
    expect(rawStatusUpdates('lib/api/routes.ts', text)).toEqual([]);
  });
});

/** Puts one row into the table. Of its triggers and constraints only the trigger of moves and the keys stay, as the migrations made it. */
async function isolate({ table }: StateMachine): Promise<void> {
  const { rows: columns } = await db.pool.query<{ name: string; type: string }>(
    `SELECT column_name AS name, udt_name AS type FROM information_schema.columns
     WHERE table_schema = 'public' AND table_name = $1 AND is_nullable = 'NO' AND is_generated = 'NEVER'`,
    [table],
  );
  const { rows: checks } = await db.pool.query<{ name: string }>(
    `SELECT conname AS name FROM pg_constraint WHERE conrelid = $1::regclass AND contype IN ('c', 'f')`,
    [table],
  );
  const { rows: triggers } = await db.pool.query(
    'SELECT tgenabled AS enabled FROM pg_trigger WHERE tgrelid = $1::regclass AND tgname = $2',
    [table, `${table}_moves`],
  );
  expect(triggers).toEqual([{ enabled: 'O' }]);
  for (const { name } of checks) await db.pool.query(`ALTER TABLE ${table} DROP CONSTRAINT "${name}"`);
  await db.pool.query(`ALTER TABLE ${table} DISABLE TRIGGER USER, ENABLE TRIGGER ${table}_moves`);
  const names = columns.map(({ name }) => `"${name}"`).join();
  const values = columns.map(({ type }) => VALUES[type] ?? `(enum_range(NULL::"${type}"))[1]`).join();
  await db.pool.query(`INSERT INTO ${table} (${names}) OVERRIDING SYSTEM VALUE VALUES (${values})`);
}

/** A value of each type, so that no test needs to know the columns of seven tables. */
const VALUES: Readonly<Record<string, string>> = {
  text: `'${ROW}'`,
  uuid: 'gen_random_uuid()',
  int4: ROW,
  int8: ROW,
  numeric: ROW,
  bool: 'false',
  date: 'now()',
  timestamptz: 'now()',
  json: `'{}'`,
  jsonb: `'{}'`,
  bytea: `''`,
  _text: `'{}'`,
};

const reset = ({ table, column }: StateMachine, status: string): Promise<void> =>
  transaction(db.pool, async (tx) => {
    await tx.query('SET LOCAL session_replication_role = replica');
    await tx.query(`UPDATE ${table} SET ${column} = '${status}'`);
  });

async function rowOf({ table }: StateMachine): Promise<Record<string, unknown>> {
  const { rows } = await db.pool.query<{ row: Record<string, unknown> }>(`SELECT to_jsonb(t) AS row FROM ${table} t`);
  return rows[0]?.row ?? {};
}

/** The section of a machine in docs/architecture.md, from its heading to the end of its diagram. */
function diagram(machine: StateMachine): string {
  const arrows = [...changesOf(machine)].map(
    ([change, names]) => `  ${change.replace(' ', ' --> ')}: ${names.join(', ')}`,
  );
  return `\n### ${machine.title}\n\n\`\`\`mermaid\nstateDiagram-v2\n  [*] --> ${machine.statuses[0]}\n${arrows.join('\n')}\n\`\`\`\n`;
}
